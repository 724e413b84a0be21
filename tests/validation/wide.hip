// The kernels of AMD's "Seismic stencil codes - part 3", written anew from its description: derivatives
// of radius 4 with 1, 2 or 4 floats a lane, with rows shared through LDS, and several directions in one.
//
// In:  wide CASE NZ; CASE is xV or yV (V floats a lane along x), ylds (V = 4, rows in LDS), xy (that
//      and x in one sweep, nontemporal store) or xyzN (that and a window of N points along z).
//      The grid is 512 x 512 x NZ points inside a halo of 4, rows are aligned to 64 elements.
// Out: "time_ms X" of one launch; every point is checked against the host, and a wrong one ends the
//      program with a sentence.
//
// A workgroup is 64 x 4, as published for all of these, and covers 64 V x 4 points. Its shape is known
// when the kernels are compiled: blockDim costs some compilers a vector load, which L1 would count.
#include "derivatives.h"

enum { R = 4, POINTS = 2 * R + 1, BLOCK_X = 64, BLOCK_Y = 4, THREADS = BLOCK_X * BLOCK_Y };

template <int V> using Floats = float __attribute__((ext_vector_type(V)));
typedef Floats<4> Four;

// --- kernels ---

// The grid begins at x0 and ends before x1, and so on. It is whole workgroups, but the kernels cannot
// know; that those with a barrier ask behind it, as published, decides how many registers they take.
#define ARGUMENTS                                                                                  \
  float *__restrict__ out, const float *__restrict__ in, int line, int slice, int x0, int x1,      \
      int y0, int y1, int z0, int z1

// The first of this lane's V points.
#define POINT(V)                                                                                   \
  const int i = x0 + (V) * (threadIdx.x + blockIdx.x * BLOCK_X);                                   \
  const int j = y0 + threadIdx.y + blockIdx.y * BLOCK_Y;                                           \
  const int k = z0 + blockIdx.z;                                                                   \
  const size_t pos = i + line * j + slice * k
#define OUTSIDE (i >= x1 || j >= y1 || k >= z1)

// What x needs around V points, as whole vectors: R of them a side, or the next multiple of V.
template <int V> struct Row {
  enum { SIDE = (R + V - 1) / V, VECTORS = 2 * SIDE + 1, FIRST = SIDE * V - R };
  Floats<V> vector[VECTORS];

  __device__ __forceinline__ void load(const Floats<V> *center) {
#pragma unroll
    for (int n = 0; n < VECTORS; n++)
      vector[n] = center[n - SIDE];
  }

  __device__ __forceinline__ Floats<V> derivative() const {
    Floats<V> sum = 0;
#pragma unroll
    for (int r = 0; r < POINTS; r++)
#pragma unroll
      for (int v = 0; v < V; v++)
        sum[v] += vector[(FIRST + r + v) / V][(FIRST + r + v) % V] * weights[X][r];
    return sum;
  }
};

template <int V> __global__ __launch_bounds__(THREADS) void along_x(ARGUMENTS) {
  POINT(V);
  if (OUTSIDE)
    return;
  Row<V> row;
  row.load((const Floats<V> *)(in + pos));
  *(Floats<V> *)(out + pos) = row.derivative();
}

template <int V> __global__ __launch_bounds__(THREADS) void along_y(ARGUMENTS) {
  POINT(V);
  if (OUTSIDE)
    return;
  const Floats<V> *from = (const Floats<V> *)(in + pos - R * line);
  const int step = line / V;
  Floats<V> sum = 0;
#pragma unroll
  for (int r = 0; r < POINTS; r++)
    sum += from[r * step] * weights[Y][r];
  *(Floats<V> *)(out + pos) = sum;
}

// Rows of a workgroup and the R rows below and above it, in LDS. Three loads a lane bring them.
struct Rows {
  Four at[BLOCK_Y + 2 * R][BLOCK_X];

  // center: this lane's own point in global memory, `own` what is there.
  __device__ __forceinline__ void fill(const Four *center, Four own, int step) {
    at[threadIdx.y][threadIdx.x] = center[-R * step];
    at[threadIdx.y + R][threadIdx.x] = own;
    at[threadIdx.y + R + BLOCK_Y][threadIdx.x] = center[BLOCK_Y * step];
    __syncthreads();
  }

  __device__ __forceinline__ Four derivative() const {
    Four sum = 0;
#pragma unroll
    for (int r = 0; r < POINTS; r++)
      sum += at[threadIdx.y + r][threadIdx.x] * weights[Y][r];
    return sum;
  }
};

__global__ __launch_bounds__(THREADS) void along_y_lds(ARGUMENTS) {
  __shared__ Rows rows;
  POINT(4);
  const Four *center = (const Four *)(in + pos);
  rows.fill(center, *center, line / 4);
  if (OUTSIDE)
    return;
  *(Four *)(out + pos) = rows.derivative();
}

