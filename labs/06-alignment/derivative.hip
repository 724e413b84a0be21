// Lab 06: second derivatives along x, y and z, with packed rows. You align the rows to cache lines.
//
// In:  u, floats with a halo of RADIUS points around the interior; x contiguous.
// Out: f = second derivative of u along one axis at every interior point; the rest is left as it
//      was.
#include "lab.h"
#include "weights.h"

#include <hip/hip_runtime.h>

// PREDICTION, to be written before the first run: replace each "?". make check reads these lines.
//   look-ups in L1, along x, aligned against packed (fewer, same, more): ?
//   look-ups in L1, along z, aligned against packed (fewer, same, more): ?
//   data to and from HBM, along z, aligned against packed (less, same, more): ?
//   memory for one array, % beyond packed: ?

// QUESTIONS on your own run, for a point more: replace each "?" once make run says "verified".
//   wavefronts for each plane, along y: ?
//   bytes that L1 looks up for each point, along z: ?

// Points to either side that a derivative uses; its order is twice that. make run R=2 sets it for
// one build.
#ifndef RADIUS
#define RADIUS 4
#endif
#define POINTS (2 * RADIUS + 1)

__constant__ const float weights[POINTS] = WEIGHTS(RADIUS);

// Where the rows of an array lie. nx counts the halo.
static void layout(int nx, int radius, size_t *ld, size_t *offset) {
  // TODO 1: start every row a multiple of 64 elements behind the one before, and move the base so
  // that the first interior point of a row, its element number radius, is at such a multiple.
  *ld = nx;
  *offset = 0;
}

// Sum of POINTS weighted values, stride elements apart.
static __device__ __forceinline__ float weighted_sum(const float *first, ptrdiff_t stride) {
  float sum = 0;
#pragma unroll
  for (int r = 0; r < POINTS; r++)
    sum += first[r * stride] * weights[r];
  return sum;
}

// The element of the thread's own point. False beyond the interior.
static __device__ __forceinline__ bool find_point(const Grid *grid, size_t *pos) {
  const int i = RADIUS + threadIdx.x + blockIdx.x * blockDim.x;
  const int j = RADIUS + threadIdx.y + blockIdx.y * blockDim.y;
  const int k = RADIUS + threadIdx.z + blockIdx.z * blockDim.z;
  const size_t ld = grid->nx; // TODO 2: is that still how far rows are apart?
  *pos = i + ld * j + ld * grid->ny * k;
  return i < grid->nx - RADIUS && j < grid->ny - RADIUS && k < grid->nz - RADIUS;
}

__global__ __launch_bounds__(256) void along_x(float *f, const float *u, Grid grid, float invhx2) {
  size_t pos;
  if (find_point(&grid, &pos))
    f[pos] = weighted_sum(u + pos - RADIUS, 1) * invhx2;
}

__global__ __launch_bounds__(256) void along_y(float *f, const float *u, Grid grid, float invhy2) {
  const size_t ld = grid.nx; // TODO 2: and here
  size_t pos;
  if (find_point(&grid, &pos))
    f[pos] = weighted_sum(u + pos - RADIUS * ld, ld) * invhy2;
}

__global__ __launch_bounds__(512) void along_z(float *f, const float *u, Grid grid, float invhz2) {
  const size_t slice = (size_t)grid.nx * grid.ny; // TODO 2: and here
  size_t pos;
  if (find_point(&grid, &pos))
    f[pos] = weighted_sum(u + pos - RADIUS * slice, slice) * invhz2;
}

// Blocks for the interior, one point a thread.
static dim3 blocks_for(const Grid *grid, dim3 block) {
  const int halo = 2 * RADIUS;
  return dim3((grid->nx - halo + block.x - 1) / block.x, (grid->ny - halo + block.y - 1) / block.y,
              (grid->nz - halo + block.z - 1) / block.z);
}

static void launch_x(const Grid *grid, dim3 block, int window, float *f, const float *u) {
  along_x<<<blocks_for(grid, block), block>>>(f, u, *grid, 1 / (grid->hx * grid->hx));
}

static void launch_y(const Grid *grid, dim3 block, int window, float *f, const float *u) {
  along_y<<<blocks_for(grid, block), block>>>(f, u, *grid, 1 / (grid->hy * grid->hy));
}

static void launch_z(const Grid *grid, dim3 block, int window, float *f, const float *u) {
  along_z<<<blocks_for(grid, block), block>>>(f, u, *grid, 1 / (grid->hz * grid->hz));
}

const Lab lab = {.file = __FILE__,
                 .family = DERIVATIVE,
                 .kernels = {{.name = "along_x",
                              .function = (const void *)along_x,
                              .block = {256, 1, 1},
                              .axis = 'x',
                              .radius = RADIUS,
                              .layout = layout,
                              .launch = {.derivative = launch_x}},
                             {.name = "along_y",
                              .function = (const void *)along_y,
                              .block = {64, 4, 1},
                              .axis = 'y',
                              .radius = RADIUS,
                              .layout = layout,
                              .launch = {.derivative = launch_y}},
                             {.name = "along_z",
                              .function = (const void *)along_z,
                              .block = {64, 8, 1},
                              .axis = 'z',
                              .radius = RADIUS,
                              .layout = layout,
                              .launch = {.derivative = launch_z}}}};
