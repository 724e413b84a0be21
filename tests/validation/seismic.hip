// The high-order finite-difference kernels of AMD's "Seismic stencil codes - parts 1 and 2", written
// anew: second derivatives in single precision along x, y or z, and the sliding window.
//
// In:  seismic CASE LAYOUT [R] NZ; CASE is x, y, z or windowN (a window of N points a thread along
//      z), LAYOUT is unaligned or aligned, R the radius from 1 to 4 (4 if none is given, and of the
//      window). The grid is 512 x 512 x NZ points inside a halo of R.
// Out: "time_ms X" of one launch; every point is checked against the host, and a wrong one ends the
//      program with a sentence.
//
// Workgroups are 256 x 1 for x, 64 x 4 for y, 64 x 8 for z and 64 x 4 for the window, as in the code that
// accompanies the articles. Part 3 says of all earlier runs that they had 256 x 1, but only what x sends
// from L1 to L2 agrees with that (18 lines read for 16 written when aligned). Of y aligned,
// (4 + 2 * 4) / 4 = 3 rows were read for one, which only 4 rows a workgroup give; of z unaligned,
// 9 * 5 lines for 4, so that no two neighbouring waves share the line between them, as those of one row
// would.
#include "derivatives.h"

// --- kernels ---

#define ARGUMENTS float *__restrict__ out, const float *__restrict__ in, int line, int slice, int nz

#define POINT                                                                                      \
  const int i = R + threadIdx.x + blockIdx.x * blockDim.x;                                         \
  const int j = R + threadIdx.y + blockIdx.y * blockDim.y;                                         \
  const int k = R + threadIdx.z + blockIdx.z * blockDim.z;                                         \
  if (i >= NX + R || j >= NY + R || k >= nz + R)                                                   \
    return;                                                                                        \
  const size_t pos = i + line * j + slice * k

template <int R>
static __device__ __forceinline__ float derivative(const float *first, int stride,
                                                   const float *weight) {
  float sum = 0;
#pragma unroll
  for (int r = 0; r < 2 * R + 1; r++)
    sum += first[r * stride] * weight[r];
  return sum;
}

template <int R> __global__ __launch_bounds__(256) void along_x(ARGUMENTS) {
  POINT;
  out[pos] = derivative<R>(in + pos - R, 1, weights[X]);
}

template <int R> __global__ __launch_bounds__(256) void along_y(ARGUMENTS) {
  POINT;
  out[pos] = derivative<R>(in + pos - R * line, line, weights[Y]);
}

template <int R> __global__ __launch_bounds__(512) void along_z(ARGUMENTS) {
  POINT;
  out[pos] = derivative<R>(in + pos - R * slice, slice, weights[Z]);
}

// Keeps the last 2R values of its column in registers, so that each new point costs one load.
__global__ __launch_bounds__(256) void window_along_z(float *out, const float *in, int line,
                                                      int slice, int nz, int length) {
  enum { R = 4, POINTS = 2 * R + 1 };
  const int i = R + threadIdx.x + blockIdx.x * blockDim.x;
  const int j = R + threadIdx.y + blockIdx.y * blockDim.y;
  if (i >= NX + R || j >= NY + R)
    return;
  const int begin = R + blockIdx.z * length;
  const int end = begin + length < nz + R ? begin + length : nz + R;
  const float *ahead = in + (size_t)i + line * j + (size_t)slice * (begin - R);
  float *to = out + (size_t)i + line * j + (size_t)slice * begin;
  float window[POINTS];
#pragma unroll
  for (int r = 0; r < POINTS - 1; r++, ahead += slice)
    window[r] = *ahead;
  for (int k = begin; k < end; k++, ahead += slice, to += slice) {
    window[POINTS - 1] = *ahead;
    float sum = 0;
#pragma unroll
    for (int r = 0; r < POINTS; r++)
      sum += window[r] * weights[Z][r];
    *to = sum;
#pragma unroll
    for (int r = 0; r < POINTS - 1; r++)
      window[r] = window[r + 1];
  }
}

// --- host ---

typedef struct {
  const char *name;
  int radius;
  void (*kernel)(ARGUMENTS);
  dim3 block;
} Direct;

#define DIRECT(R)                                                                                  \
  {"x", R, along_x<R>, dim3(256, 1)}, {"y", R, along_y<R>, dim3(64, 4)}, {                         \
    "z", R, along_z<R>, dim3(64, 8)                                                                \
  }
static const Direct DIRECT_CASES[] = {DIRECT(1), DIRECT(2), DIRECT(3), DIRECT(4)};

static bool launch_direct(const char *name, const Arrays *arrays) {
  const Layout layout = arrays->layout;
  for (size_t n = 0; n < sizeof DIRECT_CASES / sizeof *DIRECT_CASES; n++) {
    const Direct *direct = &DIRECT_CASES[n];
    if (strcmp(direct->name, name) != 0 || direct->radius != layout.radius)
      continue;
    const dim3 block = direct->block, grid(NX / block.x, NY / block.y, layout.nz);
    MEASURE((direct->kernel<<<grid, block>>>(arrays->out, arrays->in, layout.line, layout.slice,
                                             layout.nz)));
    return true;
  }
  return false;
}

static void launch_window(const char *name, const Arrays *arrays) {
  static const char WINDOW[] = "window";
  const Layout layout = arrays->layout;
  if (strncmp(name, WINDOW, sizeof WINDOW - 1) != 0)
    fail("CASE is x, y, z or windowN, not '%s'.", name);
  if (layout.radius != 4)
    fail("The window's radius is 4, not %d.", layout.radius);
  const int length = argument(name + sizeof WINDOW - 1, "N of windowN", 1);
  const dim3 block(64, 4), grid(NX / block.x, NY / block.y, (layout.nz + length - 1) / length);
  MEASURE((window_along_z<<<grid, block>>>(arrays->out, arrays->in, layout.line, layout.slice,
                                           layout.nz, length)));
}

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5)
    fail("Usage: seismic CASE LAYOUT [R] NZ");
  const char *name = argv[1], *rows = argv[2];
  const bool aligned = strcmp(rows, "aligned") == 0;
  if (!aligned && strcmp(rows, "unaligned") != 0)
    fail("LAYOUT is aligned or unaligned, not '%s'.", rows);
  const int radius = argc == 5 ? argument(argv[3], "R", 1) : MOST_RADIUS;
  if (radius > MOST_RADIUS)
    fail("R is at most %d, not %d.", MOST_RADIUS, radius);
  const Arrays arrays = make_arrays(lay_out(radius, aligned, argument(argv[argc - 1], "NZ", 1)));
  if (!launch_direct(name, &arrays))
    launch_window(name, &arrays);
  const char direction[] = {name[0] == 'w' ? 'z' : name[0], '\0'};
  check(&arrays, direction);
  return 0;
}
