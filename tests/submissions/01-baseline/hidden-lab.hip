// The Lab is hidden in a namespace, where the harness cannot see it.
#include "lab.h"

#include <hip/hip_runtime.h>

#define LAB                                                                                        \
  namespace mine {                                                                                 \
  const Lab lab =
#define LAB_END }
#include "skeleton.h"
