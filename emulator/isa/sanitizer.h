// EMULATOR_SANITIZE=1: one instruction with everything that is looked at around it. Who finds something
// ends the launch with a sentence: kernel, block, both threads, both lines.
//
// In: a wave that has a shadow. Out: the instruction is executed, or a fault.
#ifndef EMULATOR_SANITIZER_H
#define EMULATOR_SANITIZER_H

#include "wavefront.h"

struct Access;

void sanitizer_execute(Wavefront *w, const Instruction *in);

// The same of a memory instruction whose registers are defined and have come back, and for a wait.
void sanitizer_touch_memory(Wavefront *w, const Instruction *in);
void sanitizer_wait(Wavefront *w, uint64_t waits); // of vector memory; lgkm in the upper half

// A memory instruction has found its addresses, of the host, and goes on to touch them in these lanes.
void sanitizer_touch(Wavefront *w, const struct Access *access, uint64_t lanes);

// And a load straight into LDS where its first lane's dword goes; the other lanes' lie behind it.
void sanitizer_touch_lds(Wavefront *w, uint64_t begin);

// All waves of the workgroup have come to a barrier, or ended.
void sanitizer_barrier(Workgroup *group);

#endif
