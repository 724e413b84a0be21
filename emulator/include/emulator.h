// What a program running under the emulated device can ask it beyond the HIP API.
//
// The symbols exist only in the emulator's libamdhip64.so.5: find them with
// dlsym(RTLD_DEFAULT, "emulator_counters") and treat NULL as "a real device".
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stdbool.h>
#include <stddef.h>

// One hardware counter under rocprof's name, e.g. {"SQ_INSTS_VALU", 163840}. Units are rocprof's
// (events, KiB, %). Counters of the emulated device's own begin with EMULATOR_.
typedef struct {
  const char *name;
  // NaN where it is modelled and this launch was not; of LDS banks also where EMULATOR_MODEL=0 asks for speed and the
  // program had asked for nothing in here before the launch
  double value;
  bool modelled; // from the memory model; false: counted while executing
} EmulatorCounter;

// All counters there are, of the most recent kernel launch that ran to its end; *counters points to
// storage that stays valid until the next launch. Returns their number, 0 before the first launch.
size_t emulator_counters(const EmulatorCounter **counters);

// From now on counters and modelled time are of all launches since this call, together: what is
// counted is summed, and percentages follow from the sums.
void emulator_count_from_here(void);

// Whether the next launches go through the memory model, which takes most of their time; at first
// they do. No effect where the environment decides: EMULATOR_MODEL, or EMULATOR_COUNTERS, whose
// reader wants every launch.
void emulator_use_model(bool use);

// Modelled time of the same launch or launches in ms, which is what hipEventElapsedTime sums up, too;
// 0 if one was not modelled (EMULATOR_MODEL=0, or a trace too long for the host's memory).
double emulator_modelled_ms(void);

// How many launches of this process were not executed, because an earlier one had done the same (EMULATOR_REUSE).
size_t emulator_repeated_launches(void);

#endif
