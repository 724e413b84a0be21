// Whether nobody but the device can write memory: a launch that the host program is to free from a loop then never ends, and
// what changed while a launch ran is the launch's.
//
// In: the calls that wait, and the process. Out: a number while every thread of the program waits in a call, it has no handler of
// signals that others may send, and no function of it is called back, nor has another process any of the memory.
#ifndef EMULATOR_PROGRAM_WAITS_H
#define EMULATOR_PROGRAM_WAITS_H

#include <stdint.h>

// 0: it may write. Otherwise another number after each time that it could.
uint64_t program_waits(void);

#endif
