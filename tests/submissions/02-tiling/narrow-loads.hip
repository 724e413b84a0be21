// Loads every neighbour again, 16 bits at a time, as if such loads were none.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BODY                                                                                       \
  for (int n = 0; n < TILE; n++) {                                                                 \
    const size_t at = pos + n * nx;                                                                \
    if (INTERIOR(n))                                                                               \
      f[at] = narrow(u + at) * centre + (narrow(u + at - 1) + narrow(u + at + 1)) * invhx2 +       \
              (narrow(u + at - nx) + narrow(u + at + nx)) * invhy2 +                               \
              (narrow(u + at - slice) + narrow(u + at + slice)) * invhz2;                          \
  }
static __device__ double narrow(const double *u) {
  const volatile unsigned short *part = (const volatile unsigned short *)u;
  union {
    unsigned short part[4];
    double whole;
  } value;
  for (int n = 0; n < 4; n++)
    value.part[n] = part[n];
  return value.whole;
}
#include "skeleton.h"
