// Lab 01: the seven-point Laplacian, one thread a grid point. You write the computation.
//
// In:  u, nx * ny * nz doubles, x contiguous; the inverse squared grid spacings.
// Out: f = Laplacian of u at every interior point; the boundary of f is left as it was.
//
// After AMD lab notes, Finite difference method - Laplacian (MIT license, see NOTICE).
#include "lab.h"

#include <hip/hip_runtime.h>

// QUESTIONS on your own run, for a point more: replace each "?" once make run says "verified".
//   wavefronts for each plane of the grid: ?
//   bytes fetched from HBM for each point of the grid: ?

__global__ void laplacian(double *f, const double *u, int nx, int ny, int nz, double invhx2,
                          double invhy2, double invhz2, double centre) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = threadIdx.y + blockIdx.y * blockDim.y;
  const int k = threadIdx.z + blockIdx.z * blockDim.z;

  // The grid rarely is a multiple of the block, and the boundary has no full set of neighbours.
  if (i == 0 || j == 0 || k == 0 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1)
    return;

  // TODO: find the element of u that is point (i, j, k), read it and its six neighbours, and store
  // the Laplacian in the same element of f. README.md beside this file has the formula and the
  // layout.
}

static void launch_laplacian(const Grid *grid, dim3 block, double *f, const double *u) {
  const dim3 blocks((grid->nx + block.x - 1) / block.x, (grid->ny + block.y - 1) / block.y,
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
                              .launch = {.laplacian = launch_laplacian}}}};
