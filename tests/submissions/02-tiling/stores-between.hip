// Computes and stores row by row. f might be u as far as the compiler knows, so behind each store
// it loads again what it had.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BODY                                                                                       \
  for (int n = 0; n < TILE; n++) {                                                                 \
    const size_t at = pos + n * nx;                                                                \
    if (INTERIOR(n))                                                                               \
      f[at] = u[at] * centre + (u[at - 1] + u[at + 1]) * invhx2 +                                  \
              (u[at - nx] + u[at + nx]) * invhy2 + (u[at - slice] + u[at + slice]) * invhz2;       \
  }
#include "skeleton.h"
