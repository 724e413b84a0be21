// Writes into every open file what is no list.
#include "lab.h"

#include <hip/hip_runtime.h>
#include <stdio.h>
#include <unistd.h>
#define BEFORE_LAUNCH                                                                              \
  for (int d = 3; d < 64; d++)                                                                     \
    dprintf(d, "launch _Z9laplacianPdPKdiiidddd 1 1 1 1 1 1 0 00zz\n%%s%%n\n");                    \
  _exit(0)
#include "skeleton.h"
