// Random fields. See random.h.
#include "random.h"

void random_slice(const Grid *g, uint64_t seed, int k, double *slice) {
  const uint64_t first = splitmix64(seed) + (uint64_t)k * g->slice;
#pragma omp parallel for
  for (size_t n = 0; n < g->slice; n++)
    slice[n] = random_at(first, n);
}
