// Second derivatives in single precision: the weights, the polynomial that they differentiate
// exactly, the host reference, the window of slices, and poison that survives single precision.
#include "derivative.h"
#include "single_precision.h"
#include "sliding.h"
#include "verify.h"
#include "weights.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char AXES[] = "xyz";

static Grid make(int nx, int ny, int nz, int radius) {
  char error[256];
  Grid grid;
  cr_assert(grid_make(&grid, nx, ny, nz, radius, sizeof(float), error, sizeof error), "%s", error);
  cr_assert(grid_lay_out(&grid, (size_t)nx + 3, 5, error, sizeof error));
  return grid;
}

static double *make_slice(const Grid *g) {
  double *slice = calloc(g->slice, sizeof *slice);
  cr_assert(slice);
  return slice;
}

// All slices of a field, one behind the other.
static double *make_field(const Grid *g, SliceMaker *fill) {
  double *u = malloc(g->slice * (size_t)g->nz * sizeof *u);
  cr_assert(u);
  for (int k = 0; k < g->nz; k++)
    fill(g, 3, k, u + (size_t)k * g->slice);
  return u;
}

// Order 2R: the weighted sum of r^p is 0 for all p up to 2R + 1 but p = 2, where it is 2.
Test(weights, differentiate_all_powers_up_to_the_order) {
  static const double weights[][2 * MAX_RADIUS + 1] = {WEIGHTS(1), WEIGHTS(2), WEIGHTS(3),
                                                       WEIGHTS(4)};
  for (int radius = 1; radius <= MAX_RADIUS; radius++)
    for (int power = 0; power <= 2 * radius + 2; power++) {
      double sum = 0;
      for (int r = -radius; r <= radius; r++)
        sum += weights[radius - 1][radius + r] * pow(r, power);
      const bool exact = power <= 2 * radius + 1;
      cr_assert_eq(fabs(sum - (power == 2 ? 2 : 0)) < 1e-10, exact, "radius %d, power %d: %g",
                   radius, power, sum);
    }
}

// The analytic answer and the reference know nothing of each other.
Test(derivative, reference_gives_the_polynomials_second_derivative) {
  for (int radius = 1; radius <= MAX_RADIUS; radius++) {
    const Grid g = make(23, 19, 29, radius);
    double *u = make_field(&g, derivative_polynomial_slice), *expected = make_slice(&g),
           *got = make_slice(&g);
    for (const char *axis = AXES; *axis; axis++)
      for (int k = radius; k < g.nz - radius; k++) {
        const double *slices[2 * MAX_RADIUS + 1];
        for (int r = 0; r <= 2 * radius; r++)
          slices[r] = u + (size_t)(k - radius + r) * g.slice;
        derivative_slice(&g, *axis, slices, got);
        derivative_polynomial_answer(&g, *axis, k, expected);
        const double limit = derivative_scale(&g, *axis) * 0x1p-24; // of u, rounded to float
        for (int j = radius; j < g.ny - radius; j++)
          for (int i = radius; i < g.nx - radius; i++) {
            const size_t n = (size_t)i + (size_t)j * g.ld;
            cr_assert_float_eq(got[n], expected[n], limit, "R = %d, along %c, (%d, %d, %d)", radius,
                               *axis, i, j, k);
          }
      }
    free(u), free(expected), free(got);
  }
}

// The check is worth something only if the answer is large against what it tolerates.
Test(derivative, polynomial_is_bounded_and_bends_far_more_than_the_tolerance) {
  const Grid g = make(520, 9, 9, 4);
  double *u = make_slice(&g), *bend = make_slice(&g);
  derivative_polynomial_slice(&g, 0, 4, u);
  derivative_polynomial_answer(&g, 'x', 4, bend);
  double mean = 0;
  for (int i = 0; i < g.nx; i++) {
    const size_t n = (size_t)i + 4 * g.ld;
    cr_assert(fabs(u[n]) <= 1.000001, "u = %g", u[n]);
    mean += fabs(bend[n]) / g.nx;
  }
  cr_assert_gt(mean, 50 * derivative_scale(&g, 'x') * derivative_tolerance(&g, 'x', 0).tolerance);
  free(u), free(bend);
}

// As a device computes it: weights, sums and factor in float, in the order of the points.
static float in_single(const float *first, ptrdiff_t stride, int radius, double h) {
  static const float weights[][2 * MAX_RADIUS + 1] = {WEIGHTS(1), WEIGHTS(2), WEIGHTS(3),
                                                      WEIGHTS(4)};
  float sum = 0;
  for (int r = 0; r <= 2 * radius; r++)
    sum += first[r * stride] * weights[radius - 1][r];
  return sum * (float)(1 / (h * h));
}

Test(derivative, single_precision_stays_within_the_tolerance) {
  for (int radius = 1; radius <= MAX_RADIUS; radius++) {
    const Grid g = make(301, 2 * radius + 1, 2 * radius + 1, radius);
    double *u = make_slice(&g), *expected = make_slice(&g);
    float *single = malloc(g.slice * sizeof *single);
    derivative_random_slice(&g, 7, radius, u);
    const double *slices[2 * MAX_RADIUS + 1];
    slices[radius] = u;
    derivative_slice(&g, 'x', slices, expected);
    single_from_double(single, u, g.slice);
    double largest = 0;
    for (int i = radius; i < g.nx - radius; i++) {
      const size_t n = (size_t)i + (size_t)radius * g.ld;
      const double got = (double)in_single(single + n - radius, 1, radius, g.hx);
      largest = fmax(largest, fabs(got - expected[n]) / derivative_scale(&g, 'x'));
    }
    cr_assert_lt(largest, derivative_tolerance(&g, 'x', 1).tolerance);
    cr_assert_gt(largest, 0);
    free(u), free(expected), free(single);
  }
}

Test(sliding, window_holds_every_slice_and_its_neighbours_in_turn) {
  const Grid g = make(11, 13, 17, 2);
  double *u = make_field(&g, derivative_random_slice);
  SlidingWindow w;
  cr_assert(sliding_prime(&w, &g, derivative_random_slice, 3));
  int seen = 0;
  for (int k = 2; k < g.nz - 2; k++, sliding_shift(&w), seen++) {
    sliding_load(&w);
    for (int r = 0; r < 5; r++)
      cr_assert_eq(memcmp(w.slice[r], u + (size_t)(k - 2 + r) * g.slice, g.slice * sizeof *u), 0,
                   "slice %d of the window at k = %d", r, k);
  }
  cr_assert_eq(seen, 13);
  sliding_free(&w);
  free(u);
}

Test(single, poison_survives_and_nothing_else_becomes_it) {
  float single[5];
  double back[5];
  memset(single, POISON_BYTE, sizeof single);
  single[1] = NAN;
  single[2] = -0.75f;
  single[3] = INFINITY;
  single_to_double(back, single, 5);
  double poison;
  memset(&poison, POISON_BYTE, sizeof poison);
  const bool is_poison[] = {true, false, false, false, true};
  for (int n = 0; n < 5; n++)
    cr_assert_eq(memcmp(&back[n], &poison, sizeof poison) == 0, is_poison[n], "element %d", n);
  cr_assert(isnan(back[1]) && back[2] == -0.75 && isinf(back[3]));
}

Test(single, random_input_is_what_a_float_holds) {
  const Grid g = make(33, 9, 9, 4);
  double *u = make_slice(&g);
  derivative_random_slice(&g, 1, 0, u);
  for (size_t n = 0; n < g.slice; n++)
    cr_assert_eq(u[n], (double)(float)u[n]);
  free(u);
}
