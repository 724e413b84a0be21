// A right lab 02 kernel with places to go wrong. A submission defines some of the macros, then
// includes this:
//
// FIRST_ROW: of the tile            INTERIOR(n): whether row n is to be stored
// SUM: type of the sums             BELOW, ABOVE: add the rows outside the tile
// UNROLL: in front of both loops    STORE(n): stores row n
// AFTER: behind the stores          BODY: all of this, from the sums on
// BLOCKS_Y: of the launch           ROWS: what main says a thread computes
// AFTER_LAUNCH: a statement in the launcher
//
// After AMD lab notes, Finite difference method - Laplacian (MIT license, see NOTICE).
#include "lab.h"

#include <hip/hip_runtime.h>

#ifndef TILE
#define TILE 8
#endif
#ifndef FIRST_ROW
#define FIRST_ROW (TILE * (threadIdx.y + blockIdx.y * blockDim.y))
#endif
#ifndef AFTER_LAUNCH
#define AFTER_LAUNCH
#endif
#ifndef INTERIOR
#define INTERIOR(n) (j + (n) > 0 && j + (n) < ny - 1)
#endif
#ifndef SUM
#define SUM double
#endif
#ifndef BELOW
#define BELOW sum[0] += u[pos - nx] * invhy2
#define ABOVE sum[TILE - 1] += u[pos + TILE * nx] * invhy2
#endif
#ifndef UNROLL
#define UNROLL _Pragma("unroll")
#endif
#ifndef STORE
#define STORE(n) f[pos + (n)*nx] = sum[n]
#endif
#ifndef AFTER
#define AFTER
#endif
#ifndef BLOCKS_Y
#define BLOCKS_Y (grid->ny / (block.y * TILE))
#endif
#ifndef ROWS
#define ROWS TILE
#endif

#ifndef BODY
#define BODY                                                                                       \
  SUM sum[TILE] = {0};                                                                             \
  UNROLL                                                                                           \
  for (int n = 0; n < TILE; n++) {                                                                 \
    const size_t at = pos + n * nx;                                                                \
    const double here = u[at];                                                                     \
    sum[n] += here * centre + (u[at - 1] + u[at + 1]) * invhx2 +                                   \
              (u[at - slice] + u[at + slice]) * invhz2;                                            \
    if (n > 0)                                                                                     \
      sum[n - 1] += here * invhy2;                                                                 \
    if (n < TILE - 1)                                                                              \
      sum[n + 1] += here * invhy2;                                                                 \
  }                                                                                                \
  BELOW;                                                                                           \
  ABOVE;                                                                                           \
  UNROLL                                                                                           \
  for (int n = 0; n < TILE; n++)                                                                   \
    if (INTERIOR(n))                                                                               \
      STORE(n);                                                                                    \
  AFTER
#endif

__global__ void laplacian(double *f, const double *u, int nx, int ny, int nz, double invhx2,
                          double invhy2, double invhz2, double centre) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = FIRST_ROW;
  const int k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i == 0 || k == 0 || i >= nx - 1 || k >= nz - 1)
    return;
  const int slice = nx * ny;
  const size_t pos = i + nx * j + (size_t)slice * k;
  BODY;
}

static void launch_laplacian(const Grid *grid, dim3 block, double *f, const double *u) {
  const dim3 blocks((grid->nx + block.x - 1) / block.x, BLOCKS_Y,
                    (grid->nz + block.z - 1) / block.z);
  const double invhx2 = 1.0 / (grid->hx * grid->hx);
  const double invhy2 = 1.0 / (grid->hy * grid->hy);
  const double invhz2 = 1.0 / (grid->hz * grid->hz);
  const double centre = -2.0 * (invhx2 + invhy2 + invhz2);
  laplacian<<<blocks, block>>>(f, u, grid->nx, grid->ny, grid->nz, invhx2, invhy2, invhz2, centre);
  AFTER_LAUNCH;
}

const Lab lab = {.file = __FILE__,
                 .family = LAPLACIAN,
                 .kernels = {{.name = "laplacian",
                              .function = (const void *)laplacian,
                              .rows = ROWS,
                              .launch = {.laplacian = launch_laplacian}}}};
