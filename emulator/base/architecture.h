// The instruction sets whose code can run, and what differs between them outside the instruction
// table. gfx90a.h has what they share.
//
// In: the name in a device's .ini file. Out: its row.
#ifndef EMULATOR_ARCHITECTURE_H
#define EMULATOR_ARCHITECTURE_H

#include <stdbool.h>
#include <stdint.h>

enum { ARCHITECTURE_TARGETS = 4 };

typedef struct {
  const char *target[ARCHITECTURE_TARGETS]; // whose code runs; the first is the device's own
  const char *cpu;                          // what LLVM 15 calls it, which knows no gfx942
  const char *option;                       // what to compile for, in a sentence
  const char *matrix_cpu; // whose matrix instructions it reads where it errs in cpu's, or NULL
  int minor, number;      // hipDeviceProp_t: of version 9, and gcnArch
  uint32_t vgpr_granule;  // LLVM getVGPRAllocGranule
  bool unified_vgprs;     // AccVGPRs are allocated behind the ArchVGPRs, else as many as these
  bool packed_ids;        // the ids of a work-item share v0
  bool exact_sums; // a matrix product adds up several products before it rounds, and loses none
  bool
      float_atomics_of_host; // atomics of floats reach coherent memory of the host; elsewhere they are lost
  bool
      keeps_sums; // atomics that add to an f32 in memory keep denormals; elsewhere they flush them, whatever the mode is
  bool sets_scratch;   // FLAT_SCRATCH is set up as the wave begins
  bool limits_scratch; // what of scratch a queue keeps has a limit: ROCr AsyncScratchReclaimEnabled
} Architecture;

// NULL if there is none of that name.
const Architecture *architecture_find(const char *name);

#endif
