// Lab 06, solved: second derivatives along x, y and z, their rows aligned to cache lines.
//
// In:  u, floats with a halo of RADIUS points around the interior; x contiguous.
// Out: f = second derivative of u along one axis at every interior point; the rest is left as it
//      was.
#include "lab.h"
#include "weights.h"

#include <hip/hip_runtime.h>

// PREDICTION, as one may write it before the first run. make check reads these lines.
//   look-ups in L1, along x, aligned against packed (fewer, same, more): same
//   look-ups in L1, along z, aligned against packed (fewer, same, more): fewer
//   data to and from HBM, along z, aligned against packed (less, same, more): same
//   memory for one array, % beyond packed: 11

// QUESTIONS on the run, as make check asks them after the pass. It reads these lines, too.
//   wavefronts for each plane, along y: 4096
//   bytes that L1 looks up for each point, along z: 40

// Points to either side that a derivative uses; its order is twice that. make run R=2 sets it for
// one build.
#ifndef RADIUS
#define RADIUS 4
#endif
#define POINTS (2 * RADIUS + 1)

// Elements: the 64 floats of a wavefront, four cache lines of 64 B.
#define ALIGNMENT 64

__constant__ const float weights[POINTS] = WEIGHTS(RADIUS);

// Where the rows of an array lie. nx counts the halo.
static void layout(int nx, int radius, size_t *ld, size_t *offset) {
  *ld = ((size_t)nx + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  *offset = ALIGNMENT - (size_t)radius; // brings the first interior point of a row to a boundary
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
  *pos = i + grid->ld * j + grid->slice * k;
  return i < grid->nx - RADIUS && j < grid->ny - RADIUS && k < grid->nz - RADIUS;
}

__global__ __launch_bounds__(256) void along_x(float *f, const float *u, Grid grid, float invhx2) {
  size_t pos;
  if (find_point(&grid, &pos))
    f[pos] = weighted_sum(u + pos - RADIUS, 1) * invhx2;
}

__global__ __launch_bounds__(256) void along_y(float *f, const float *u, Grid grid, float invhy2) {
  size_t pos;
  if (find_point(&grid, &pos))
    f[pos] = weighted_sum(u + pos - RADIUS * grid.ld, grid.ld) * invhy2;
}

__global__ __launch_bounds__(512) void along_z(float *f, const float *u, Grid grid, float invhz2) {
  size_t pos;
  if (find_point(&grid, &pos))
    f[pos] = weighted_sum(u + pos - RADIUS * grid.slice, grid.slice) * invhz2;
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
