// Input and host reference of the seven-point Laplacian, one slice (plane of constant k) at a time.
//
// In:  a grid of radius 1. Out: slices of grid->slice doubles. Padding elements get values too, so
// that reading one by mistake shows. A Laplacian has no axis, and the known input no seed: they are
// there for family.h's sake.
#ifndef LAPLACIAN_H
#define LAPLACIAN_H

#include "bandwidth.h"
#include "grid.h"
#include "verify.h"

// The Laplacian of the quadratic field at every interior point.
#define QUADRATIC_LAPLACIAN 3.0

// Relative tolerance against QUADRATIC_LAPLACIAN, published with the field. Rounding of u itself
// comes on top; it stays below this unless a direction has tens of thousands of points.
#define QUADRATIC_TOLERANCE 3e-6

// u = 0.5 * (x (x - nx hx) + y (y - ny hy) + z (z - nz hz)) with x = i hx: AMD lab notes, Finite
// difference method - Laplacian part 1.
void laplacian_quadratic_slice(const Grid *grid, uint64_t seed, int k, double *slice);
void laplacian_quadratic_answer(const Grid *grid, char axis, int k, double *slice);

// expected(i, j) = seven-point Laplacian of u[1], the middle one of three adjacent slices, for
// interior i and j; other elements are left alone.
void laplacian_slice(const Grid *grid, char axis, const double *const *u, double *expected);

// The largest the seven terms' magnitudes can add up to when |u| <= 1: 4 (1/hx^2 + 1/hy^2 +
// 1/hz^2).
double laplacian_scale(const Grid *grid);

// Bound on |device - host| / laplacian_scale for two correct double-precision evaluations. Each
// rounds at most 4 times in the coefficients (1/(h h), their sum), once in a product and 6 times in
// sums, in whatever order and with or without FMA: 11 roundings of 2^-53 each. Two evaluations: 22;
// 32 used, since the bound gamma_n = n u / (1 - n u) and rounded input spacings h need a little
// more. Source of the summation bound: Higham, Accuracy and Stability of Numerical Algorithms, ch.
// 3-4.
#define ROUNDING_TOLERANCE (32 * 0x1p-53)

// Check 0: the quadratic field; 1: random input.
Verification laplacian_tolerance(const Grid *grid, char axis, int check);

// The figure of merit (bandwidth.h) that labs 01 to 05 aim for, one GCD of an MI250X, GB/s (10^9
// B/s). Source: AMD lab notes, Finite difference method - Laplacian part 1.
#define LAPLACIAN_TARGET_GBS 1165.0

// Each point of u that some interior point needs is fetched once (the 8 corners and 12 edges of the
// box are needed by none) and each interior point of f is written once, 8 bytes each.
// Source: AMD lab notes, Finite difference method - Laplacian part 1, theoretical fetch and write
// size.
Traffic laplacian_traffic(const Grid *grid, char axis);

#endif
