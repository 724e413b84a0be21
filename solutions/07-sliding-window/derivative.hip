// Lab 07, solved: the second derivative along z, with a sliding window in registers; beside it the
// same with a window that the compiler cannot keep there.
//
// In:  u, floats with a halo of RADIUS points around the interior; x contiguous; n_w, the points
//      along z that a thread computes (--window).
// Out: f = second derivative of u along z at every interior point; the rest is left as it was.
#include "lab.h"
#include "weights.h"

#include <hip/hip_runtime.h>

// PREDICTION, as one may write it before the first run. make check reads these lines.
//   values loaded for each stored, n_w = 8: 2
//   HBM read / write, n_w = 32: 1.25
//   kernel time, n_w = 32 against n_w = 1 (shorter, same, longer): shorter
//   scratch of a window behind a pointer, B a lane: 36

// QUESTIONS on the run, as make check asks them after the pass. It reads these lines, too.
//   wavefronts for the 32 planes, n_w = 32: 4096
//   values that a thread loads for its 32 points, n_w = 32: 40

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

// The thread's chunk of a column: its first element, and how many of its n_w points there are, for
// the last chunk of a column may have fewer. False beyond the interior.
static __device__ __forceinline__ bool find_chunk(const Grid *grid, int n_w, size_t *pos,
                                                  int *count) {
  const int i = RADIUS + threadIdx.x + blockIdx.x * blockDim.x;
  const int j = RADIUS + threadIdx.y + blockIdx.y * blockDim.y;
  const int k = RADIUS + n_w * (threadIdx.z + blockIdx.z * blockDim.z);
  const int left = grid->nz - RADIUS - k;
  *pos = i + grid->ld * j + grid->slice * k;
  *count = left < n_w ? left : n_w;
  return i < grid->nx - RADIUS && j < grid->ny - RADIUS && left > 0;
}

__global__ __launch_bounds__(256) void window(float *f, const float *u, Grid grid, int n_w,
                                              float invhz2) {
  size_t pos;
  int count;
  if (!find_chunk(&grid, n_w, &pos, &count))
    return;
  const float *next = u + pos - RADIUS * grid.slice;
  float w[POINTS];

  // Prime: all values around the first point but the last.
#pragma unroll
  for (int r = 0; r < POINTS - 1; r++, next += grid.slice)
    w[r] = *next;

  for (int n = 0; n < count; n++, next += grid.slice, pos += grid.slice) {
    w[POINTS - 1] = *next; // the only load of a point
    float sum = 0;
#pragma unroll
    for (int r = 0; r < POINTS; r++)
      sum += w[r] * weights[r];
    f[pos] = sum * invhz2;

    // Slide. Unrolled, each w[r] is a register of its own.
#pragma unroll
    for (int r = 0; r < POINTS - 1; r++)
      w[r] = w[r + 1];
  }
}

// The same, but nothing is moved: the newest value takes the place of the oldest, and a pointer
// goes round. Registers have no address, so the window is in scratch memory.
__global__ __launch_bounds__(256) void ring(float *f, const float *u, Grid grid, int n_w,
                                            float invhz2) {
  size_t pos;
  int count;
  if (!find_chunk(&grid, n_w, &pos, &count))
    return;
  const float *next = u + pos - RADIUS * grid.slice;
  float w[POINTS], *const last = w + POINTS - 1;
  for (int r = 0; r < POINTS - 1; r++, next += grid.slice)
    w[r] = *next;

  float *newest = last;
  for (int n = 0; n < count; n++, next += grid.slice, pos += grid.slice) {
    *newest = *next;
    const float *at = newest;
    float sum = 0;
    for (int r = 0; r < POINTS; r++) {
      at = at == last ? w : at + 1; // the oldest comes behind the newest
      sum += *at * weights[r];
    }
    f[pos] = sum * invhz2;
    newest = newest == last ? w : newest + 1;
  }
}

// Blocks for the interior: one column a thread in x and y, n_w points of it in z.
static dim3 blocks_for(const Grid *grid, dim3 block, int n_w) {
  const int halo = 2 * RADIUS;
  const unsigned chunks = (grid->nz - halo + n_w - 1) / n_w;
  return dim3((grid->nx - halo + block.x - 1) / block.x, (grid->ny - halo + block.y - 1) / block.y,
              (chunks + block.z - 1) / block.z);
}

static void launch_window(const Grid *grid, dim3 block, int n_w, float *f, const float *u) {
  window<<<blocks_for(grid, block, n_w), block>>>(f, u, *grid, n_w, 1 / (grid->hz * grid->hz));
}

static void launch_ring(const Grid *grid, dim3 block, int n_w, float *f, const float *u) {
  ring<<<blocks_for(grid, block, n_w), block>>>(f, u, *grid, n_w, 1 / (grid->hz * grid->hz));
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
                              .launch = {.derivative = launch_window}},
                             {.name = "ring",
                              .function = (const void *)ring,
                              .block = {64, 4, 1},
                              .axis = 'z',
                              .radius = RADIUS,
                              .layout = layout,
                              .window = 32,
                              .launch = {.derivative = launch_ring}}}};
