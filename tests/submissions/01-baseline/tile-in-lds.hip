// Right: each block keeps its points and their neighbours in x in LDS, whose size the launch gives.
#include "lab.h"

#include <hip/hip_runtime.h>

__global__ void laplacian(double *f, const double *u, Grid g, double x, double y, double z) {
  extern __shared__ double row[];
  const int i = threadIdx.x + blockIdx.x * blockDim.x, j = blockIdx.y, k = blockIdx.z;
  const size_t at = i + g.ld * j + g.slice * k;
  if (i < g.nx)
    row[threadIdx.x + 1] = u[at];
  if (threadIdx.x == 0 && i > 0)
    row[0] = u[at - 1];
  if (threadIdx.x == blockDim.x - 1 && i + 1 < g.nx)
    row[blockDim.x + 1] = u[at + 1];
  __syncthreads();
  if (i == 0 || j == 0 || k == 0 || i >= g.nx - 1 || j >= g.ny - 1 || k >= g.nz - 1)
    return;
  f[at] = -2 * (x + y + z) * row[threadIdx.x + 1] + (row[threadIdx.x] + row[threadIdx.x + 2]) * x +
          (u[at - g.ld] + u[at + g.ld]) * y + (u[at - g.slice] + u[at + g.slice]) * z;
}

static void launch(const Grid *grid, dim3, double *f, const double *u) {
  const unsigned threads = 256;
  laplacian<<<dim3((grid->nx + threads - 1) / threads, grid->ny, grid->nz), threads,
              (threads + 2) * sizeof(double)>>>(
      f, u, *grid, 1 / (grid->hx * grid->hx), 1 / (grid->hy * grid->hy), 1 / (grid->hz * grid->hz));
}

const Lab lab = {.file = __FILE__,
                 .family = LAPLACIAN,
                 .kernels = {{.name = "laplacian",
                              .function = (const void *)laplacian,
                              .launch = {.laplacian = launch}}}};
