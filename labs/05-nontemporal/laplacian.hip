// Lab 05: the kernel of lab 04, and beside it that of lab 01. You make their stores nontemporal.
//
// In:  u, nx * ny * nz doubles, x contiguous; the inverse squared grid spacings.
// Out: f = Laplacian of u at every interior point; the boundary of f is left as it was.
//
// After AMD lab notes, Finite difference method - Laplacian (MIT license, see NOTICE).
#include "lab.h"

#include <hip/hip_runtime.h>

// PREDICTION, to be written before the first run: replace each "?". make check reads these lines.
//   values loaded for each stored, nontemporal baseline against baseline (fewer, same, more): ?
//   FETCH_SIZE, nontemporal baseline against baseline (less, same, more): ?
//   kernel time, nontemporal baseline against reordered, m = 1 (shorter, same, longer): ?

// QUESTIONS on your own run, for a point more: replace each "?" once make run says "verified".
//   bytes fetched from HBM for each point, baseline: ?
//   MB written to HBM for each plane, baseline: ?

// Points that a thread computes, side by side in y: m in the published tables. make run M=16 sets
// it for one build.
#ifndef TILE
#define TILE 8
#endif

// Threads of the largest block that may be launched.
#define MAX_BLOCK 256

__global__ __launch_bounds__(MAX_BLOCK) void laplacian(double *f, const double *u, int nx, int ny,
                                                       int nz, double invhx2, double invhy2,
                                                       double invhz2, double centre) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = TILE * (threadIdx.y + blockIdx.y * blockDim.y); // the first of its rows
  const int k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i == 0 || k == 0 || i >= nx - 1 || k >= nz - 1)
    return;

  const int slice = nx * ny;
  const size_t pos = i + nx * j + (size_t)slice * k;
  double sum[TILE] = {0};

  // Every load of the tile in the order of its address: plane k - 1, ...
#pragma unroll
  for (int n = 0; n < TILE; n++)
    sum[n] += u[pos - slice + n * nx] * invhz2;

  // ... plane k row by row, ...
  sum[0] += j > 0 ? u[pos - nx] * invhy2 : 0;
#pragma unroll
  for (int n = 0; n < TILE; n++) {
    const size_t at = pos + n * nx;
    sum[n] += u[at - 1] * invhx2;
    const double here = u[at]; // loaded once, used by three rows
    sum[n] += here * centre;
    sum[n] += u[at + 1] * invhx2;
    if (n > 0)
      sum[n - 1] += here * invhy2;
    if (n < TILE - 1)
      sum[n + 1] += here * invhy2;
  }
  sum[TILE - 1] += j < ny - TILE ? u[pos + TILE * nx] * invhy2 : 0;

  // ... plane k + 1.
#pragma unroll
  for (int n = 0; n < TILE; n++)
    sum[n] += u[pos + slice + n * nx] * invhz2;

#pragma unroll
  for (int n = 0; n < TILE; n++)
    if (j + n > 0 && j + n < ny - 1) // the first and the last row of the grid are boundary
      f[pos + n * nx] = sum[n];      // TODO 2: the same here
}

static void launch_laplacian(const Grid *grid, dim3 block, double *f, const double *u) {
  // The harness sees to it that ny is a multiple of block.y * TILE.
  const dim3 blocks((grid->nx + block.x - 1) / block.x, grid->ny / (block.y * TILE),
                    (grid->nz + block.z - 1) / block.z);
  const double invhx2 = 1.0 / (grid->hx * grid->hx);
  const double invhy2 = 1.0 / (grid->hy * grid->hy);
  const double invhz2 = 1.0 / (grid->hz * grid->hz);
  const double centre = -2.0 * (invhx2 + invhy2 + invhz2);

  laplacian<<<blocks, block>>>(f, u, grid->nx, grid->ny, grid->nz, invhx2, invhy2, invhz2, centre);
}

// The kernel of lab 01. make run LAB=05 ARGS="--kernel baseline" runs it.
__global__ void baseline(double *f, const double *u, int nx, int ny, int nz, double invhx2,
                         double invhy2, double invhz2, double centre) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = threadIdx.y + blockIdx.y * blockDim.y;
  const int k = threadIdx.z + blockIdx.z * blockDim.z;

  // The grid rarely is a multiple of the block, and the boundary has no full set of neighbours.
  if (i == 0 || j == 0 || k == 0 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1)
    return;

  const int slice = nx * ny;
  const size_t pos = i + nx * j + (size_t)slice * k;

  const double sum = u[pos] * centre                               // centre
                     + (u[pos - 1] + u[pos + 1]) * invhx2          // x neighbours
                     + (u[pos - nx] + u[pos + nx]) * invhy2        // y neighbours: one row away
                     + (u[pos - slice] + u[pos + slice]) * invhz2; // z neighbours: one plane away
  f[pos] = sum; // TODO 1: f is not read again. Keep it from taking the place of u in L2.
}

static void launch_baseline(const Grid *grid, dim3 block, double *f, const double *u) {
  const dim3 blocks((grid->nx + block.x - 1) / block.x, (grid->ny + block.y - 1) / block.y,
                    (grid->nz + block.z - 1) / block.z);
  const double invhx2 = 1.0 / (grid->hx * grid->hx);
  const double invhy2 = 1.0 / (grid->hy * grid->hy);
  const double invhz2 = 1.0 / (grid->hz * grid->hz);
  const double centre = -2.0 * (invhx2 + invhy2 + invhz2);

  baseline<<<blocks, block>>>(f, u, grid->nx, grid->ny, grid->nz, invhx2, invhy2, invhz2, centre);
}

const Lab lab = {.file = __FILE__,
                 .family = LAPLACIAN,
                 .kernels = {{.name = "laplacian",
                              .function = (const void *)laplacian,
                              .rows = TILE,
                              .launch = {.laplacian = launch_laplacian}},
                             {.name = "baseline",
                              .function = (const void *)baseline,
                              .launch = {.laplacian = launch_baseline}}}};
