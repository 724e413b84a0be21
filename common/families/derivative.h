// Input fields for the second derivative along one axis and its host reference, one slice at a
// time.
//
// In:  a grid of radius 1 .. 4, an axis ('x', 'y' or 'z'). Out: slices of grid->slice doubles that
// are all exact in single precision's eyes: inputs are rounded to float. Padding elements get
// values too.
#ifndef DERIVATIVE_H
#define DERIVATIVE_H

#include "bandwidth.h"
#include "grid.h"
#include "verify.h"

// u = (T(x) + T(y) + T(z)) / 3 with T the Chebyshev polynomial of degree 2R + 1 over each side of
// the cube. Its second differences of order 2R have no truncation error, for that begins with the
// derivative 2R + 2. Of all polynomials that stay within [-1, 1] it has the largest derivatives, so
// that rounding hides least. It has no seed, which is there for family.h's sake.
void derivative_polynomial_slice(const Grid *grid, uint64_t seed, int k, double *slice);

// Its second derivative along the axis, exact but for rounding in double.
void derivative_polynomial_answer(const Grid *grid, char axis, int k, double *slice);

// Uniform in [-1, 1), a pure function of seed and position.
void derivative_random_slice(const Grid *grid, uint64_t seed, int k, double *slice);

// expected(i, j) = second derivative along the axis of the middle one of 2R + 1 adjacent slices,
// for interior i and j; other elements are left alone.
void derivative_slice(const Grid *grid, char axis, const double *const *u, double *expected);

// The largest the terms' magnitudes can add up to when |u| <= 1: sum of |w| / h^2.
double derivative_scale(const Grid *grid, char axis);

// Check 0: the polynomial; 1: random input, whose tolerance bounds |device - host| /
// derivative_scale for a correct evaluation in single precision. A term is rounded at most once in
// its weight, once in its product, 2R times in sums and, with the factor 1/h^2, five times (h, h h,
// its inverse, the argument, the product): 2R + 7 roundings of 2^-24 each. One more covers gamma_n
// = n u / (1 - n u) and the host's own rounding in double. Higham, Accuracy and Stability of
// Numerical Algorithms, ch. 3-4. Against the polynomial's answer the rounding of u itself to float
// comes on top, 2^-24 in each term.
Verification derivative_tolerance(const Grid *grid, char axis, int check);

// The cube of interior points and the halo at its two faces across the axis are fetched, the cube
// is written. At 512^3 and radius 4 that is 0.8 % more than one read and one write of the cube, by
// which AMD's Seismic stencil codes, part 2, counts.
Traffic derivative_traffic(const Grid *grid, char axis);

#endif
