// Launches that do again what one before them did. Programs that measure launch a kernel a hundred times on the same
// data; a device needs milliseconds for that, the emulated one minutes. What a kernel does follows from its arguments
// and from the memory that it accesses. So where a launch has the arguments of an earlier one and finds all of that
// memory, byte for byte, as that one found it, then it is not executed: what the earlier one left is put there.
// Memory that the host program may write, too (managed, pinned), is taken into it only while the program waits.
//
// In: launches in the order in which the device executes them, one at a time. Out: as of dispatch.h, and how long the
// kernel was executed. EMULATOR_REUSE=0 executes every launch.
#ifndef EMULATOR_REPEATED_LAUNCH_H
#define EMULATOR_REPEATED_LAUNCH_H

#include "dispatch.h"

// As dispatch_run. *host_ms: how long the host took for it, or for the earlier launch whose results these are.
bool repeated_launch_run(const Launch *launch, Counters *counters, Fault *fault, double *host_ms);

#endif
