// The parameters of the modelled device, read from mi250x.ini and changed by the user's options.
//
// In: the .ini that is built into the library; a file named by EMULATOR_DEVICE; NAME=VALUE pairs in
// EMULATOR_SET. Out: one struct. Values and their sources stand in mi250x.ini only; here are the
// names and what range each may have.
#ifndef EMULATOR_PARAMETERS_H
#define EMULATOR_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

//  X(name, least, most)
#define PARAMETERS(X)                                                                              \
  X(engine_mhz, 100, 10000)                                                                        \
  X(compute_units, 1, 256)                                                                         \
  X(shader_engines, 1, 64)                                                                         \
  X(waves_per_simd, 1, 16)                                                                         \
  X(launch_ns, 0, 1000000)                                                                         \
  X(group_launch_clk, 0, 1000)                                                                     \
  X(wave_launch_clk, 0, 1000)                                                                      \
  X(wave_start_clk, 0, 10000)                                                                      \
  X(oldest_first, 0, 1)                                                                            \
  X(issue_clk, 1, 64)                                                                              \
  X(lds_latency_clk, 1, 10000)                                                                     \
  X(scalar_latency_clk, 1, 10000)                                                                  \
  X(l1_bytes, 1024, 1048576)                                                                       \
  X(l1_ways, 1, 64)                                                                                \
  X(l1_latency_clk, 1, 10000)                                                                      \
  X(l1_outstanding, 1, 4096)                                                                       \
  X(l2_bytes, 65536, 268435456)                                                                    \
  X(l2_ways, 1, 32)                                                                                \
  X(l2_channels, 1, 256)                                                                           \
  X(l2_latency_clk, 1, 10000)                                                                      \
  X(l2_request_clk, 0.01, 100)                                                                     \
  X(l2_page_bytes, 128, 2097152)                                                                   \
  X(l2_replacement, 0, 1)                                                                          \
  X(l2_merge_percent, 0, 100)                                                                      \
  X(l2_clean_age, 1, 64)                                                                           \
  X(nontemporal, 0, 1)                                                                             \
  X(hbm_latency_clk, 0, 100000)                                                                    \
  X(hbm_gbs, 1, 100000)                                                                            \
  X(hbm_row_bytes, 128, 1048576)                                                                   \
  X(hbm_banks, 1, 1024)                                                                            \
  X(hbm_row_miss_clk, 0, 1000)

typedef struct {
#define X(NAME, LEAST, MOST) double NAME;
  PARAMETERS(X)
#undef X
} Parameters;

// Reads all sources in the order above. False, with a sentence that names the source, the line and
// the allowed range, for an unknown name, a value out of range, a malformed line, or a geometry
// that does not work out (sets that are no whole number).
bool parameters_read(Parameters *parameters, char *message, size_t message_size);

#endif
