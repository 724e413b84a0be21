// Random fields. See random.h.
#include "random.h"

void random_slice(const Grid *g, uint64_t seed, int k, double *slice) {
  const RandomKeys keys = random_keys(seed);
  const uint64_t first = (uint64_t)k * g->slice;
#pragma omp parallel for
  for (size_t n = 0; n < g->slice; n++)
    slice[n] = random_at(keys, first + n);
}
