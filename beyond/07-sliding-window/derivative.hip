// Lab 07, beyond: the sliding window along z with wide loads, several of them on their way at once.
//
// In:  u, floats with a halo of RADIUS points around the interior; x contiguous; n_w, the points
//      along z that a thread computes in each of its four columns (--window).
// Out: f = second derivative of u along z at every interior point; the rest is left as it was.
#include "lab.h"
#include "weights.h"

#include <hip/hip_runtime.h>

// PREDICTION, as one may write it before the first run. make check reads these lines.
//   values loaded for each stored, n_w = 8: 2
//   HBM read / write, n_w = 32: 1.25
//   kernel time, n_w = 32 against n_w = 1 (shorter, same, longer): shorter
//   scratch of a window behind a pointer, B a lane: 36

// Points to either side that a derivative uses; its order is twice that.
#ifndef RADIUS
#define RADIUS 4
#endif
#define POINTS (2 * RADIUS + 1)

// Elements: the first interior point of each row begins a cache line, here or there.
#define ALIGNMENT 64

// Planes or rows whose values a thread asks for before it uses the first.
#define AHEAD 8

__constant__ const float weights[POINTS] = WEIGHTS(RADIUS);

// Where the rows of an array lie. nx counts the halo.
static void layout(int nx, int radius, size_t *ld, size_t *offset) {
  *ld = ((size_t)nx + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  *offset = ALIGNMENT - (size_t)radius;
}

// Four neighbours along x, which one load or store moves.
typedef struct __align__(16) {
  float v[4];
}
Quad;

static __device__ __forceinline__ Quad load(const float *from) { return *(const Quad *)from; }

// The first `valid` of the four: behind the last interior point of a row nothing may be written.
static __device__ __forceinline__ void store(float *to, Quad quad, int valid) {
  if (valid >= 4) {
    *(Quad *)to = quad;
    return;
  }
#pragma unroll
  for (int v = 0; v < 4; v++)
    if (v < valid)
      to[v] = quad.v[v];
}

// Derivatives of four columns of `count` points that are stride elements apart; f and u lead to the
// first point. The window of lab 07, but AHEAD values are on their way at once.
static __device__ __forceinline__ void march(float *f, const float *u, size_t stride, int count,
                                             int valid, float factor) {
  Quad w[POINTS - 1 + AHEAD];
  u -= RADIUS * stride;
#pragma unroll
  for (int r = 0; r < POINTS - 1; r++, u += stride)
    w[r] = load(u);

  for (int n = 0; n < count; n += AHEAD, u += AHEAD * stride, f += AHEAD * stride) {
#pragma unroll
    for (int t = 0; t < AHEAD; t++)
      if (n + t < count)
        w[POINTS - 1 + t] = load(u + t * stride);

#pragma unroll
    for (int t = 0; t < AHEAD; t++) {
      Quad sum;
#pragma unroll
      for (int v = 0; v < 4; v++) {
        sum.v[v] = 0;
#pragma unroll
        for (int r = 0; r < POINTS; r++)
          sum.v[v] += w[t + r].v[v] * weights[r];
        sum.v[v] *= factor;
      }
      if (n + t < count)
        store(f + t * stride, sum, valid);
    }

#pragma unroll
    for (int r = 0; r < POINTS - 1; r++)
      w[r] = w[r + AHEAD];
  }
}

// A thread has four columns of n_w points, of which the last chunk of a column may have fewer.
__global__ __launch_bounds__(256) void window(float *f, const float *u, Grid grid, int n_w,
                                              float invhz2) {
  const int first = 4 * (threadIdx.x + blockIdx.x * blockDim.x);
  const int j = RADIUS + threadIdx.y + blockIdx.y * blockDim.y;
  const int plane = n_w * (threadIdx.z + blockIdx.z * blockDim.z);
  const int valid = grid.nx - 2 * RADIUS - first, left = grid.nz - 2 * RADIUS - plane;
  if (valid <= 0 || j >= grid.ny - RADIUS || left <= 0)
    return;
  const size_t pos = RADIUS + first + grid.ld * j + grid.slice * (RADIUS + plane);
  march(f + pos, u + pos, grid.slice, left < n_w ? left : n_w, valid, invhz2);
}

static unsigned blocks_along(int points, int each, unsigned threads) {
  const unsigned needed = (points - 2 * RADIUS + each - 1) / each;
  return (needed + threads - 1) / threads;
}

static void launch_window(const Grid *grid, dim3 block, int n_w, float *f, const float *u) {
  const dim3 blocks(blocks_along(grid->nx, 4, block.x), blocks_along(grid->ny, 1, block.y),
                    blocks_along(grid->nz, n_w, block.z));
  window<<<blocks, block>>>(f, u, *grid, n_w, 1 / (grid->hz * grid->hz));
}

const Lab lab = {.file = __FILE__,
                 .family = DERIVATIVE,
                 .kernels = {{.name = "window",
                              .function = (const void *)window,
                              .block = {64, 4, 1},
                              .axis = 'z',
                              .radius = RADIUS,
                              .layout = layout,
                              .window = 256,
                              .launch = {.derivative = launch_window}}}};
