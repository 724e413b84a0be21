// Test fields and the host reference. See laplacian.h.
#include "laplacian.h"

#include "random.h"

void field_quadratic_slice(const Grid *g, int k, double *slice) {
  const double z = k * g->hz, z_term = z * (z - g->nz * g->hz);
#pragma omp parallel for
  for (int j = 0; j < g->ny; j++) {
    const double y = j * g->hy, y_term = y * (y - g->ny * g->hy);
    for (size_t i = 0; i < g->ld; i++) {
      const double x = (double)i * g->hx;
      slice[i + (size_t)j * g->ld] = 0.5 * (x * (x - g->nx * g->hx) + y_term + z_term);
    }
  }
}

void field_random_slice(const Grid *g, uint64_t seed, int k, double *slice) {
  const uint64_t first = splitmix64(seed) + (uint64_t)k * g->slice;
#pragma omp parallel for
  for (size_t n = 0; n < g->slice; n++)
    slice[n] = random_at(first, n);
}

void field_laplacian_slice(const Grid *g, const double *below, const double *middle,
                           const double *above, double *expected) {
  const double invhx2 = 1.0 / (g->hx * g->hx);
  const double invhy2 = 1.0 / (g->hy * g->hy);
  const double invhz2 = 1.0 / (g->hz * g->hz);
  const double centre = -2.0 * (invhx2 + invhy2 + invhz2);
#pragma omp parallel for
  for (int j = 1; j < g->ny - 1; j++) {
    const size_t row = (size_t)j * g->ld;
    for (size_t n = row + 1; n < row + (size_t)g->nx - 1; n++)
      expected[n] = middle[n] * centre + (middle[n - 1] + middle[n + 1]) * invhx2 +
                    (middle[n - g->ld] + middle[n + g->ld]) * invhy2 +
                    (below[n] + above[n]) * invhz2;
  }
}

double field_laplacian_scale(const Grid *g) {
  return 4.0 * (1.0 / (g->hx * g->hx) + 1.0 / (g->hy * g->hy) + 1.0 / (g->hz * g->hz));
}
