// Plane k - 1 comes first, but plane k + 1 is read with each row instead of last.
#include "lab.h"

#include <hip/hip_runtime.h>

#define LOADS                                                                                      \
  LOWER BELOW FOR_ROWS { ADD_ROW(n) sum[n] += u[pos + slice + n * nx] * invhz2; }                  \
  ABOVE
#include "skeleton.h"
