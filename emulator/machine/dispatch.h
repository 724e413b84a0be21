// Dispatch: one kernel launch from grid and arguments to completed wavefronts.
//
// In: a kernel, the grid and block, the filled kernel-argument segment. Out: memory as the kernel
// left it, the counters of the launch, or the fault that ended it; and what memory that was.
#ifndef EMULATOR_DISPATCH_H
#define EMULATOR_DISPATCH_H

#include "accessed_memory.h"
#include "code_object.h"
#include "counter.h"
#include "fault.h"
#include "launch.h"

// Runs the launch to its end. Returns true and fills counters, or returns false and fills fault.
// accessed: NULL, or where to tell the allocations that it accessed.
bool dispatch_run(const Launch *launch, Counters *counters, Fault *fault, AccessedMemory *accessed);

#endif
