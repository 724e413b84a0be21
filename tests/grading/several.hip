// The seven-point Laplacian in ways that a launcher may choose and that the labs' own do not: two kernels, each for every
// second plane; arguments in a struct with the pointers inside; weights in __constant__ memory. For test_launches.py.
//
// In: u. Out: f.
#include "lab.h"

#include <hip/hip_runtime.h>

struct Arrays {
  int nx, ny, nz;
  double *f; // both behind padding
  int first;
  const double *u;
};

__constant__ double weights[4]; // of x, y, z, centre

static __device__ double laplacian_at(const Arrays &a, size_t pos) {
  const size_t slice = (size_t)a.nx * a.ny;
  const double *u = a.u + pos;
  return u[0] * weights[3] + (u[-1] + u[1]) * weights[0] + (u[-a.nx] + u[a.nx]) * weights[1] +
         (u[-(ptrdiff_t)slice] + u[slice]) * weights[2];
}

static __device__ bool find(const Arrays &a, size_t *pos) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x, j = blockIdx.y, k = a.first + 2 * blockIdx.z;
  *pos = i + (size_t)a.nx * (j + (size_t)a.ny * k);
  return i > 0 && j > 0 && k > 0 && i < a.nx - 1 && j < a.ny - 1 && k < a.nz - 1;
}

__global__ void even(Arrays a) {
  size_t pos;
  if (find(a, &pos))
    a.f[pos] = laplacian_at(a, pos);
}

// By way of LDS and an array that needs scratch, so that its resources are the worse ones.
__global__ void odd(Arrays a) {
  __shared__ double row[256];
  volatile double kept[8];
  size_t pos;
  const bool inside = find(a, &pos);
  if (inside)
    kept[a.nx % 8] = laplacian_at(a, pos);
  row[threadIdx.x] = inside ? kept[a.nx % 8] : 0;
  __syncthreads();
  if (inside)
    a.f[pos] = row[threadIdx.x];
}

// Does nothing when it is timed: of the launches those after the second that are even.
__device__ int made;
__global__ void count() { made++; }

__global__ void lazy(Arrays a) {
  size_t pos;
  if (find(a, &pos) && (made <= 2 || made % 2))
    a.f[pos] = laplacian_at(a, pos);
}

static void set_weights(const Grid *grid) {
  const double x = 1.0 / (grid->hx * grid->hx), y = 1.0 / (grid->hy * grid->hy),
               z = 1.0 / (grid->hz * grid->hz), centre = -2 * (x + y + z);
  const double sides[3] = {x, y, z};
  (void)hipMemcpyToSymbol(HIP_SYMBOL(weights), sides, sizeof sides);
  (void)hipMemcpyToSymbol(HIP_SYMBOL(weights), &centre, sizeof centre, sizeof sides);
}

static void launch_lazy(const Grid *grid, dim3 block, double *f, const double *u) {
  set_weights(grid);
  count<<<1, 1>>>();
  for (int first = 0; first < 2; first++) {
    const Arrays a = {grid->nx, grid->ny, grid->nz, f, first, u};
    lazy<<<dim3((grid->nx + block.x - 1) / block.x, grid->ny, (grid->nz + 1) / 2), block>>>(a);
  }
}

static void launch(const Grid *grid, dim3 block, double *f, const double *u) {
  set_weights(grid);
  Arrays a = {grid->nx, grid->ny, grid->nz, f, 0, u};
  const dim3 blocks((grid->nx + block.x - 1) / block.x, grid->ny, (grid->nz + 1) / 2);
  even<<<blocks, block>>>(a);
  a.first = 1;
  odd<<<blocks, block>>>(a);
}

const Lab lab = {
    .file = __FILE__,
    .family = LAPLACIAN,
    .kernels = {
        {.name = "even", .function = (const void *)even, .launch = {.laplacian = launch}},
        {.name = "lazy", .function = (const void *)lazy, .launch = {.laplacian = launch_lazy}}}};
