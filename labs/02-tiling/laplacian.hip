// Lab 02: the kernel of lab 01. You let one thread compute a column of TILE points.
//
// In:  u, nx * ny * nz doubles, x contiguous; the inverse squared grid spacings.
// Out: f = Laplacian of u at every interior point; the boundary of f is left as it was.
//
// After AMD lab notes, Finite difference method - Laplacian (MIT license, see NOTICE).
#include "lab.h"

#include <hip/hip_runtime.h>

// PREDICTION, to be written before the first run: replace each "?". make check reads these lines.
//   values loaded for each stored, m = 2: ?
//   values loaded for each stored, m = 8: ?
//   kernel time, m = 8 against m = 1 (shorter, same, longer): ?
//   L2CacheHit, m = 8 against m = 1 (lower, same, higher): ?

// QUESTIONS on your own run, for a point more: replace each "?" once make run says "verified".
//   wavefronts for each plane, m = 8: ?
//   bytes fetched from HBM for each point, m = 8: ?

// Points that a thread computes, side by side in y: m in the published tables. make run M=16 sets
// it for one build.
#ifndef TILE
#define TILE 8
#endif

__global__ void laplacian(double *f, const double *u, int nx, int ny, int nz, double invhx2,
                          double invhy2, double invhz2, double centre) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  // TODO 1: a thread starts at the first of its TILE rows.
  const int j = threadIdx.y + blockIdx.y * blockDim.y;
  const int k = threadIdx.z + blockIdx.z * blockDim.z;

  // The grid rarely is a multiple of the block, and the boundary has no full set of neighbours.
  if (i == 0 || j == 0 || k == 0 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1)
    return;

  const int slice = nx * ny;
  const size_t pos = i + nx * j + (size_t)slice * k;

  // TODO 2: compute rows j to j + TILE - 1, and load each value that two rows share only once.
  f[pos] = u[pos] * centre                               // centre
           + (u[pos - 1] + u[pos + 1]) * invhx2          // x neighbours
           + (u[pos - nx] + u[pos + nx]) * invhy2        // y neighbours: one row away
           + (u[pos - slice] + u[pos + slice]) * invhz2; // z neighbours: one plane away
}

static void launch_laplacian(const Grid *grid, dim3 block, double *f, const double *u) {
  // TODO 3: a block now covers TILE times as many rows.
  const dim3 blocks((grid->nx + block.x - 1) / block.x, (grid->ny + block.y - 1) / block.y,
                    (grid->nz + block.z - 1) / block.z);
  const double invhx2 = 1.0 / (grid->hx * grid->hx);
  const double invhy2 = 1.0 / (grid->hy * grid->hy);
  const double invhz2 = 1.0 / (grid->hz * grid->hz);
  const double centre = -2.0 * (invhx2 + invhy2 + invhz2);

  laplacian<<<blocks, block>>>(f, u, grid->nx, grid->ny, grid->nz, invhx2, invhy2, invhz2, centre);
}

// TODO 4: rows = ANY_NY says that a thread computes one row. Put TILE there, and a grid whose ny
// is no multiple of block.y * TILE is refused with a sentence.
const Lab lab = {.file = __FILE__,
                 .family = LAPLACIAN,
                 .kernels = {{.name = "laplacian",
                              .function = (const void *)laplacian,
                              .rows = ANY_NY,
                              .launch = {.laplacian = launch_laplacian}}}};
