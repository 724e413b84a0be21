// The emulated device: its parameters, read from mi250x.ini and changed by the user's options.
//
// In: the .ini files of this folder, all built into the library; EMULATOR_DEVICE, the name of one of
// them or of a file; NAME=VALUE pairs in EMULATOR_SET. Out: one struct, from which counters,
// occupancy, device properties and the memory model take what the ISA leaves open. Values and their
// sources stand in the .ini files only; here are the names and what range each may have.
#ifndef EMULATOR_PARAMETERS_H
#define EMULATOR_PARAMETERS_H

#include "architecture.h"

#include <stdbool.h>
#include <stddef.h>

//  X(name, least, most). Four waves a SIMD hold the largest workgroup, 16 waves.
#define PARAMETERS(X)                                                                              \
  X(validated, 0, 1)                                                                               \
  X(engine_mhz, 100, 10000)                                                                        \
  X(loaded_mhz, 100, 10000)                                                                        \
  X(compute_units, 1, 256)                                                                         \
  X(shader_engines, 1, 64)                                                                         \
  X(waves_per_simd, 4, 16)                                                                         \
  X(launch_ns, 0, 1000000)                                                                         \
  X(group_launch_clk, 0, 1000)                                                                     \
  X(wave_launch_clk, 0, 1000)                                                                      \
  X(wave_start_clk, 0, 10000)                                                                      \
  X(issue_order, 0, 2)                                                                             \
  X(issue_clk, 1, 64)                                                                              \
  X(lds_latency_clk, 1, 10000)                                                                     \
  X(scalar_latency_clk, 1, 10000)                                                                  \
  X(utcl1_entries, 1, 64)                                                                          \
  X(utcl1_page_bytes, 4096, 1073741824)                                                            \
  X(utcl1_miss_clk, 0, 100000)                                                                     \
  X(l1_bytes, 1024, 1048576)                                                                       \
  X(l1_line_bytes, 64, 128)                                                                        \
  X(l1_ways, 1, 64)                                                                                \
  X(l1_latency_clk, 1, 10000)                                                                      \
  X(l1_outstanding, 1, 4096)                                                                       \
  X(l1_fill_clk, 0, 64)                                                                            \
  X(l2_bytes, 65536, 268435456)                                                                    \
  X(l2_ways, 1, 32)                                                                                \
  X(l2_unused_ways, 0, 31)                                                                         \
  X(l2_channels, 1, 256)                                                                           \
  X(l2_latency_clk, 1, 10000)                                                                      \
  X(l2_request_clk, 0.01, 100)                                                                     \
  X(l2_interleave_bytes, 128, 4096)                                                                \
  X(l2_page_bytes, 128, 2097152)                                                                   \
  X(l2_replacement, 0, 1)                                                                          \
  X(l2_merge_percent, 0, 100)                                                                      \
  X(l2_clean_age, 1, 64)                                                                           \
  X(nontemporal, 0, 1)                                                                             \
  X(infinity_bytes, 0, 1073741824)                                                                 \
  X(infinity_latency_clk, 0, 100000)                                                               \
  X(infinity_gbs, 1, 100000)                                                                       \
  X(hbm_bytes, 1048576, 17592186044416)                                                            \
  X(hbm_mhz, 1, 10000)                                                                             \
  X(hbm_bus_bits, 64, 65536)                                                                       \
  X(hbm_latency_clk, 0, 100000)                                                                    \
  X(hbm_gbs, 1, 100000)                                                                            \
  X(hbm_row_bytes, 128, 1048576)                                                                   \
  X(hbm_open_rows, 1, 1024)                                                                        \
  X(hbm_row_miss_clk, 0, 1000)

typedef struct {
  char name[64]; // of the device, as its vendor writes it
  const Architecture *architecture;
#define X(NAME, LEAST, MOST) double NAME;
  PARAMETERS(X)
#undef X
} Parameters;

// The parameters of this process's device, read at the first call and the same from then on. If the
// user's are refused they are those of the default device, and parameters_refused() says why.
const Parameters *parameters_device(void);

// A sentence, NULL if all is well.
const char *parameters_refused(void);

// Reads all sources in the order above. False, with a sentence that names the source, the line and
// the allowed range, for an unknown device or parameter, a value out of range, a malformed line, or
// a geometry that does not work out (sets that are no whole number).
bool parameters_read(Parameters *parameters, char *message, size_t message_size);

#endif
