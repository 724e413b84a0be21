// The launcher never comes back.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BEFORE_LAUNCH                                                                              \
  for (volatile int n = 0;; n++)                                                                   \
    ;
#include "skeleton.h"
