// A kernel launch: what to run, on what grid, with which arguments.
//
// In: the HIP call fills it. Out: dispatch, faults and reports read it.
#ifndef EMULATOR_LAUNCH_H
#define EMULATOR_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  const struct Kernel *kernel;
  uint32_t grid[3];           // workgroups in x, y, z
  uint32_t block[3];          // work-items of a workgroup in x, y, z
  uint32_t dynamic_lds_bytes; // the third launch parameter
  const void *kernarg; // filled segment of kernel->kernarg_size bytes in device-visible memory,
                       // explicit and hidden arguments
  bool cooperative;    // all workgroups must be resident at once
} Launch;

#endif
