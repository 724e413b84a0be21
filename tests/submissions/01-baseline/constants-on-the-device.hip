// Right: the coefficients are in constant memory, put there at the first launch only for each grid.
#include "lab.h"

#include <hip/hip_runtime.h>

static __constant__ double coefficient[4];
static __constant__ int points[3];

static __global__ void laplacian(double *f, const double *u) {
  const int nx = points[0], ny = points[1], nz = points[2];
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = threadIdx.y + blockIdx.y * blockDim.y;
  const int k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i == 0 || j == 0 || k == 0 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1)
    return;
  const size_t slice = (size_t)nx * ny, at = i + (size_t)nx * j + slice * k;
  f[at] = u[at] * coefficient[3] + (u[at - 1] + u[at + 1]) * coefficient[0] +
          (u[at - nx] + u[at + nx]) * coefficient[1] +
          (u[at - slice] + u[at + slice]) * coefficient[2];
}

static void launch(const Grid *grid, dim3 block, double *f, const double *u) {
  static int known[3];
  const int n[3] = {grid->nx, grid->ny, grid->nz};
  const double x = 1 / (grid->hx * grid->hx), y = 1 / (grid->hy * grid->hy),
               z = 1 / (grid->hz * grid->hz);
  const double c[4] = {x, y, z, -2 * (x + y + z)};
  if (n[0] != known[0] || n[1] != known[1] || n[2] != known[2]) {
    (void)hipMemcpyToSymbol(HIP_SYMBOL(coefficient), c, sizeof c);
    (void)hipMemcpyToSymbol(HIP_SYMBOL(points), n, sizeof n);
    for (int d = 0; d < 3; d++)
      known[d] = n[d];
  }
  const dim3 blocks((n[0] + block.x - 1) / block.x, (n[1] + block.y - 1) / block.y,
                    (n[2] + block.z - 1) / block.z);
  laplacian<<<blocks, block>>>(f, u);
}

const Lab lab = {.file = __FILE__,
                 .family = LAPLACIAN,
                 .kernels = {{.name = "laplacian",
                              .function = (const void *)laplacian,
                              .launch = {.laplacian = launch}}}};