__global__ __launch_bounds__(THREADS) void along_xy(ARGUMENTS) {
  __shared__ Rows rows;
  POINT(4);
  const Four *center = (const Four *)(in + pos);
  Row<4> row;
  row.load(center);
  rows.fill(center, row.vector[1], line / 4);
  if (OUTSIDE)
    return;
  __builtin_nontemporal_store(rows.derivative() + row.derivative(), (Four *)(out + pos));
}

// x and y of the plane that `center` points into.
static __device__ __forceinline__ Four in_plane(Rows *rows, Row<4> *row, const Four *center,
                                                int step) {
  row->load(center);
  rows->fill(center, row->vector[1], step);
  return rows->derivative() + row->derivative();
}

// A plane is loaded once, R planes ahead of the one that is finished: what x and y contribute waits in
// `planar` until the window has all that z needs.
__global__ __launch_bounds__(THREADS) void along_xyz(float *out, const float *in, int line,
                                                     int slice, int x0, int x1, int y0, int y1,
                                                     int z0, int z1, int length) {
  __shared__ Rows rows;
  const int i = x0 + 4 * (threadIdx.x + blockIdx.x * BLOCK_X);
  const int j = y0 + threadIdx.y + blockIdx.y * BLOCK_Y;
  if (i >= x1)
    return;
  const int begin = z0 + blockIdx.z * length;
  const int end = begin + length < z1 ? begin + length : z1;
  const size_t pos = (size_t)i + line * j + (size_t)slice * begin;
  const int step = line / 4, plane = slice / 4;
  const Four *ahead = (const Four *)(in + pos) - R * (size_t)plane;
  Four *to = (Four *)(out + pos);
  Four window[POINTS], planar[R + 1];
  Row<4> row;
#pragma unroll
  for (int r = 0; r < R; r++, ahead += plane)
    window[r] = *ahead;
#pragma unroll
  for (int r = 0; r < R; r++, ahead += plane) {
    __syncthreads(); // nobody reads the rows of the plane before any more
    planar[r] = in_plane(&rows, &row, ahead, step);
    window[R + r] = row.vector[1];
  }
  for (int k = begin; k < end; k++, ahead += plane, to += plane) {
    __syncthreads();
    planar[R] = in_plane(&rows, &row, ahead, step);
    window[2 * R] = row.vector[1];
    Four sum = planar[0];
#pragma unroll
    for (int r = 0; r < POINTS; r++)
      sum += window[r] * weights[Z][r];
    if (j < y1)
      __builtin_nontemporal_store(sum, to);
#pragma unroll
    for (int r = 0; r < R; r++)
      planar[r] = planar[r + 1];
#pragma unroll
    for (int r = 0; r < 2 * R; r++)
      window[r] = window[r + 1];
  }
}

// --- host ---

typedef struct {
  const char *name, *directions;
  void (*kernel)(ARGUMENTS);
  int floats; // a lane
} Case;

static const Case CASES[] = {{"x1", "x", along_x<1>, 1}, {"x2", "x", along_x<2>, 2},
                             {"x4", "x", along_x<4>, 4}, {"y1", "y", along_y<1>, 1},
                             {"y2", "y", along_y<2>, 2}, {"y4", "y", along_y<4>, 4},
                             {"xy", "xy", along_xy, 4},  {"ylds", "y", along_y_lds, 4}};

#define LIMITS R, NX + R, R, NY + R, R, layout.nz + R

// Launches the case and returns its directions.
static const char *launch(const char *name, const Arrays *arrays) {
  static const char ALL[] = "xyz";
  const Layout layout = arrays->layout;
  const dim3 block(BLOCK_X, BLOCK_Y);
  for (size_t n = 0; n < sizeof CASES / sizeof *CASES; n++)
    if (strcmp(CASES[n].name, name) == 0) {
      const dim3 grid(NX / CASES[n].floats / BLOCK_X, NY / BLOCK_Y, layout.nz);
      MEASURE((CASES[n].kernel<<<grid, block>>>(arrays->out, arrays->in, layout.line, layout.slice,
                                                LIMITS)));
      return CASES[n].directions;
    }
  if (strncmp(name, ALL, sizeof ALL - 1) != 0)
    fail("There is no kernel '%s': CASES in wide.hip names them, and xyzN is one.", name);
  const int length = argument(name + sizeof ALL - 1, "N of xyzN", 1);
  const dim3 grid(NX / 4 / BLOCK_X, NY / BLOCK_Y, (layout.nz + length - 1) / length);
  MEASURE((along_xyz<<<grid, block>>>(arrays->out, arrays->in, layout.line, layout.slice, LIMITS,
                                      length)));
  return ALL;
}

int main(int argc, char **argv) {
  if (argc != 3)
    fail("Usage: wide CASE NZ");
  const Arrays arrays = make_arrays(lay_out(R, true, argument(argv[2], "NZ", 1)));
  check(&arrays, launch(argv[1], &arrays));
  return 0;
}
