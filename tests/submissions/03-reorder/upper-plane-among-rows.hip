// Plane k - 1 comes first, but plane k + 1 is read with each row instead of last.
#define LOADS                                                                                      \
  LOWER BELOW FOR_ROWS { ADD_ROW(n) sum[n] += u[pos + slice + n * nx] * invhz2; }                  \
  ABOVE
#include "skeleton.h"
