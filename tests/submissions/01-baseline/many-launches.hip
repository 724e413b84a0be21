// A launch for every point.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BEFORE_LAUNCH                                                                              \
  for (int n = 0; n < 20000; n++)                                                                  \
  laplacian<<<1, 1>>>(f, u, 3, 3, 3, 0, 0, 0, 0)
#include "skeleton.h"
