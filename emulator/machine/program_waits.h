// Whether nobody but the device can write memory. Then a loop that waits for the host program is endless, and whatever changed while
// a launch ran, the launch changed.
//
// In: the calls that wait, and the process. Out: a number while every thread of the program waits in a call, it has no handler of
// signals that others may send, and no function of it is called back, nor has another process any of the memory.
#ifndef EMULATOR_PROGRAM_WAITS_H
#define EMULATOR_PROGRAM_WAITS_H

#include <stdint.h>

// 0: it may write. Otherwise another number after each time that it could.
uint64_t program_waits(void);

#endif
