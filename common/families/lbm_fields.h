// What lab 08's launcher hands to its kernel: the arrays and the model's constants.
#ifndef LBM_FIELDS_H
#define LBM_FIELDS_H

#include "lbm.h"

// Device pointers, each to point (0, 0, 0) of its array, and where the other points are.
//
// Directions are named as on a map: e(ast) is +x, n(orth) is +y, t(op) is +z; w, s, b are opposite.
// Point (i, j, k) is element i + row * j + slice * k. g and f, but for g_rest, have two time
// levels, which begin current and next elements behind the pointer. A halo one point thick
// surrounds the points.
typedef struct LbmFields {
  union {
    struct {
      double *g_rest, *g_e, *g_w, *g_n, *g_s, *g_t, *g_b, *g_tn, *g_bs, *g_bn, *g_ts, *g_te, *g_bw,
          *g_be, *g_tw, *g_ne, *g_sw, *g_se, *g_nw;
      double *f_rest, *f_e, *f_w, *f_n, *f_s, *f_t, *f_b;
      double *phi, *laplacian_phi, *grad_phi_x, *grad_phi_y, *grad_phi_z;
    };
    double *array[LBM_ARRAYS]; // the same
  };
  int nx, ny, nz, row, slice, current, next;
} LbmFields;

// The model's constants, as the kernel needs them.
typedef struct LbmConstants {
  double kappa, alpha, phi_star_squared, mobility;
  double rate_f, keep_f;             // 1 / tau_f and 1 - 1 / tau_f
  double advection;                  // C / 3
  double keep_g;                     // 1 - 1 / tau_g
  double w_rest, w_axis, w_diagonal; // weight / tau_g
  double s_rest, s_axis, s_diagonal; // 3 (1 - 1 / (2 tau_g)) weight
} LbmConstants;

#endif
