// Hands the kernel a pointer into the host's memory.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BEFORE_LAUNCH                                                                              \
  static double mine[1000000];                                                                     \
  u = mine
#include "skeleton.h"
