// Changes nothing of lab 01's kernel, and launches one more that touches a single element.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BODY                                                                                       \
  for (int n = 0; n < TILE; n++) {                                                                 \
    const size_t at = pos + n * nx;                                                                \
    volatile const double *v = u;                                                                  \
    if (INTERIOR(n))                                                                               \
      f[at] = v[at] * centre + (v[at - 1] + v[at + 1]) * invhx2 +                                  \
              (v[at - nx] + v[at + nx]) * invhy2 + (v[at - slice] + v[at + slice]) * invhz2;       \
  }
#define AFTER_LAUNCH last<<<1, 1>>>(f)
static __global__ void last(double *f) { f[0] = f[0]; }
#include "skeleton.h"
