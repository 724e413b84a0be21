// Launches on managed memory that the program never waits for. It reads such memory by plain pointers, which nothing holds up: a
// missing hipDeviceSynchronize() shows as wrong results, of a kernel that a device would have finished in time by luck.
//
// In: launches as they are queued, and the calls with which a program gives up its memory. Out: a note, once, if it has neither waited
// for such a launch nor asked about it since.
#ifndef EMULATOR_UNAWAITED_H
#define EMULATOR_UNAWAITED_H

#include "code_object.h"
#include "launch.h"

#include <stdbool.h>
#include <stdint.h>

// Callers hold the lock of calls.
// Whether the kernel may use managed memory: a pointer to it is among the arguments, in structures, too, or its code object has a variable
// there.
bool unawaited_concerns(const Launch *launch, uint32_t argument_bytes);

// Such a launch was queued as the work of that number.
void unawaited_note(const Kernel *kernel, uint64_t number);

// what: the program does now, for people: the name of a call.
void unawaited_tell(const char *what);

#endif
