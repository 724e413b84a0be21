// Samples of textures as their definition says, computed by the host.
//
// In: texels in memory without gaps, a shape and a point. Out: the sample, in double.
#ifndef TESTS_EMULATOR_HOST_SAMPLE_H
#define TESTS_EMULATOR_HOST_SAMPLE_H

#include <hip/hip_runtime.h>
#include <math.h>

// Element i of an axis of n, -1 in the border.
static int element(long i, int n, hipTextureAddressMode mode) {
  if (mode == hipAddressModeBorder)
    return i < 0 || i >= n ? -1 : (int)i;
  if (mode == hipAddressModeClamp)
    return (int)(i < 0 ? 0 : i >= n ? n - 1 : i);
  long period = mode == hipAddressModeMirror ? 2 * n : n, rest = i % period;
  rest += rest < 0 ? period : 0;
  return (int)(rest < n ? rest : 2 * n - 1 - rest);
}

typedef struct {
  int extent[3];
  hipTextureAddressMode mode;
  bool linear, normalized;
  double border; // what lies outside with hipAddressModeBorder
} Shape;

static double texel(const float *data, const Shape *s, const long at[3]) {
  int i[3];
  for (int axis = 0; axis < 3; axis++)
    if ((i[axis] = element(at[axis], s->extent[axis], s->mode)) < 0)
      return s->border;
  return data[(i[2] * s->extent[1] + i[1]) * s->extent[0] + i[0]];
}

// Interpolates axis by axis. `dimensions` of the coordinates count.
static double along(const float *data, const Shape *s, const double point[3], int axis,
                    long at[3]) {
  if (axis < 0)
    return texel(data, s, at);
  if (!s->linear) {
    at[axis] = (long)floor(point[axis]);
    return along(data, s, point, axis - 1, at);
  }
  const double lower = floor(point[axis] - 0.5), share = point[axis] - 0.5 - lower;
  at[axis] = (long)lower;
  const double low = along(data, s, point, axis - 1, at);
  at[axis] = (long)lower + 1;
  return low + share * (along(data, s, point, axis - 1, at) - low);
}

static double sample(const float *data, const Shape *s, int dimensions, const float *given) {
  double point[3];
  long at[3] = {0, 0, 0};
  for (int axis = 0; axis < dimensions; axis++)
    point[axis] = (double)given[axis] * (s->normalized ? s->extent[axis] : 1);
  return along(data, s, point, dimensions - 1, at);
}

#endif
