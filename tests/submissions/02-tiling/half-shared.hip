// Keeps the row below, but loads the row above twice: as the neighbour, then as the centre.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BODY                                                                                       \
  double below = u[pos - nx];                                                                      \
  for (int n = 0; n < TILE; n++) {                                                                 \
    const size_t at = pos + n * nx;                                                                \
    const double here = u[at];                                                                     \
    if (INTERIOR(n))                                                                               \
      f[at] = here * centre + (u[at - 1] + u[at + 1]) * invhx2 + (below + u[at + nx]) * invhy2 +   \
              (u[at - slice] + u[at + slice]) * invhz2;                                            \
    below = here;                                                                                  \
  }
#include "skeleton.h"
