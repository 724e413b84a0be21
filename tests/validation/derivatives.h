// What the programs of high-order derivatives share: the grid inside its halo, its layout in memory,
// the weights, and a check of every point on the host.
//
// In:  the radius R of the stencil and whether rows are aligned.
// Out: arrays filled with small whole numbers, so that results are exact; a sentence on the first
//      point that is wrong, or that was written outside the grid.
#ifndef VALIDATION_DERIVATIVES_H
#define VALIDATION_DERIVATIVES_H

#include "measure.h"

#include <stdint.h>
#include <string.h>

enum { NX = 512, NY = 512, MOST_RADIUS = 4, MOST_POINTS = 2 * MOST_RADIUS + 1 };
enum { ALIGNMENT = 64 }; // of rows, in elements, when aligned

// Of x, y and z; a stencil of radius R takes the first 2R + 1. No two agree, so that a kernel which
// takes the wrong ones, or the right ones in another order, is found out.
enum { X, Y, Z, DIRECTIONS };
static const float WEIGHTS[DIRECTIONS][MOST_POINTS] = {{-1, 8, -28, 56, -70, 57, -29, 9, -2},
                                                       {3, -7, 26, -54, 71, -58, 27, -6, 1},
                                                       {2, 5, -24, 53, -72, 59, -25, 4, -3}};
__constant__ float weights[DIRECTIONS][MOST_POINTS];

// The array with its halo. Element (0, 0, 0) of the halo lies `offset` elements into its memory.
typedef struct {
  int radius, nz;
  int line, slice; // elements from a point to the next in y, in z
  int offset;
  size_t elements;
} Layout;

static Layout lay_out(int radius, bool aligned, int nz) {
  Layout layout = {.radius = radius, .nz = nz, .line = NX + 2 * radius};
  if (aligned) {
    layout.line = (layout.line + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    layout.offset = ALIGNMENT - radius; // brings the first inner point to a multiple of 64 elements
  }
  layout.slice = layout.line * (NY + 2 * radius);
  layout.elements = (size_t)layout.slice * (nz + 2 * radius);
  return layout;
}

typedef struct {
  Layout layout;
  float *host_in, *in, *out; // in and out on the device
} Arrays;

static Arrays make_arrays(Layout layout) {
  // Behind the last point lies as much as in front of the first: wide loads may look there.
  const size_t bytes = (layout.elements + 2 * layout.offset) * sizeof(float);
  Arrays arrays = {.layout = layout,
                   .host_in = (float *)host_array(layout.elements * sizeof(float)),
                   .in = (float *)device_array(bytes) + layout.offset,
                   .out = (float *)device_array(bytes) + layout.offset};
  uint32_t state = 1;
  for (size_t n = 0; n < layout.elements; n++) {
    state = state * 1664525u + 1013904223u;
    arrays.host_in[n] = state >> 22; // whole numbers below 1024
  }
  upload(arrays.in, arrays.host_in, layout.elements * sizeof(float));
  succeed(hipMemset(arrays.out, 0xff, layout.elements * sizeof(float)), "Poisoning the output");
  succeed(hipMemcpyToSymbol(HIP_SYMBOL(weights), WEIGHTS, sizeof WEIGHTS), "Setting the weights");
  return arrays;
}

// The sum of the derivatives along `directions`, a word of x, y and z.
static float expected(const float *at, const Layout *layout, const char *directions) {
  const int strides[DIRECTIONS] = {1, layout->line, layout->slice};
  float sum = 0;
  for (; *directions; directions++) {
    const int direction = *directions - 'x';
    for (int r = 0; r <= 2 * layout->radius; r++)
      sum += at[(r - layout->radius) * strides[direction]] * WEIGHTS[direction][r];
  }
  return sum;
}

// Checks slice k of the output: inside, the derivatives; in the halo, the untouched poison.
static void check_slice(const float *out, const Arrays *arrays, const char *directions, int k) {
  const Layout *layout = &arrays->layout;
  const int R = layout->radius;
  for (int j = 0; j < NY + 2 * R; j++)
    for (int i = 0; i < NX + 2 * R; i++) {
      const bool inside =
          i >= R && i < NX + R && j >= R && j < NY + R && k >= R && k < layout->nz + R;
      const float found = out[i + layout->line * j];
      const size_t at = i + (size_t)layout->line * j + (size_t)layout->slice * k;
      if (inside ? found != expected(arrays->host_in + at, layout, directions) : found == found)
        fail("The kernel left %g at point (%d, %d, %d), which is wrong.", found, i, j, k);
    }
}

static void check(const Arrays *arrays, const char *directions) {
  const Layout *layout = &arrays->layout;
  const size_t bytes = layout->slice * sizeof(float);
  float *slice = (float *)host_array(bytes);
  for (int k = 0; k < layout->nz + 2 * layout->radius; k++) {
    download(slice, arrays->out + (size_t)layout->slice * k, bytes);
    check_slice(slice, arrays, directions, k);
  }
  free(slice);
}

#endif
