// Lab 08, beyond: a two-phase lattice-Boltzmann step that asks for everything it needs before it uses
// anything of it.
//
// In:  populations g (D3Q19, the flow) and f (D3Q7, the order parameter) of the current time level;
//      phi and its derivatives; the constants of the model.
// Out: f after collision, in place; g after collision, streamed into the next time level.
//
// After AMD lab notes, Register pressure in AMD CDNA2 GPUs (MIT license, see NOTICE).
#include "lab.h"
#include "lbm_fields.h"

#include <hip/hip_runtime.h>

// PREDICTION, as one may write it before the first run. make check reads these lines.
//   VGPRs, f_rest assigned early against late (fewer, same, more): fewer
//   SGPRs, restrict on two pointers against none (fewer, same, more): fewer
//   values loaded for each stored, f_rest early against late (fewer, same, more): same
//   kernel time, restrict on two against as given (shorter, same, longer): shorter
//   kernel time, restrict on all against as given (shorter, same, longer): shorter

// Populations of g and of f, in the order of LbmFields.
enum { REST, E, W, N, S, T, B, TN, BS, BN, TS, TE, BW, BE, TW, NE, SW, SE, NW };

// A direction, the opposite one, how far away the neighbour is, u and force along it, and which of the
// two weights.
#define PAIRS(X)                                                                                   \
  X(E, W, 1, ux, fx, axis)                                                                         \
  X(N, S, a.row, uy, fy, axis)                                                                     \
  X(T, B, a.slice, uz, fz, axis)                                                                   \
  X(TN, BS, a.row + a.slice, uy + uz, fy + fz, diagonal)                                           \
  X(BN, TS, a.row - a.slice, uy - uz, fy - fz, diagonal)                                           \
  X(TE, BW, 1 + a.slice, ux + uz, fx + fz, diagonal)                                               \
  X(BE, TW, 1 - a.slice, ux - uz, fx - fz, diagonal)                                               \
  X(NE, SW, 1 + a.row, ux + uy, fx + fy, diagonal)                                                 \
  X(SE, NW, 1 - a.row, ux - uy, fx - fy, diagonal)

// common/families/lbm_fields.h explains fields and constants. All loads come first: 31 are on their way
// at once, and no store can make the compiler repeat one. That takes many registers, so few waves
// fit; on a GPU with large caches and long ways to memory it pays.
__global__ __launch_bounds__(256) void collide_and_stream(LbmFields a, LbmConstants c) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = threadIdx.y + blockIdx.y * blockDim.y;
  const int k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i >= a.nx || j >= a.ny || k >= a.nz)
    return;
  const int at = i + a.row * j + a.slice * k;
  const int here = at + a.current, there = at + a.next;

  double g[LBM_G_COUNT], f[LBM_F_COUNT];
#pragma unroll
  for (int n = 0; n < LBM_G_COUNT; n++)
    g[n] = a.array[LBM_G + n][n == REST ? at : here];
#pragma unroll
  for (int n = 0; n < LBM_F_COUNT; n++)
    f[n] = a.array[LBM_F + n][here];
  const double order = a.phi[at], laplacian = a.laplacian_phi[at];
  const double gx = a.grad_phi_x[at], gy = a.grad_phi_y[at], gz = a.grad_phi_z[at];

  double rho = 0;
#pragma unroll
  for (int n = 0; n < LBM_G_COUNT; n++)
    rho += g[n];
  const double mu = c.alpha * order * (order * order - c.phi_star_squared) - c.kappa * laplacian;
  const double fx = mu * gx, fy = mu * gy, fz = mu * gz;
  // From here on u is three times the velocity: the equilibrium has fewer factors so.
  const double ux =
      (0.5 * fx + g[E] - g[W] + g[TE] - g[BW] + g[BE] - g[TW] + g[NE] - g[SW] + g[SE] - g[NW]) *
      3.0 / rho;
  const double uy =
      (0.5 * fy + g[N] - g[S] + g[TN] - g[BS] + g[BN] - g[TS] + g[NE] - g[SW] - g[SE] + g[NW]) *
      3.0 / rho;
  const double uz =
      (0.5 * fz + g[T] - g[B] + g[TN] - g[BS] - g[BN] + g[TS] + g[TE] - g[BW] - g[BE] + g[TW]) *
      3.0 / rho;

  const double spread = 0.5 * c.mobility * mu * c.rate_f;
  const double drift = c.rate_f * c.advection * order;
  a.f_rest[here] = c.rate_f * (order - 3.0 * c.mobility * mu) + c.keep_f * f[REST];
  a.f_e[here] = c.keep_f * f[E] + spread + drift * ux;
  a.f_w[here] = c.keep_f * f[W] + spread - drift * ux;
  a.f_n[here] = c.keep_f * f[N] + spread + drift * uy;
  a.f_s[here] = c.keep_f * f[S] + spread - drift * uy;
  a.f_t[here] = c.keep_f * f[T] + spread + drift * uz;
  a.f_b[here] = c.keep_f * f[B] + spread - drift * uz;

  const double tension = order * mu, pressure = rho + 3.0 * tension;
  const double power = (ux * fx + uy * fy + uz * fz) * (1.0 / 3.0);
  const double kinetic = (ux * ux + uy * uy + uz * uz) * (0.5 / 3.0);
  a.g_rest[at] =
      c.keep_g * g[REST] + c.w_rest * (rho - 6.0 * tension - rho * kinetic) - c.s_rest * power;

  // even and odd: what the two have in common, and with opposite signs.
#define STREAM(ahead, behind, step, u, force, kind)                                                \
  {                                                                                                \
    const double along = u, push = force;                                                          \
    const double even = c.w_##kind * (pressure + rho * (0.5 * along * along - kinetic)) +          \
                        c.s_##kind * (along * push - power);                                       \
    const double odd = c.w_##kind * rho * along + c.s_##kind * push;                               \
    a.array[LBM_G + ahead][there + (step)] = c.keep_g * g[ahead] + even + odd;                     \
    a.array[LBM_G + behind][there - (step)] = c.keep_g * g[behind] + even - odd;                   \
  }
  PAIRS(STREAM)
#undef STREAM
}

static void launch(const LbmFields *a, const LbmConstants *c, dim3 block) {
  const dim3 blocks((a->nx + block.x - 1) / block.x, (a->ny + block.y - 1) / block.y,
                    (a->nz + block.z - 1) / block.z);
  collide_and_stream<<<blocks, block>>>(*a, *c);
}

const Lab lab = {.file = __FILE__,
                 .family = LATTICE_BOLTZMANN,
                 .kernels = {{.name = "collide_and_stream",
                              .function = (const void *)collide_and_stream,
                              .launch = {.lbm = launch}}}};
