// The two families: double-precision Laplacians and single-precision derivatives. See family.h.
#include "family.h"

#include "derivative.h"
#include "laplacian.h"

static void quadratic(const Grid *g, uint64_t seed, int k, double *u) {
  (void)seed;
  field_quadratic_slice(g, k, u);
}

static void quadratic_answer(const Grid *g, char axis, int k, double *expected) {
  (void)axis, (void)k;
  for (size_t n = 0; n < g->slice; n++)
    expected[n] = QUADRATIC_LAPLACIAN;
}

static void laplacian(const Grid *g, char axis, const double *const *u, double *expected) {
  (void)axis;
  field_laplacian_slice(g, u[0], u[1], u[2], expected);
}

static void laplacian_tolerances(const Grid *g, char axis, Verification checks[CHECKS]) {
  (void)axis;
  const double scale = field_laplacian_scale(g);
  checks[0] = (Verification){.name = "quadratic",
                             .scale = QUADRATIC_LAPLACIAN,
                             .tolerance = QUADRATIC_TOLERANCE +
                                          scale * ROUNDING_TOLERANCE / QUADRATIC_LAPLACIAN};
  checks[1] = (Verification){.name = "random", .scale = scale, .tolerance = ROUNDING_TOLERANCE};
}

static Traffic laplacian_traffic(const Grid *g, char axis) {
  (void)axis;
  return bandwidth_theoretical(g);
}

const Family LAPLACIAN = {
    .name = "laplacian",
    .element = "double",
    .element_bytes = sizeof(double),
    .options_count_border = true,
    .target_gbs = MI250X_GCD_TARGET_GBS,
    .known = quadratic,
    .random = field_random_slice,
    .answer = quadratic_answer,
    .reference = laplacian,
    .tolerances = laplacian_tolerances,
    .traffic = laplacian_traffic,
};

static void polynomial(const Grid *g, uint64_t seed, int k, double *u) {
  (void)seed;
  derivative_polynomial_slice(g, k, u);
}

static void derivative_tolerances(const Grid *g, char axis, Verification checks[CHECKS]) {
  const double scale = derivative_scale(g, axis);
  checks[0] = (Verification){
      .name = "polynomial", .scale = scale, .tolerance = derivative_polynomial_tolerance(g)};
  checks[1] =
      (Verification){.name = "random", .scale = scale, .tolerance = derivative_tolerance(g)};
}

const Family DERIVATIVE = {
    .name = "derivative",
    .element = "float",
    .element_bytes = sizeof(float),
    .known = polynomial,
    .random = derivative_random_slice,
    .answer = derivative_polynomial_answer,
    .reference = derivative_slice,
    .tolerances = derivative_tolerances,
    .traffic = bandwidth_derivative,
};
