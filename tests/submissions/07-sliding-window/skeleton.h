// A right lab 07 program with places to go wrong. A submission defines some of the macros, then
// includes this:
//
// FIRST_K, LEFT, COUNT: a thread's chunk      CHUNKS: how many there are in z
// BACK, PRIMED: where the window begins, and how many values it starts with
// NEWEST: where a value is put      VALUE(r): weighted by weights[r]      SLIDE: a statement
// LD: the leading dimension          AFTER_LAUNCH: a statement in the launcher
#include "lab.h"
#include "weights.h"

#include <hip/hip_runtime.h>

// Points to either side that a derivative uses; its order is twice that. make run R=2 sets it for
// one build.
#ifndef RADIUS
#define RADIUS 4
#endif
#define POINTS (2 * RADIUS + 1)

// Elements: the 64 floats of a wavefront, four cache lines of 64 B.
#define ALIGNMENT 64

__constant__ const float weights[POINTS] = WEIGHTS(RADIUS);

#ifndef AFTER_LAUNCH
#define AFTER_LAUNCH
#endif
#ifndef FIRST_K
#define FIRST_K RADIUS + n_w *(threadIdx.z + blockIdx.z * blockDim.z)
#endif
#ifndef LEFT
#define LEFT grid->nz - RADIUS - k
#endif
#ifndef COUNT
#define COUNT left < n_w ? left : n_w
#endif
#ifndef BACK
#define BACK RADIUS
#endif
#ifndef PRIMED
#define PRIMED (POINTS - 1)
#endif
#ifndef NEWEST
#define NEWEST w[POINTS - 1]
#endif
#ifndef VALUE
#define VALUE(r) w[r]
#endif
#ifndef SLIDE
#define SLIDE _Pragma("unroll") for (int r = 0; r < POINTS - 1; r++) w[r] = w[r + 1]
#endif
#ifndef CHUNKS
#define CHUNKS (grid->nz - halo + n_w - 1) / n_w
#endif
#ifndef LD
#define LD (((size_t)nx + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)
#endif

// Where the rows of an array lie. nx counts the halo.
static void layout(int nx, int radius, size_t *ld, size_t *offset) {
  *ld = LD;
  *offset = ALIGNMENT - (size_t)radius; // brings the first interior point of a row to a boundary
}

// The thread's chunk of a column: its first element, and how many of its n_w points there are, for
// the last chunk of a column may have fewer. False beyond the interior.
static __device__ __forceinline__ bool find_chunk(const Grid *grid, int n_w, size_t *pos,
                                                  int *count) {
  const int i = RADIUS + threadIdx.x + blockIdx.x * blockDim.x;
  const int j = RADIUS + threadIdx.y + blockIdx.y * blockDim.y;
  const int k = FIRST_K;
  const int left = LEFT;
  *pos = i + grid->ld * j + grid->slice * k;
  *count = COUNT;
  return i < grid->nx - RADIUS && j < grid->ny - RADIUS && left > 0;
}

__global__ __launch_bounds__(256) void window(float *f, const float *u, Grid grid, int n_w,
                                              float invhz2) {
  size_t pos;
  int count;
  if (!find_chunk(&grid, n_w, &pos, &count))
    return;
  const float *next = u + pos - BACK * grid.slice;
  float w[POINTS];

  // Prime: all values around the first point but the last.
#pragma unroll
  for (int r = 0; r < PRIMED; r++, next += grid.slice)
    w[r] = *next;

  for (int n = 0; n < count; n++, next += grid.slice, pos += grid.slice) {
    NEWEST = *next;
    float sum = 0;
#pragma unroll
    for (int r = 0; r < POINTS; r++)
      sum += VALUE(r) * weights[r];
    f[pos] = sum * invhz2;

    SLIDE;
  }
}

// Blocks for the interior: one column a thread in x and y, n_w points of it in z.
static dim3 blocks_for(const Grid *grid, dim3 block, int n_w) {
  const int halo = 2 * RADIUS;
  const unsigned chunks = CHUNKS;
  return dim3((grid->nx - halo + block.x - 1) / block.x, (grid->ny - halo + block.y - 1) / block.y,
              (chunks + block.z - 1) / block.z);
}

static void launch_window(const Grid *grid, dim3 block, int n_w, float *f, const float *u) {
  window<<<blocks_for(grid, block, n_w), block>>>(f, u, *grid, n_w, 1 / (grid->hz * grid->hz));
  AFTER_LAUNCH;
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
