// A right lab 08 program with places to go wrong. A submission defines some of the macros, then
// includes this:
//
// SQUARE: of the order parameter
// EARLY, LATE: statements before and after the velocities
// RESTRICT: of all pointers                   BOUNDS: what the compiler is told of the block
// OUTSIDE: threads that return                NEXT: begin of the level that is written
// LAPLACIAN_TERM: of the chemical potential   SOURCE: of the force
// REAL: type of the density                   F_S, G_REST: statements that assign these populations
// TN_STEP: where g_tn and g_bs stream         AFTER: a statement at the end
// MORE_PARAMETERS, MORE_ARGUMENTS: at the end of the kernel's list
// AFTER_LAUNCH: a statement in the launcher    NAME, FUNCTION: what the Lab says of the kernel
//
// After AMD lab notes, Register pressure in AMD CDNA2 GPUs (MIT license, see NOTICE).
#include "lab.h"
#include "lbm_fields.h"

#include <hip/hip_runtime.h>

#define ASSIGN_F_REST f_rest[here] = rate_f * (order - 3.0 * mobility * mu) + keep_f * f_rest[here]
#ifndef SQUARE
#define SQUARE order *order
#endif
#ifndef EARLY
#define EARLY ASSIGN_F_REST
#define LATE
#endif
#ifndef RESTRICT
#define RESTRICT __restrict__
#endif
#ifndef BOUNDS
#define BOUNDS
#endif
#ifndef AFTER_LAUNCH
#define AFTER_LAUNCH
#endif
#ifndef NAME
#define NAME "collide_and_stream"
#define FUNCTION collide_and_stream
#endif
#ifndef OUTSIDE
#define OUTSIDE i >= nx || j >= ny || k >= nz
#endif
#ifndef NEXT
#define NEXT next
#endif
#ifndef LAPLACIAN_TERM
#define LAPLACIAN_TERM kappa *laplacian_phi[at]
#endif
#ifndef SOURCE
#define SOURCE u *force - power
#endif
#ifndef REAL
#define REAL const double
#endif
#ifndef F_S
#define F_S f_s[here] = keep_f * f_s[here] + spread - drift * uy
#endif
#ifndef G_REST
#define G_REST                                                                                     \
  g_rest[at] = keep_g * g_rest[at] + w_rest * (rho - 6.0 * tension - rho * kinetic) - s_rest * power
#endif
#ifndef TN_STEP
#define TN_STEP row + slice
#endif
#ifndef AFTER
#define AFTER
#endif
#ifndef MORE_PARAMETERS
#define MORE_PARAMETERS
#endif
#ifndef MORE_ARGUMENTS
#define MORE_ARGUMENTS
#endif

// Collides and streams one pair of opposite directions. u (times 3, see below) and force are taken
// along the direction; even and odd are the parts of equilibrium and source that the two have in
// common and with opposite signs.
static __device__ void stream_pair(double *ahead, double *behind, int here, int there, int step,
                                   double u, double force, double weight, double force_weight,
                                   double keep, double pressure, double density, double kinetic,
                                   double power) {
  const double even =
      weight * (pressure + density * (0.5 * u * u - kinetic)) + force_weight * (SOURCE);
  const double odd = weight * density * u + force_weight * force;
  ahead[there + step] = keep * ahead[here] + even + odd;
  behind[there - step] = keep * behind[here] + even - odd;
}

