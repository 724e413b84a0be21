// Lab 07: the kernel of lab 06 along z. You make a thread slide over n_w points of a column.
//
// In:  u, floats with a halo of RADIUS points around the interior; x contiguous; n_w, the points
//      along z that a thread computes (--window).
// Out: f = second derivative of u along z at every interior point; the rest is left as it was.
#include "lab.h"
#include "weights.h"

#include <hip/hip_runtime.h>

// PREDICTION, to be written before the first run: replace each "?". make check reads these lines.
//   values loaded for each stored, n_w = 8: ?
//   HBM read / write, n_w = 32: ?
//   kernel time, n_w = 32 against n_w = 1 (shorter, same, longer): ?
//   scratch of a window behind a pointer, B a lane: ?

// QUESTIONS on your own run, for a point more: replace each "?" once make run says "verified".
//   wavefronts for the 32 planes, n_w = 32: ?
//   values that a thread loads for its 32 points, n_w = 32: ?

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

__global__ __launch_bounds__(256) void window(float *f, const float *u, Grid grid, int n_w,
                                              float invhz2) {
  // TODO 1: the thread's chunk begins at k = RADIUS + n_w * (its number in z) and has n_w points,
  // or as many as are left. TODO 2: compute them one after the other, with a window of POINTS
  // values in registers, so that a point costs one load.
  size_t pos;
  if (find_point(&grid, &pos))
    f[pos] = weighted_sum(u + pos - RADIUS * grid.slice, grid.slice) * invhz2;
}

// Blocks for the interior: one column a thread in x and y.
static dim3 blocks_for(const Grid *grid, dim3 block, int n_w) {
  const int halo = 2 * RADIUS;
  const unsigned chunks = grid->nz - halo; // TODO 3: n_w points each
  return dim3((grid->nx - halo + block.x - 1) / block.x, (grid->ny - halo + block.y - 1) / block.y,
              (chunks + block.z - 1) / block.z);
}

static void launch_window(const Grid *grid, dim3 block, int n_w, float *f, const float *u) {
  window<<<blocks_for(grid, block, n_w), block>>>(f, u, *grid, n_w, 1 / (grid->hz * grid->hz));
}

const Lab lab = {.file = __FILE__,
                 .family = DERIVATIVE,
                 .kernels = {{.name = "window",
                              .function = (const void *)window,
                              .block = {64, 4, 1},
                              .axis = 'z',
                              .radius = RADIUS,
                              .layout = layout,
                              .window = 32,
                              .launch = {.derivative = launch_window}}}};
