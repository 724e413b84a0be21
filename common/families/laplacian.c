// The quadratic field and the host reference. See laplacian.h.
#include "laplacian.h"

void laplacian_quadratic_slice(const Grid *g, uint64_t seed, int k, double *slice) {
  (void)seed;
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

void laplacian_quadratic_answer(const Grid *g, char axis, int k, double *slice) {
  (void)axis, (void)k;
#pragma omp parallel for simd
  for (size_t n = 0; n < g->slice; n++)
    slice[n] = QUADRATIC_LAPLACIAN;
}

void laplacian_slice(const Grid *g, char axis, const double *const *u, double *expected) {
  (void)axis;
  const double *below = u[0], *middle = u[1], *above = u[2];
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

double laplacian_scale(const Grid *g) {
  return 4.0 * (1.0 / (g->hx * g->hx) + 1.0 / (g->hy * g->hy) + 1.0 / (g->hz * g->hz));
}

Verification laplacian_tolerance(const Grid *g, char axis, int check) {
  (void)axis;
  const double scale = laplacian_scale(g);
  if (check == 1)
    return (Verification){.name = "random", .scale = scale, .tolerance = ROUNDING_TOLERANCE};
  return (Verification){.name = "quadratic",
                        .scale = QUADRATIC_LAPLACIAN,
                        .tolerance =
                            QUADRATIC_TOLERANCE + scale * ROUNDING_TOLERANCE / QUADRATIC_LAPLACIAN};
}

Traffic laplacian_traffic(const Grid *g, char axis) {
  (void)axis;
  const double nx = g->nx, ny = g->ny, nz = g->nz;
  const double unused = 8 + 4 * (nx - 2) + 4 * (ny - 2) + 4 * (nz - 2);
  return (Traffic){
      .fetch_bytes = (nx * ny * nz - unused) * sizeof(double),
      .write_bytes = (nx - 2) * (ny - 2) * (nz - 2) * sizeof(double),
  };
}
