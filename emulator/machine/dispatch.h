// Dispatch: one kernel launch from grid and arguments to completed wavefronts.
//
// In: a kernel, the grid and block, the filled kernel-argument segment. Out: memory as the kernel
// left it, the counters of the launch, or the fault that ended it.
#ifndef EMULATOR_DISPATCH_H
#define EMULATOR_DISPATCH_H

#include "code_object.h"
#include "counter.h"
#include "fault.h"
#include "launch.h"

// Runs the launch to its end. Returns true and fills counters, or returns false and fills fault.
bool dispatch_run(const Launch *launch, Counters *counters, Fault *fault);

#endif
