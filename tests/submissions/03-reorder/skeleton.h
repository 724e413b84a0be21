// A right lab 03 kernel with places to go wrong. A submission defines some of the macros, then
// includes this:
//
// LOADS: the order of the parts below     LOWER, UPPER: add planes k - 1 and k + 1
// BELOW, ABOVE: add the rows outside      MIDDLE: adds the tile's rows
// Z_ROW(n): whose z neighbours n takes    SUM: type of the sums
// INTERIOR(n): whether to store row n     STORE(n): stores row n
// AFTER: behind the stores                BODY: all of this, from the sums on
// AFTER_LAUNCH: a statement in the launcher
//
// After AMD lab notes, Finite difference method - Laplacian (MIT license, see NOTICE).
#include "lab.h"

#include <hip/hip_runtime.h>

#ifndef TILE
#define TILE 8
#endif
#ifndef LOADS
#define LOADS LOWER BELOW MIDDLE ABOVE UPPER
#endif
#ifndef SUM
#define SUM double
#endif
#ifndef Z_ROW
#define Z_ROW(n) (n)
#endif
#ifndef AFTER_LAUNCH
#define AFTER_LAUNCH
#endif
#ifndef INTERIOR
#define INTERIOR(n) (j + (n) > 0 && j + (n) < ny - 1)
#endif
#ifndef STORE
#define STORE(n) f[pos + (n)*nx] = sum[n]
#endif
#ifndef AFTER
#define AFTER
#endif

#define FOR_ROWS _Pragma("unroll") for (int n = 0; n < TILE; n++)

#define LOWER                                                                                      \
  FOR_ROWS                                                                                         \
  sum[n] += u[pos - slice + Z_ROW(n) * nx] * invhz2;
#define UPPER                                                                                      \
  FOR_ROWS                                                                                         \
  sum[n] += u[pos + slice + Z_ROW(n) * nx] * invhz2;

#ifndef BELOW
#define BELOW sum[0] += j > 0 ? u[pos - nx] * invhy2 : 0;
#endif
#ifndef ABOVE
#define ABOVE sum[TILE - 1] += j < ny - TILE ? u[pos + TILE * nx] * invhy2 : 0;
#endif

// Adds u at the tile's row n and at its x neighbours, in the order of their addresses.
#define ADD_ROW(n)                                                                                 \
  const size_t at = pos + (n)*nx;                                                                  \
  sum[n] += u[at - 1] * invhx2;                                                                    \
  const double here = u[at];                                                                       \
  sum[n] += here * centre;                                                                         \
  sum[n] += u[at + 1] * invhx2;                                                                    \
  if ((n) > 0)                                                                                     \
    sum[(n)-1] += here * invhy2;                                                                   \
  if ((n) < TILE - 1)                                                                              \
    sum[(n) + 1] += here * invhy2;

#ifndef MIDDLE
#define MIDDLE                                                                                     \
  FOR_ROWS { ADD_ROW(n) }
#endif

#ifndef BODY
#define BODY                                                                                       \
  SUM sum[TILE] = {0};                                                                             \
  LOADS                                                                                            \
  FOR_ROWS                                                                                         \
  if (INTERIOR(n))                                                                                 \
    STORE(n);                                                                                      \
  AFTER
#endif

__global__ void laplacian(double *f, const double *u, int nx, int ny, int nz, double invhx2,
                          double invhy2, double invhz2, double centre) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = TILE * (threadIdx.y + blockIdx.y * blockDim.y);
  const int k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i == 0 || k == 0 || i >= nx - 1 || k >= nz - 1)
    return;
  const int slice = nx * ny;
  const size_t pos = i + nx * j + (size_t)slice * k;
  BODY;
}

static void launch_laplacian(const Grid *grid, dim3 block, double *f, const double *u) {
  const dim3 blocks((grid->nx + block.x - 1) / block.x, grid->ny / (block.y * TILE),
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
                              .rows = TILE,
                              .launch = {.laplacian = launch_laplacian}}}};
