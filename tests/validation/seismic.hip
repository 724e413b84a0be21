// The high-order finite-difference kernels of AMD's "Seismic stencil codes - part 2", written anew:
// second derivatives of radius 4 in single precision along x, y or z, and the sliding window.
//
// In:  seismic CASE LAYOUT NZ; CASE is x, y, z or windowN (a window of N points a thread along z),
//      LAYOUT is unaligned or aligned, the grid is 512 x 512 x NZ points inside a halo of 4.
// Out: "time_ms X" of one launch; every point is checked against the host, and a wrong one ends the
//      program with a sentence. The inputs are small whole numbers, so the results are exact.
//
// Workgroups are 64 x 8 for z and 64 x 4 for the window, as in the article's examples. For x and y
// no shape was printed: 256 x 1 and 64 x 4 are the ones whose requests from L1 to L2 are those that
// were (x aligned: 18 lines read for 16 written; y aligned: (4 + 2 * 4) / 4 = 3 rows for one).
#include "measure.h"

#include <stdint.h>
#include <string.h>

enum { NX = 512, NY = 512, R = 4, POINTS = 2 * R + 1 };
enum { ALIGNMENT = 64 }; // of rows, in elements, when aligned

static const float WEIGHTS[POINTS] = {-1, 8, -28, 56, -70, 57, -29, 9, -2};
__constant__ float weights[POINTS];

// The array with its halo. Element (0, 0, 0) of the halo lies `offset` elements into its memory.
typedef struct {
  int line, slice; // elements from a point to the next in y, in z
  int offset;
} Layout;

// --- kernels ---

#define ARGUMENTS float *__restrict__ out, const float *__restrict__ in, int line, int slice, int nz

#define POINT                                                                                      \
  const int i = R + threadIdx.x + blockIdx.x * blockDim.x;                                         \
  const int j = R + threadIdx.y + blockIdx.y * blockDim.y;                                         \
  const int k = R + threadIdx.z + blockIdx.z * blockDim.z;                                         \
  if (i >= NX + R || j >= NY + R || k >= nz + R)                                                   \
    return;                                                                                        \
  const size_t pos = i + line * j + slice * k

static __device__ __forceinline__ float derivative(const float *first, int stride) {
  float sum = 0;
#pragma unroll
  for (int r = 0; r < POINTS; r++)
    sum += first[r * stride] * weights[r];
  return sum;
}

__global__ __launch_bounds__(256) void along_x(ARGUMENTS) {
  POINT;
  out[pos] = derivative(in + pos - R, 1);
}

__global__ __launch_bounds__(256) void along_y(ARGUMENTS) {
  POINT;
  out[pos] = derivative(in + pos - R * line, line);
}

__global__ __launch_bounds__(512) void along_z(ARGUMENTS) {
  POINT;
  out[pos] = derivative(in + pos - R * slice, slice);
}

// Keeps the last 2R values of its column in registers, so that each new point costs one load.
__global__ __launch_bounds__(256) void window_along_z(float *out, const float *in, int line,
                                                      int slice, int nz, int length) {
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
      sum += window[r] * weights[r];
    *to = sum;
#pragma unroll
    for (int r = 0; r < POINTS - 1; r++)
      window[r] = window[r + 1];
  }
}

// --- host ---

static Layout lay_out(const char *name) {
  Layout layout = {.line = NX + 2 * R};
  if (strcmp(name, "aligned") == 0) {
    layout.line = (layout.line + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    layout.offset = ALIGNMENT - R; // brings the first inner point to a multiple of 64 elements
  } else if (strcmp(name, "unaligned") != 0) {
    fail("LAYOUT is aligned or unaligned, not '%s'.", name);
  }
  layout.slice = layout.line * (NY + 2 * R);
  return layout;
}

static void launch(const char *name, float *out, const float *in, Layout layout, int nz) {
  static const char WINDOW[] = "window";
  const struct {
    const char *name;
    void (*kernel)(ARGUMENTS);
    dim3 block;
  } direct[] = {
      {"x", along_x, dim3(256, 1)}, {"y", along_y, dim3(64, 4)}, {"z", along_z, dim3(64, 8)}};
  for (size_t n = 0; n < sizeof direct / sizeof *direct; n++)
    if (strcmp(direct[n].name, name) == 0) {
      const dim3 block = direct[n].block, grid(NX / block.x, NY / block.y, nz);
      MEASURE((direct[n].kernel<<<grid, block>>>(out, in, layout.line, layout.slice, nz)));
      return;
    }
  if (strncmp(name, WINDOW, sizeof WINDOW - 1) != 0)
    fail("CASE is x, y, z or windowN, not '%s'.", name);
  const int length = argument(name + sizeof WINDOW - 1, "N of windowN", 1);
  const dim3 block(64, 4), grid(NX / block.x, NY / block.y, (nz + length - 1) / length);
  MEASURE((window_along_z<<<grid, block>>>(out, in, layout.line, layout.slice, nz, length)));
}

static void fill(float *in, size_t elements) {
  uint32_t state = 1;
  for (size_t n = 0; n < elements; n++) {
    state = state * 1664525u + 1013904223u;
    in[n] = state >> 22; // whole numbers below 1024
  }
}

static float expected(const float *at, int stride) {
  float sum = 0;
  for (int r = 0; r < POINTS; r++)
    sum += at[(r - R) * stride] * WEIGHTS[r];
  return sum;
}

// Checks slice k of the output: inside, the derivative; in the halo, the untouched poison.
static void check_slice(const float *out, const float *in, Layout layout, int stride, int k,
                        int nz) {
  for (int j = 0; j < NY + 2 * R; j++)
    for (int i = 0; i < NX + 2 * R; i++) {
      const bool inside = i >= R && i < NX + R && j >= R && j < NY + R && k >= R && k < nz + R;
      const float found = out[i + layout.line * j];
      const size_t at = i + (size_t)layout.line * j + (size_t)layout.slice * k;
      if (inside ? found != expected(in + at, stride) : found == found)
        fail("The kernel left %g at point (%d, %d, %d), which is wrong.", found, i, j, k);
    }
}

int main(int argc, char **argv) {
  if (argc != 4)
    fail("Usage: seismic CASE LAYOUT NZ");
  const Layout layout = lay_out(argv[2]);
  const int nz = argument(argv[3], "NZ", 1);
  const size_t elements = (size_t)layout.slice * (nz + 2 * R);
  const size_t bytes = (elements + layout.offset) * sizeof(float);
  float *host_in = (float *)host_array(elements * sizeof(float));
  float *host_out = (float *)host_array(layout.slice * sizeof(float));
  float *in = (float *)device_array(bytes) + layout.offset;
  float *out = (float *)device_array(bytes) + layout.offset;
  fill(host_in, elements);
  upload(in, host_in, elements * sizeof(float));
  succeed(hipMemset(out, 0xff, elements * sizeof(float)), "Poisoning the output");
  succeed(hipMemcpyToSymbol(HIP_SYMBOL(weights), WEIGHTS, sizeof WEIGHTS), "Setting the weights");

  launch(argv[1], out, in, layout, nz);

  const int stride = argv[1][0] == 'x' ? 1 : argv[1][0] == 'y' ? layout.line : layout.slice;
  for (int k = 0; k < nz + 2 * R; k++) {
    download(host_out, out + (size_t)layout.slice * k, layout.slice * sizeof(float));
    check_slice(host_out, host_in, layout, stride, k, nz);
  }
  return 0;
}
