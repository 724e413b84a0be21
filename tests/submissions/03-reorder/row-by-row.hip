// Ascending in each row, but row by row through all planes.
#include "lab.h"

#include <hip/hip_runtime.h>

#define LOADS                                                                                      \
  BELOW FOR_ROWS {                                                                                 \
    sum[n] += u[pos - slice + n * nx] * invhz2;                                                    \
    ADD_ROW(n) sum[n] += u[pos + slice + n * nx] * invhz2;                                         \
  }                                                                                                \
  ABOVE
#include "skeleton.h"
