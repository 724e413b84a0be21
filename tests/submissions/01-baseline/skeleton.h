// A right lab 01 program with places to go wrong. A submission defines some of the macros, then
// includes this:
//
// LAST_I, LAST_J, LAST_K: first index of the far boundary     VALUE: what is stored
// BLOCKS(n, b): blocks along a direction                      I_AXIS, J_AXIS: directions of the block
// BEFORE_LAUNCH, AFTER_LAUNCH: statements in the launcher     that count i and j
// LAB, LAB_END: around the Lab                                LAUNCH_MEMBER: of its kernel
//
// After AMD lab notes, Finite difference method - Laplacian (MIT license, see NOTICE).
#include "lab.h"

#include <hip/hip_runtime.h>

#ifndef LAST_I
#define LAST_I (nx - 1)
#endif
#ifndef LAST_J
#define LAST_J (ny - 1)
#endif
#ifndef LAST_K
#define LAST_K (nz - 1)
#endif
#ifndef VALUE
#define VALUE                                                                                      \
  u[pos] * centre + (u[pos - 1] + u[pos + 1]) * invhx2 + (u[pos - nx] + u[pos + nx]) * invhy2 +    \
      (u[pos - slice] + u[pos + slice]) * invhz2
#endif
#ifndef I_AXIS
#define I_AXIS x
#define J_AXIS y
#endif
#ifndef BLOCKS
#define BLOCKS(n, b) (((n) + (b)-1) / (b))
#endif
#ifndef BEFORE_LAUNCH
#define BEFORE_LAUNCH
#endif
#ifndef AFTER_LAUNCH
#define AFTER_LAUNCH
#endif
#ifndef LAB
#define LAB const Lab lab =
#define LAB_END
#endif
#ifndef LAUNCH_MEMBER
#define LAUNCH_MEMBER .launch = {.laplacian = launch_laplacian}
#endif

__global__ void laplacian(double *f, const double *u, int nx, int ny, int nz, double invhx2,
                          double invhy2, double invhz2, double centre) {
  const int i = threadIdx.I_AXIS + blockIdx.I_AXIS * blockDim.I_AXIS;
  const int j = threadIdx.J_AXIS + blockIdx.J_AXIS * blockDim.J_AXIS;
  const int k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i == 0 || j == 0 || k == 0 || i >= LAST_I || j >= LAST_J || k >= LAST_K)
    return;
  const size_t slice = (size_t)nx * ny;
  const size_t pos = i + (size_t)nx * j + slice * k;
  f[pos] = VALUE;
}

static void launch_laplacian(const Grid *grid, dim3 block, double *f, const double *u) {
  dim3 blocks;
  blocks.I_AXIS = BLOCKS(grid->nx, block.I_AXIS);
  blocks.J_AXIS = BLOCKS(grid->ny, block.J_AXIS);
  blocks.z = BLOCKS(grid->nz, block.z);
  const double invhx2 = 1.0 / (grid->hx * grid->hx);
  const double invhy2 = 1.0 / (grid->hy * grid->hy);
  const double invhz2 = 1.0 / (grid->hz * grid->hz);
  const double centre = -2.0 * (invhx2 + invhy2 + invhz2);
  BEFORE_LAUNCH;
  laplacian<<<blocks, block>>>(f, u, grid->nx, grid->ny, grid->nz, invhx2, invhy2, invhz2, centre);
  AFTER_LAUNCH;
}

LAB{.file = __FILE__,
    .family = LAPLACIAN,
    .kernels = {{.name = "laplacian", .function = (const void *)laplacian, LAUNCH_MEMBER}}};
LAB_END
