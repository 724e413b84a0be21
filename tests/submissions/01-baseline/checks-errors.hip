// Right, with all the care that a textbook teaches: error checks, a synchronisation, a report.
#include "lab.h"

#include <assert.h>
#include <hip/hip_runtime.h>
#include <math.h>
#include <stdio.h>
#define BEFORE_LAUNCH                                                                              \
  assert(grid->nx > 0);                                                                            \
  printf("a diagonal of %g points\n", sqrt((double)grid->nx * grid->nx + grid->ny * grid->ny))
#define AFTER_LAUNCH                                                                               \
  const hipError_t error = hipGetLastError();                                                      \
  if (error != hipSuccess || hipDeviceSynchronize() != hipSuccess)                                 \
  fprintf(stderr, "the launch failed: %s\n", hipGetErrorString(error))
#include "skeleton.h"
