// Lab 06, beyond: second derivatives along x, y and z as fast as a copy, or nearly so, on GPUs whose L2
// holds many planes.
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

// Points to either side that a derivative uses; its order is twice that.
#ifndef RADIUS
#define RADIUS 4
#endif
#define POINTS (2 * RADIUS + 1)

// Elements: the first interior point of each row begins a cache line, here or there.
#define ALIGNMENT 64

// Rows or planes that a thread computes, one after the other. Adjacent chunks along y are computed at
// the same time, so the rows that they share come from L2; planes are too large for that.
#define CHUNK_Y 16
#define CHUNK_Z 256

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

static __device__ __forceinline__ int smaller(int a, int b) { return a < b ? a : b; }

// A thread has four points.
__global__ __launch_bounds__(512) void along_x(float *f, const float *u, Grid grid, float invhx2) {
  const int first = 4 * (threadIdx.x + blockIdx.x * blockDim.x);
  const int j = RADIUS + threadIdx.y + blockIdx.y * blockDim.y;
  const int k = RADIUS + threadIdx.z + blockIdx.z * blockDim.z;
  const int valid = grid.nx - 2 * RADIUS - first;
  if (valid <= 0 || j >= grid.ny - RADIUS || k >= grid.nz - RADIUS)
    return;
  const size_t pos = RADIUS + first + grid.ld * j + grid.slice * k;
  const Quad before = load(u + pos - 4), own = load(u + pos), behind = load(u + pos + 4);
  float near[12];
#pragma unroll
  for (int v = 0; v < 4; v++) {
    near[v] = before.v[v];
    near[4 + v] = own.v[v];
    near[8 + v] = behind.v[v];
  }
  Quad sum;
#pragma unroll
  for (int v = 0; v < 4; v++) {
    sum.v[v] = 0;
#pragma unroll
    for (int r = 0; r < POINTS; r++)
      sum.v[v] += near[4 + v + r - RADIUS] * weights[r];
    sum.v[v] *= invhx2;
  }
  store(f + pos, sum, valid);
}

// A thread has four columns of CHUNK_Y points.
__global__ __launch_bounds__(512) void along_y(float *f, const float *u, Grid grid, float invhy2) {
  const int first = 4 * (threadIdx.x + blockIdx.x * blockDim.x);
  const int row = CHUNK_Y * (threadIdx.y + blockIdx.y * blockDim.y);
  const int k = RADIUS + threadIdx.z + blockIdx.z * blockDim.z;
  const int valid = grid.nx - 2 * RADIUS - first;
  const int count = smaller(CHUNK_Y, grid.ny - 2 * RADIUS - row);
  if (valid <= 0 || count <= 0 || k >= grid.nz - RADIUS)
    return;
  const size_t pos = RADIUS + first + grid.ld * (RADIUS + row) + grid.slice * k;
  march(f + pos, u + pos, grid.ld, count, valid, invhy2);
}

// A thread has four columns of CHUNK_Z points.
__global__ __launch_bounds__(512) void along_z(float *f, const float *u, Grid grid, float invhz2) {
  const int first = 4 * (threadIdx.x + blockIdx.x * blockDim.x);
  const int j = RADIUS + threadIdx.y + blockIdx.y * blockDim.y;
  const int plane = CHUNK_Z * (threadIdx.z + blockIdx.z * blockDim.z);
  const int valid = grid.nx - 2 * RADIUS - first;
  const int count = smaller(CHUNK_Z, grid.nz - 2 * RADIUS - plane);
  if (valid <= 0 || j >= grid.ny - RADIUS || count <= 0)
    return;
  const size_t pos = RADIUS + first + grid.ld * j + grid.slice * (RADIUS + plane);
  march(f + pos, u + pos, grid.slice, count, valid, invhz2);
}

static unsigned blocks_along(int points, int each, unsigned threads) {
  const unsigned needed = (points - 2 * RADIUS + each - 1) / each;
  return (needed + threads - 1) / threads;
}

static dim3 blocks_for(const Grid *grid, dim3 block, int along_y, int along_z) {
  return dim3(blocks_along(grid->nx, 4, block.x), blocks_along(grid->ny, along_y, block.y),
              blocks_along(grid->nz, along_z, block.z));
}

static void launch_x(const Grid *grid, dim3 block, int window, float *f, const float *u) {
  along_x<<<blocks_for(grid, block, 1, 1), block>>>(f, u, *grid, 1 / (grid->hx * grid->hx));
}

static void launch_y(const Grid *grid, dim3 block, int window, float *f, const float *u) {
  along_y<<<blocks_for(grid, block, CHUNK_Y, 1), block>>>(f, u, *grid, 1 / (grid->hy * grid->hy));
}

static void launch_z(const Grid *grid, dim3 block, int window, float *f, const float *u) {
  along_z<<<blocks_for(grid, block, 1, CHUNK_Z), block>>>(f, u, *grid, 1 / (grid->hz * grid->hz));
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
                              .block = {64, 4, 1},
                              .axis = 'z',
                              .radius = RADIUS,
                              .layout = layout,
                              .launch = {.derivative = launch_z}}}};
