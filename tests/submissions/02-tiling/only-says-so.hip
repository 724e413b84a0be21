// Computes a row a thread, as lab 01 does, and says that it were TILE rows.
#include "lab.h"

#include <hip/hip_runtime.h>

#define FIRST_ROW (threadIdx.y + blockIdx.y * blockDim.y)
#define BLOCKS_Y (grid->ny / block.y)
#define BODY                                                                                       \
  if (INTERIOR(0))                                                                                 \
  f[pos] = u[pos] * centre + (u[pos - 1] + u[pos + 1]) * invhx2 +                                  \
           (u[pos - nx] + u[pos + nx]) * invhy2 + (u[pos - slice] + u[pos + slice]) * invhz2
#include "skeleton.h"
