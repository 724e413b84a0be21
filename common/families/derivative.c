// Test fields and host reference of the second derivatives. See derivative.h.
#include "derivative.h"

#include "random.h"
#include "single_precision.h"
#include "weights.h"

#include <math.h>

#define SINGLE_ROUNDING 0x1p-24

static const double ALL_WEIGHTS[MAX_RADIUS + 1][2 * MAX_RADIUS + 1] = {
    [1] = WEIGHTS(1), [2] = WEIGHTS(2), [3] = WEIGHTS(3), [4] = WEIGHTS(4)};

// Chebyshev polynomial T at t, and its second derivative, by the three-term recurrence.
static double chebyshev(int degree, double t, double *second_derivative) {
  double before = 1, value = t; // T of degree 0 and 1
  double slope_before = 0, slope = 1;
  double bend_before = 0, bend = 0;
  for (int n = 1; n < degree; n++) {
    const double next = 2 * t * value - before;
    const double next_slope = 2 * t * slope + 2 * value - slope_before;
    const double next_bend = 2 * t * bend + 4 * slope - bend_before;
    before = value, value = next;
    slope_before = slope, slope = next_slope;
    bend_before = bend, bend = next_bend;
  }
  *second_derivative = bend;
  return value;
}

// A third of T at point n of a side with spacing h, and of its second derivative along that side.
static double third(const Grid *g, size_t n, double h, double *second_derivative) {
  const double value = chebyshev(2 * g->radius + 1, 2 * (double)n * h - 1, second_derivative);
  *second_derivative *= 4 / 3.0; // t runs twice as fast as the coordinate
  return value / 3;
}

// Row j: what x contributes, which row 0 holds, and y and z.
static void add_to_row(const Grid *g, double *slice, int j, double along_z) {
  double unused;
  const double along_yz = along_z + third(g, (size_t)j, g->hy, &unused);
  for (size_t i = 0; i < g->ld; i++)
    slice[i + (size_t)j * g->ld] = slice[i] + along_yz;
}

void derivative_polynomial_slice(const Grid *g, uint64_t seed, int k, double *slice) {
  (void)seed;
  double unused;
  const double along_z = third(g, (size_t)k, g->hz, &unused);
  for (size_t i = 0; i < g->ld; i++)
    slice[i] = third(g, i, g->hx, &unused);
#pragma omp parallel for
  for (int j = 1; j < g->ny; j++) // row 0 holds what x contributes
    add_to_row(g, slice, j, along_z);
  add_to_row(g, slice, 0, along_z);
  single_round(slice, g->slice);
}

void derivative_polynomial_answer(const Grid *g, char axis, int k, double *slice) {
  for (size_t i = 0; i < g->ld; i++)
    third(g, i, g->hx, &slice[i]);
#pragma omp parallel for
  for (int j = axis == 'x'; j < g->ny; j++) { // row 0 holds what x contributes
    double bend;
    if (axis == 'y')
      third(g, (size_t)j, g->hy, &bend);
    else
      third(g, (size_t)k, g->hz, &bend);
    for (size_t i = 0; i < g->ld; i++)
      slice[i + (size_t)j * g->ld] = axis == 'x' ? slice[i] : bend;
  }
}

void derivative_random_slice(const Grid *g, uint64_t seed, int k, double *slice) {
  random_slice(g, seed, k, slice);
  single_round(slice, g->slice);
}

static double spacing(const Grid *g, char axis) {
  return axis == 'x' ? g->hx : axis == 'y' ? g->hy : g->hz;
}

void derivative_slice(const Grid *g, char axis, const double *const *u, double *expected) {
  const int radius = g->radius;
  const double *weights = ALL_WEIGHTS[radius], h = spacing(g, axis);
  const ptrdiff_t stride = axis == 'x' ? 1 : axis == 'y' ? (ptrdiff_t)g->ld : 0;
#pragma omp parallel for
  for (int j = radius; j < g->ny - radius; j++) {
    const size_t row = (size_t)j * g->ld;
    for (size_t n = row + (size_t)radius; n < row + (size_t)(g->nx - radius); n++) {
      double sum = 0;
      for (int r = -radius; r <= radius; r++) {
        const double *from = axis == 'z' ? u[radius + r] : u[radius] + r * stride;
        sum += from[n] * weights[radius + r];
      }
      expected[n] = sum / (h * h);
    }
  }
}

double derivative_scale(const Grid *g, char axis) {
  double sum = 0;
  for (int r = 0; r <= 2 * g->radius; r++)
    sum += fabs(ALL_WEIGHTS[g->radius][r]);
  return sum / (spacing(g, axis) * spacing(g, axis));
}

Verification derivative_tolerance(const Grid *g, char axis, int check) {
  const double scale = derivative_scale(g, axis), roundings = 2 * g->radius + 8;
  if (check == 1)
    return (Verification){
        .name = "random", .scale = scale, .tolerance = roundings * SINGLE_ROUNDING};
  return (Verification){
      .name = "polynomial", .scale = scale, .tolerance = (roundings + 1) * SINGLE_ROUNDING};
}

Traffic derivative_traffic(const Grid *g, char axis) {
  const double halo = 2 * g->radius;
  const double bytes = (double)grid_interior_points(g) * (double)g->element_bytes;
  const double length = (axis == 'x' ? g->nx : axis == 'y' ? g->ny : g->nz) - halo;
  return (Traffic){.fetch_bytes = bytes * (length + halo) / length, .write_bytes = bytes};
}
