// Right, but the centre is loaded twice: eight loads for a store, a part of the points.
#include "lab.h"

#include <hip/hip_runtime.h>

#define VALUE                                                                                      \
  *(volatile const double *)&u[pos] * (0.5 * centre) +                                             \
      *(volatile const double *)&u[pos] * (0.5 * centre) + (u[pos - 1] + u[pos + 1]) * invhx2 +    \
      (u[pos - nx] + u[pos + nx]) * invhy2 + (u[pos - slice] + u[pos + slice]) * invhz2
#include "skeleton.h"
