// The weights of the central second derivative, for host and device alike.
//
// In:  radius R = 1 .. 4, a literal number or a macro that is one. Out: WEIGHTS(R), the
// initializer of an array of 2R + 1 weights: u'' = (w[0] u[-R] + ... + w[2R] u[R]) / h^2, of order
// 2R.
//
// Source: B. Fornberg, Generation of finite difference formulas on arbitrarily spaced grids,
// Mathematics of Computation 51 (1988), table 1. tests/common/test_derivative.c derives them anew.
#ifndef WEIGHTS_H
#define WEIGHTS_H

#define MAX_RADIUS 4

#define WEIGHTS_1                                                                                  \
  { 1, -2, 1 }
#define WEIGHTS_2                                                                                  \
  { -1. / 12, 4. / 3, -5. / 2, 4. / 3, -1. / 12 }
#define WEIGHTS_3                                                                                  \
  { 1. / 90, -3. / 20, 3. / 2, -49. / 18, 3. / 2, -3. / 20, 1. / 90 }
#define WEIGHTS_4                                                                                  \
  { -1. / 560, 8. / 315, -1. / 5, 8. / 5, -205. / 72, 8. / 5, -1. / 5, 8. / 315, -1. / 560 }

#define WEIGHTS_OF(radius) WEIGHTS_##radius
#define WEIGHTS(radius) WEIGHTS_OF(radius)

#endif
