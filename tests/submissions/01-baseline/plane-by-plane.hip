// Right: a launch for each plane, on a stream of its own, with blocks of its own shape.
#include "lab.h"

#include <hip/hip_runtime.h>

__global__ void plane(double *f, const double *u, Grid g, int k) {
  const int i = 1 + threadIdx.x + blockIdx.x * blockDim.x;
  const int j = 1 + threadIdx.y + blockIdx.y * blockDim.y;
  if (i >= g.nx - 1 || j >= g.ny - 1)
    return;
  const double x = 1 / (g.hx * g.hx), y = 1 / (g.hy * g.hy), z = 1 / (g.hz * g.hz);
  const size_t at = i + g.ld * j + g.slice * k;
  f[at] = -2 * (x + y + z) * u[at] + (u[at - 1] + u[at + 1]) * x +
          (u[at - g.ld] + u[at + g.ld]) * y + (u[at - g.slice] + u[at + g.slice]) * z;
}

static void launch(const Grid *grid, dim3, double *f, const double *u) {
  hipStream_t stream;
  if (hipStreamCreate(&stream) != hipSuccess)
    return;
  for (int k = 1; k < grid->nz - 1; k++)
    plane<<<dim3((grid->nx + 61) / 64, (grid->ny + 1) / 4), dim3(64, 4), 0, stream>>>(f, u, *grid,
                                                                                      k);
  (void)hipStreamDestroy(stream);
}

const Lab lab = {
    .file = __FILE__,
    .family = LAPLACIAN,
    .kernels = {
        {.name = "laplacian", .function = (const void *)plane, .launch = {.laplacian = launch}}}};
