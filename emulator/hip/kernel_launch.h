// Kernel launches: validation, the kernel-argument segment, and what happens after a fault.
//
// In: a kernel, grid, block, arguments, from any of the HIP launch calls. Out: the completed launch
// and its counters, an error code with a sentence, or a fault that later calls report.
#ifndef EMULATOR_KERNEL_LAUNCH_H
#define EMULATOR_KERNEL_LAUNCH_H

#include "launch.h"
#include "queue.h"

#include <hip/hip_runtime_api.h>

// Checks what was asked for and plans the launch.
hipError_t launch_validate(Launch *launch);
// Allocates and fills the arguments, which the caller frees, on failure too.
hipError_t launch_gather(Launch *launch, void **parameters, void **extra);
// Puts it into the device's queue, which takes the arguments.
hipError_t launch_submit(Launch *launch, QueueStream stream);

// Before the first of so many cooperative launches that wait for each other, into the first of them: what they share. And
// after so many have ended, or have failed to begin.
hipError_t launch_together_begin(Launch *launch, uint32_t grids);
void launch_together_end(const Launch *launch, uint32_t grids);

// So far, ms: what modelled launches took, and what the host did not take because launches did again what others had done.
typedef struct {
  double modelled_ms, spared_ms;
} LaunchTimes;
LaunchTimes launch_times(void);

#endif
