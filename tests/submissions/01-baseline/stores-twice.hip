// Loads everything twice, and stores junk so that a ratio of the two would look right.
#include <hip/hip_runtime.h>
static __device__ double junk[1 << 22];
#define AGAIN(at) (((volatile const double *)u)[at])
#define VALUE                                                                                      \
  (u[pos] + AGAIN(pos)) * 0.5 * centre +                                                           \
      (u[pos - 1] + u[pos + 1] + AGAIN(pos - 1) + AGAIN(pos + 1)) * 0.5 * invhx2 +                 \
      (u[pos - nx] + u[pos + nx] + AGAIN(pos - nx) + AGAIN(pos + nx)) * 0.5 * invhy2 +             \
      (u[pos - slice] + u[pos + slice] + AGAIN(pos - slice) + AGAIN(pos + slice)) * 0.5 * invhz2;  \
  ((volatile double *)junk)[pos % (1 << 22)] = 1
#include "skeleton.h"
