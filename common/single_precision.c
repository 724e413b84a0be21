// Single precision on the device, double on the host. See single_precision.h.
#include "single_precision.h"

#include "verify.h"

#include <string.h>

void single_from_double(float *to, const double *from, size_t count) {
#pragma omp parallel for simd
  for (size_t n = 0; n < count; n++)
    to[n] = (float)from[n];
}

void single_to_double(double *to, const float *from, size_t count) {
  double poison;
  memset(&poison, POISON_BYTE, sizeof poison);
#pragma omp parallel for
  for (size_t n = 0; n < count; n++) {
    uint32_t bits;
    memcpy(&bits, &from[n], sizeof bits);
    to[n] = bits == UINT32_MAX ? poison : (double)from[n]; // a conversion would change the bits
  }
}

void single_round(double *slice, size_t count) {
#pragma omp parallel for simd
  for (size_t n = 0; n < count; n++)
    slice[n] = (double)(float)slice[n];
}
