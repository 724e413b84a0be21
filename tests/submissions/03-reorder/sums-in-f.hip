// Adds up in f, plane by plane: in order, but f travels three times.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BODY                                                                                       \
  FOR_ROWS if (INTERIOR(n)) f[pos + n * nx] = u[pos - slice + n * nx] * invhz2;                    \
  double sum[TILE] = {0};                                                                          \
  BELOW MIDDLE ABOVE FOR_ROWS if (INTERIOR(n)) f[pos + n * nx] += sum[n];                          \
  FOR_ROWS if (INTERIOR(n)) f[pos + n * nx] += u[pos + slice + n * nx] * invhz2
#include "skeleton.h"