// common/families/lbm_fields.h explains the arguments.
__global__ BOUNDS void collide_and_stream(
    double *RESTRICT g_rest, double *RESTRICT g_e, double *RESTRICT g_w, double *RESTRICT g_n,
    double *RESTRICT g_s, double *RESTRICT g_t, double *RESTRICT g_b, double *RESTRICT g_tn,
    double *RESTRICT g_bs, double *RESTRICT g_bn, double *RESTRICT g_ts, double *RESTRICT g_te,
    double *RESTRICT g_bw, double *RESTRICT g_be, double *RESTRICT g_tw, double *RESTRICT g_ne,
    double *RESTRICT g_sw, double *RESTRICT g_se, double *RESTRICT g_nw, double *RESTRICT f_rest,
    double *RESTRICT f_e, double *RESTRICT f_w, double *RESTRICT f_n, double *RESTRICT f_s,
    double *RESTRICT f_t, double *RESTRICT f_b, double *RESTRICT phi,
    double *RESTRICT laplacian_phi, double *RESTRICT grad_phi_x, double *RESTRICT grad_phi_y,
    double *RESTRICT grad_phi_z, int nx, int ny, int nz, int row, int slice, int current, int next,
    double kappa, double alpha, double phi_star_squared, double mobility, double rate_f,
    double keep_f, double advection, double keep_g, double w_rest, double w_axis, double w_diagonal,
    double s_rest, double s_axis, double s_diagonal MORE_PARAMETERS) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = threadIdx.y + blockIdx.y * blockDim.y;
  const int k = threadIdx.z + blockIdx.z * blockDim.z;
  if (OUTSIDE)
    return;
  const int at = i + row * j + slice * k;
  const int here = at + current, there = at + NEXT;

  REAL rho = g_rest[at] + g_e[here] + g_w[here] + g_n[here] + g_s[here] + g_t[here] + g_b[here] +
             g_tn[here] + g_bs[here] + g_bn[here] + g_ts[here] + g_te[here] + g_bw[here] +
             g_be[here] + g_tw[here] + g_ne[here] + g_sw[here] + g_se[here] + g_nw[here];
  const double order = phi[at];
  const double order_squared = SQUARE;
  const double mu = alpha * order * (order_squared - phi_star_squared) - LAPLACIAN_TERM;
  EARLY;

  const double fx = mu * grad_phi_x[at], fy = mu * grad_phi_y[at], fz = mu * grad_phi_z[at];
  // From here on u is three times the velocity: the equilibrium has fewer factors so.
  const double ux = (0.5 * fx + g_e[here] - g_w[here] + g_te[here] - g_bw[here] + g_be[here] -
                     g_tw[here] + g_ne[here] - g_sw[here] + g_se[here] - g_nw[here]) *
                    3.0 / rho;
  const double uy = (0.5 * fy + g_n[here] - g_s[here] + g_tn[here] - g_bs[here] + g_bn[here] -
                     g_ts[here] + g_ne[here] - g_sw[here] - g_se[here] + g_nw[here]) *
                    3.0 / rho;
  const double uz = (0.5 * fz + g_t[here] - g_b[here] + g_tn[here] - g_bs[here] - g_bn[here] +
                     g_ts[here] + g_te[here] - g_bw[here] - g_be[here] + g_tw[here]) *
                    3.0 / rho;

  const double spread = 0.5 * mobility * mu * rate_f;
  const double drift = rate_f * advection * order;
  LATE;
  f_e[here] = keep_f * f_e[here] + spread + drift * ux;
  f_w[here] = keep_f * f_w[here] + spread - drift * ux;
  f_n[here] = keep_f * f_n[here] + spread + drift * uy;
  F_S;
  f_t[here] = keep_f * f_t[here] + spread + drift * uz;
  f_b[here] = keep_f * f_b[here] + spread - drift * uz;

  const double tension = order * mu;
  const double pressure = rho + 3.0 * tension;
  const double power = (ux * fx + uy * fy + uz * fz) * (1.0 / 3.0);
  const double kinetic = (ux * ux + uy * uy + uz * uz) * (0.5 / 3.0);
  G_REST;

#define STREAM(ahead, behind, step, u, force, kind)                                                \
  stream_pair(ahead, behind, here, there, step, u, force, w_##kind, s_##kind, keep_g, pressure,    \
              rho, kinetic, power)
  STREAM(g_e, g_w, 1, ux, fx, axis);
  STREAM(g_n, g_s, row, uy, fy, axis);
  STREAM(g_t, g_b, slice, uz, fz, axis);
  STREAM(g_tn, g_bs, TN_STEP, uy + uz, fy + fz, diagonal);
  STREAM(g_bn, g_ts, row - slice, uy - uz, fy - fz, diagonal);
  STREAM(g_te, g_bw, 1 + slice, ux + uz, fx + fz, diagonal);
  STREAM(g_be, g_tw, 1 - slice, ux - uz, fx - fz, diagonal);
  STREAM(g_ne, g_sw, 1 + row, ux + uy, fx + fy, diagonal);
  STREAM(g_se, g_nw, 1 - row, ux - uy, fx - fy, diagonal);
#undef STREAM
  AFTER;
}

static void launch(const LbmFields *a, const LbmConstants *c, dim3 block) {
  const dim3 blocks((a->nx + block.x - 1) / block.x, (a->ny + block.y - 1) / block.y,
                    (a->nz + block.z - 1) / block.z);
  collide_and_stream<<<blocks, block>>>(
      a->g_rest, a->g_e, a->g_w, a->g_n, a->g_s, a->g_t, a->g_b, a->g_tn, a->g_bs, a->g_bn, a->g_ts,
      a->g_te, a->g_bw, a->g_be, a->g_tw, a->g_ne, a->g_sw, a->g_se, a->g_nw, a->f_rest, a->f_e,
      a->f_w, a->f_n, a->f_s, a->f_t, a->f_b, a->phi, a->laplacian_phi, a->grad_phi_x,
      a->grad_phi_y, a->grad_phi_z, a->nx, a->ny, a->nz, a->row, a->slice, a->current, a->next,
      c->kappa, c->alpha, c->phi_star_squared, c->mobility, c->rate_f, c->keep_f, c->advection,
      c->keep_g, c->w_rest, c->w_axis, c->w_diagonal, c->s_rest, c->s_axis,
      c->s_diagonal MORE_ARGUMENTS);
  AFTER_LAUNCH;
}

const Lab lab = {
    .file = __FILE__,
    .family = LATTICE_BOLTZMANN,
    .kernels = {{.name = NAME, .function = (const void *)FUNCTION, .launch = {.lbm = launch}}}};
