// Lab 04: the reordered kernel of lab 03. You tell the compiler how large its blocks are.
//
// In:  u, nx * ny * nz doubles, x contiguous; the inverse squared grid spacings.
// Out: f = Laplacian of u at every interior point; the boundary of f is left as it was.
//
// After AMD lab notes, Finite difference method - Laplacian (MIT license, see NOTICE).
#include "lab.h"

#include <hip/hip_runtime.h>

// PREDICTION, to be written before the first run: replace each "?". make check reads these lines.
//   scratch, B a lane, with bounds, m = 16: ?
//   waves a SIMD, with bounds against without, m = 16 (fewer, same, more): ?
//   kernel time, with bounds against without, m = 16 (shorter, same, longer): ?

// QUESTIONS on your own run, for a point more: replace each "?" once make run says "verified".
//   waves that one compute unit holds, m = 16: ?
//   bytes of VGPRs that one wavefront has, m = 16: ?

// Points that a thread computes, side by side in y: m in the published tables. make run M=16 sets
// it for one build.
#ifndef TILE
#define TILE 8
#endif

// TODO: the compiler allows for blocks of 1024 threads. Tell it that 256 is the most.
__global__ void laplacian(double *f, const double *u, int nx, int ny, int nz, double invhx2,
                          double invhy2, double invhz2, double centre) {
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
      f[pos + n * nx] = sum[n];
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

const Lab lab = {.file = __FILE__,
                 .family = LAPLACIAN,
                 .kernels = {{.name = "laplacian",
                              .function = (const void *)laplacian,
                              .rows = TILE,
                              .launch = {.laplacian = launch_laplacian}}}};
