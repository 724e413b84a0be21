// The launcher asks for more memory than it may have, until there is none.
#include "lab.h"

#include <hip/hip_runtime.h>
#include <stdlib.h>
#define BEFORE_LAUNCH                                                                              \
  for (;;)                                                                                         \
  ((volatile char *)malloc(1 << 28))[0] = 1
#include "skeleton.h"
