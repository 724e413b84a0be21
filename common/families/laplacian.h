// Input fields for the Laplacian and its host reference, one slice (plane of constant k) at a time,
// so that checking a 512^3 grid keeps megabytes on the host, not gigabytes.
//
// A slice is grid->slice doubles; padding elements get values too, so that reading one by mistake
// shows.
#ifndef LAPLACIAN_H
#define LAPLACIAN_H

#include "grid.h"

// The Laplacian of the quadratic field at every interior point.
#define QUADRATIC_LAPLACIAN 3.0

// Relative tolerance against QUADRATIC_LAPLACIAN, published with the field. Rounding of u itself
// comes on top; it stays below this unless a direction has tens of thousands of points.
#define QUADRATIC_TOLERANCE 3e-6

// u = 0.5 * (x (x - nx hx) + y (y - ny hy) + z (z - nz hz)) with x = i hx: AMD lab notes, Finite
// difference method - Laplacian part 1.
void field_quadratic_slice(const Grid *grid, int k, double *slice);

// Uniform in [-1, 1), a pure function of seed and position: any slice can be made again at any
// time.
void field_random_slice(const Grid *grid, uint64_t seed, int k, double *slice);

// expected(i, j) = seven-point Laplacian of the middle one of three adjacent slices, for interior i
// and j; other elements are left alone. Radius 1 only.
void field_laplacian_slice(const Grid *grid, const double *below, const double *middle,
                           const double *above, double *expected);

// The largest the seven terms' magnitudes can add up to when |u| <= 1: 4 (1/hx^2 + 1/hy^2 +
// 1/hz^2).
double field_laplacian_scale(const Grid *grid);

// Bound on |device - host| / field_laplacian_scale for two correct double-precision evaluations.
// Each rounds at most 4 times in the coefficients (1/(h h), their sum), once in a product and 6
// times in sums, in whatever order and with or without FMA: 11 roundings of 2^-53 each. Two
// evaluations: 22; 32 used, since the bound gamma_n = n u / (1 - n u) and rounded input spacings h
// need a little more. Source of the summation bound: Higham, Accuracy and Stability of Numerical
// Algorithms, ch. 3-4.
#define ROUNDING_TOLERANCE (32 * 0x1p-53)

#endif
