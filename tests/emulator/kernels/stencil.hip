// 7-point stencil on odd boxes: three block shapes, coefficients in constant memory.
#include "check.h"

__constant__ double coefficient[4]; // centre, x, y, z

__global__ void stencil(double *f, const double *u, int nx, int ny, int nz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
      k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i < 1 || j < 1 || k < 1 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1)
    return;
  size_t row = nx, slice = (size_t)nx * ny, at = i + j * row + k * slice;
  f[at] = coefficient[0] * u[at] + coefficient[1] * (u[at - 1] + u[at + 1]) +
          coefficient[2] * (u[at - row] + u[at + row]) +
          coefficient[3] * (u[at - slice] + u[at + slice]);
}

static double reference(const double *u, const double *c, size_t at, size_t row, size_t slice) {
  return c[0] * u[at] + c[1] * (u[at - 1] + u[at + 1]) + c[2] * (u[at - row] + u[at + row]) +
         c[3] * (u[at - slice] + u[at + slice]);
}

static void run(int nx, int ny, int nz, dim3 block) {
  size_t count = (size_t)nx * ny * nz, bytes = count * sizeof(double);
  const double c[4] = {-6.5, 1.25, 0.75, 1.125};
  double *u = (double *)host_array(bytes), *f = (double *)host_array(bytes);
  for (size_t i = 0; i < count; i++)
    u[i] = random_unit() - 0.5, f[i] = -77;
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(coefficient), c, sizeof c));
  double *du = (double *)to_device(u, bytes), *df = (double *)to_device(f, bytes);
  dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y,
            (nz + block.z - 1) / block.z);
  stencil<<<grid, block>>>(df, du, nx, ny, nz);
  to_host(f, df, bytes);
  HIP(hipFree(du));
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++) {
        size_t at = i + nx * (j + (size_t)ny * k);
        bool inside = i && j && k && i < nx - 1 && j < ny - 1 && k < nz - 1;
        double want = inside ? reference(u, c, at, nx, (size_t)nx * ny) : -77;
        if (!(fabs(f[at] - want) <= 1e-14))
          DIFFERS("f[%d][%d][%d] is %.17g, not %.17g", k, j, i, f[at], want);
      }
  free(u);
  free(f);
}

int main(void) {
  run(67, 23, 11, dim3(64, 1, 1));
  run(130, 9, 5, dim3(256, 1, 1));
  run(33, 35, 7, dim3(16, 5, 1));
  run(19, 21, 23, dim3(8, 4, 3));
  run(3, 3, 3, dim3(7, 5, 3));
  return verdict();
}
