// Returns before it launches.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BEFORE_LAUNCH                                                                              \
  if (grid)                                                                                        \
  return
#include "skeleton.h"
