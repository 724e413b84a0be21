// A right lab 04 kernel with places to go wrong. A submission defines some of the macros, then
// includes this:
//
// BOUNDS: what the compiler is told of the block   ROWS: of points that a thread computes
// SUM: type of the sums                            U(at): an element of u
// BELOW, ABOVE: add the rows outside the tile      Z_ROW(n): row whose z neighbours row n takes
// LAST_J: first row of the far boundary            STORE(n): stores row n
// AFTER: a statement behind the stores             ONE_KERNEL: 0 leaves the Lab to the includer
// AFTER_LAUNCH: a statement in the launcher
//
// After AMD lab notes, Finite difference method - Laplacian (MIT license, see NOTICE).
#include "lab.h"

#include <hip/hip_runtime.h>

#ifndef TILE
#define TILE 8
#endif
#ifndef BOUNDS
#define BOUNDS __launch_bounds__(256)
#endif
#ifndef ROWS
#define ROWS TILE
#endif
#ifndef SUM
#define SUM double
#endif
#ifndef U
#define U(at) u[at]
#endif
#ifndef BELOW
#define BELOW sum[0] += j > 0 ? U(pos - nx) * invhy2 : 0
#define ABOVE sum[ROWS - 1] += j < ny - ROWS ? U(pos + ROWS * nx) * invhy2 : 0
#endif
#ifndef Z_ROW
#define Z_ROW(n) (n)
#endif
#ifndef LAST_J
#define LAST_J (ny - 1)
#endif
#ifndef STORE
#define STORE(n) f[pos + (n)*nx] = sum[n]
#endif
#ifndef AFTER
#define AFTER
#endif
#ifndef AFTER_LAUNCH
#define AFTER_LAUNCH
#endif
#ifndef ONE_KERNEL
#define ONE_KERNEL 1
#endif

__global__ BOUNDS void laplacian(double *f, const double *u, int nx, int ny, int nz, double invhx2,
                                 double invhy2, double invhz2, double centre) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = ROWS * (threadIdx.y + blockIdx.y * blockDim.y);
  const int k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i == 0 || k == 0 || i >= nx - 1 || k >= nz - 1)
    return;
  const int slice = nx * ny;
  const size_t pos = i + nx * j + (size_t)slice * k;
  SUM sum[ROWS] = {0};
#pragma unroll
  for (int n = 0; n < ROWS; n++)
    sum[n] += U(pos - slice + Z_ROW(n) * nx) * invhz2;
  BELOW;
#pragma unroll
  for (int n = 0; n < ROWS; n++) {
    const size_t at = pos + n * nx;
    sum[n] += U(at - 1) * invhx2;
    const double here = U(at);
    sum[n] += here * centre;
    sum[n] += U(at + 1) * invhx2;
    if (n > 0)
      sum[n - 1] += here * invhy2;
    if (n < ROWS - 1)
      sum[n + 1] += here * invhy2;
  }
  ABOVE;
#pragma unroll
  for (int n = 0; n < ROWS; n++)
    sum[n] += U(pos + slice + Z_ROW(n) * nx) * invhz2;
#pragma unroll
  for (int n = 0; n < ROWS; n++)
    if (j + n > 0 && j + n < LAST_J)
      STORE(n);
  AFTER;
}

static void launch_laplacian(const Grid *grid, dim3 block, double *f, const double *u) {
  const dim3 blocks((grid->nx + block.x - 1) / block.x, grid->ny / (block.y * ROWS),
                    (grid->nz + block.z - 1) / block.z);
  const double invhx2 = 1.0 / (grid->hx * grid->hx);
  const double invhy2 = 1.0 / (grid->hy * grid->hy);
  const double invhz2 = 1.0 / (grid->hz * grid->hz);
  const double centre = -2.0 * (invhx2 + invhy2 + invhz2);
  laplacian<<<blocks, block>>>(f, u, grid->nx, grid->ny, grid->nz, invhx2, invhy2, invhz2, centre);
  AFTER_LAUNCH;
}

#if ONE_KERNEL
const Lab lab = {.file = __FILE__,
                 .family = LAPLACIAN,
                 .kernels = {{.name = "laplacian",
                              .function = (const void *)laplacian,
                              .rows = ROWS,
                              .launch = {.laplacian = launch_laplacian}}}};
#endif
