// Lab 08: one step of a two-phase lattice-Boltzmann model. You lower its register pressure.
//
// In:  populations g (D3Q19, the flow) and f (D3Q7, the order parameter) of the current time level;
//      phi and its derivatives; the constants of the model.
// Out: f after collision, in place; g after collision, streamed into the next time level.
//
// After AMD lab notes, Register pressure in AMD CDNA2 GPUs (MIT license, see NOTICE).
#include "lab.h"
#include "lbm_fields.h"

#include <hip/hip_runtime.h>

// PREDICTION, to be written before the first run: replace each "?". make check reads these lines.
//   VGPRs, f_rest assigned early against late (fewer, same, more): ?
//   SGPRs, restrict on two pointers against none (fewer, same, more): ?
//   values loaded for each stored, f_rest early against late (fewer, same, more): ?
//   kernel time, restrict on two against as given (shorter, same, longer): ?
//   kernel time, restrict on all against as given (shorter, same, longer): ?

// QUESTIONS on your own run, for a point more: replace each "?" once make run says "verified".
//   waves that one compute unit holds: ?
//   bytes of VGPRs that one wavefront has: ?

// Collides and streams one pair of opposite directions. u (times 3, see below) and force are taken
// along the direction; even and odd are the parts of equilibrium and source that the two have in
// common and with opposite signs.
static __device__ void stream_pair(double *ahead, double *behind, int here, int there, int step,
                                   double u, double force, double weight, double force_weight,
                                   double keep, double pressure, double density, double kinetic,
                                   double power) {
  const double even =
      weight * (pressure + density * (0.5 * u * u - kinetic)) + force_weight * (u * force - power);
  const double odd = weight * density * u + force_weight * force;
  ahead[there + step] = keep * ahead[here] + even + odd;
  behind[there - step] = keep * behind[here] + even - odd;
}

// common/families/lbm_fields.h explains the arguments.
// TODO 3: say of one pointer, then of a second, then of all, that nothing else points into its
// array.
__global__ void collide_and_stream(
    double *g_rest, double *g_e, double *g_w, double *g_n, double *g_s, double *g_t, double *g_b,
    double *g_tn, double *g_bs, double *g_bn, double *g_ts, double *g_te, double *g_bw,
    double *g_be, double *g_tw, double *g_ne, double *g_sw, double *g_se, double *g_nw,
    double *f_rest, double *f_e, double *f_w, double *f_n, double *f_s, double *f_t, double *f_b,
    double *phi, double *laplacian_phi, double *grad_phi_x, double *grad_phi_y, double *grad_phi_z,
    int nx, int ny, int nz, int row, int slice, int current, int next, double kappa, double alpha,
    double phi_star_squared, double mobility, double rate_f, double keep_f, double advection,
    double keep_g, double w_rest, double w_axis, double w_diagonal, double s_rest, double s_axis,
    double s_diagonal) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = threadIdx.y + blockIdx.y * blockDim.y;
  const int k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i >= nx || j >= ny || k >= nz)
    return;
  const int at = i + row * j + slice * k;
  const int here = at + current, there = at + next;

  const double rho = g_rest[at] + g_e[here] + g_w[here] + g_n[here] + g_s[here] + g_t[here] +
                     g_b[here] + g_tn[here] + g_bs[here] + g_bn[here] + g_ts[here] + g_te[here] +
                     g_bw[here] + g_be[here] + g_tw[here] + g_ne[here] + g_sw[here] + g_se[here] +
                     g_nw[here];
  const double order = phi[at];
  // TODO 1: a square needs no logarithm and no exponential.
  const double order_squared = pow(order, 2.0);
  const double mu = alpha * order * (order_squared - phi_star_squared) - kappa * laplacian_phi[at];

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
  // TODO 2: what does f_rest need of all the above? Assign it where that is known.
  f_rest[here] = rate_f * (order - 3.0 * mobility * mu) + keep_f * f_rest[here];
  f_e[here] = keep_f * f_e[here] + spread + drift * ux;
  f_w[here] = keep_f * f_w[here] + spread - drift * ux;
  f_n[here] = keep_f * f_n[here] + spread + drift * uy;
  f_s[here] = keep_f * f_s[here] + spread - drift * uy;
  f_t[here] = keep_f * f_t[here] + spread + drift * uz;
  f_b[here] = keep_f * f_b[here] + spread - drift * uz;

  const double tension = order * mu;
  const double pressure = rho + 3.0 * tension;
  const double power = (ux * fx + uy * fy + uz * fz) * (1.0 / 3.0);
  const double kinetic = (ux * ux + uy * uy + uz * uz) * (0.5 / 3.0);
  g_rest[at] =
      keep_g * g_rest[at] + w_rest * (rho - 6.0 * tension - rho * kinetic) - s_rest * power;

#define STREAM(ahead, behind, step, u, force, kind)                                                \
  stream_pair(ahead, behind, here, there, step, u, force, w_##kind, s_##kind, keep_g, pressure,    \
              rho, kinetic, power)
  STREAM(g_e, g_w, 1, ux, fx, axis);
  STREAM(g_n, g_s, row, uy, fy, axis);
  STREAM(g_t, g_b, slice, uz, fz, axis);
  STREAM(g_tn, g_bs, row + slice, uy + uz, fy + fz, diagonal);
  STREAM(g_bn, g_ts, row - slice, uy - uz, fy - fz, diagonal);
  STREAM(g_te, g_bw, 1 + slice, ux + uz, fx + fz, diagonal);
  STREAM(g_be, g_tw, 1 - slice, ux - uz, fx - fz, diagonal);
  STREAM(g_ne, g_sw, 1 + row, ux + uy, fx + fy, diagonal);
  STREAM(g_se, g_nw, 1 - row, ux - uy, fx - fy, diagonal);
#undef STREAM
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
      c->keep_g, c->w_rest, c->w_axis, c->w_diagonal, c->s_rest, c->s_axis, c->s_diagonal);
}

const Lab lab = {.file = __FILE__,
                 .family = LATTICE_BOLTZMANN,
                 .kernels = {{.name = "collide_and_stream",
                              .function = (const void *)collide_and_stream,
                              .launch = {.lbm = launch}}}};
