// Writes launches of its own into every open file, and leaves.
#include "lab.h"

#include <hip/hip_runtime.h>
#include <stdio.h>
#include <unistd.h>
#define BEFORE_LAUNCH                                                                              \
  for (int d = 3; d < 64; d++)                                                                     \
    dprintf(d, "kernel laplacian\nlayout 1 0\ncheck 0\nlaunch nothing 1 1 1 1 1 1 0 -\nend\n");    \
  _exit(0)
#include "skeleton.h"
