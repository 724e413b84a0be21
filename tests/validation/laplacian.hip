// The seven-point Laplacian kernels of AMD lab notes, Finite difference method - Laplacian, parts 1 to
// 3, which they follow closely (MIT license, see NOTICE).
//
// In:  laplacian CASE [NY] NZ; CASE is a name of CASES below, the grid is 512 x NY x NZ doubles (NY is
//      512 if none is given) and a workgroup 256 x 1 x 1 threads, as published.
// Out: "time_ms X" of one launch; every point is checked against the host, and a wrong one ends the
//      program with a sentence. The inputs are small whole numbers, so the results are exact.
#include "measure.h"

#include <stdint.h>
#include <string.h>

enum { NX = 512, PUBLISHED_NY = 512, BLOCK = 256 };

// Coefficients of the neighbours in x, y, z, and of the point itself.
enum { WX = 1, WY = 2, WZ = 4, WCENTER = -14 };

// --- kernels: u is read, f written, both nx * ny * nz with x running fastest ---

#define ARGUMENTS                                                                                  \
  double *f, const double *u, int nx, int ny, int nz, double wx, double wy, double wz,             \
      double wcenter
#define PASS f, u, nx, ny, nz, wx, wy, wz, wcenter

// This thread's column of m points: (i, j to j + m - 1, k).
#define COLUMN(m)                                                                                  \
  const int i = threadIdx.x + blockIdx.x * blockDim.x;                                             \
  const int j = (m) * (threadIdx.y + blockIdx.y * blockDim.y);                                     \
  const int k = threadIdx.z + blockIdx.z * blockDim.z;                                             \
  if (i == 0 || i >= nx - 1 || k == 0 || k >= nz - 1)                                              \
    return;                                                                                        \
  const int slice = nx * ny;                                                                       \
  const size_t pos = i + nx * j + slice * k

template <bool nontemporal> static __device__ __forceinline__ void store(double *to, double value) {
  if (nontemporal)
    __builtin_nontemporal_store(value, to);
  else
    *to = value;
}

template <bool nontemporal> static __device__ __forceinline__ void one_point(ARGUMENTS) {
  COLUMN(1);
  if (j == 0 || j >= ny - 1)
    return;
  store<nontemporal>(&f[pos], u[pos] * wcenter + (u[pos - 1] + u[pos + 1]) * wx +
                                  (u[pos - nx] + u[pos + nx]) * wy +
                                  (u[pos - slice] + u[pos + slice]) * wz);
}

template <int m, bool nontemporal>
static __device__ __forceinline__ void store_column(double *f, const double *sum, size_t pos,
                                                    int nx, int ny, int j) {
#pragma unroll
  for (int n = 0; n < m; n++)
    if (j + n > 0 && j + n < ny - 1)
      store<nontemporal>(&f[pos + n * nx], sum[n]);
}

// m points a thread, all loads of a point together; a point's centre serves its neighbours in y.
template <int m> static __device__ __forceinline__ void tiled(ARGUMENTS) {
  COLUMN(m);
  double sum[m] = {0};
#pragma unroll
  for (int n = 0; n < m; n++) {
    const size_t at = pos + n * nx;
    const double center = u[at];
    sum[n] += center * wcenter + (u[at - 1] + u[at + 1]) * wx;
    if (n == 0)
      sum[n] += u[at - nx] * wy;
    if (n > 0)
      sum[n - 1] += center * wy;
    if (n < m - 1)
      sum[n + 1] += center * wy;
    if (n == m - 1)
      sum[n] += u[at + nx] * wy;
    sum[n] += (u[at - slice] + u[at + slice]) * wz;
  }
  store_column<m, false>(f, sum, pos, nx, ny, j);
}

// The same, but the loads run through memory in order: slice k - 1, then k row by row, then k + 1.
template <int m, bool nontemporal> static __device__ __forceinline__ void reordered(ARGUMENTS) {
  COLUMN(m);
  double sum[m] = {0};
#pragma unroll
  for (int n = 0; n < m; n++)
    sum[n] += u[pos - slice + n * nx] * wz;
  sum[0] += j > 0 ? u[pos - nx] * wy : 0;
#pragma unroll
  for (int n = 0; n < m; n++) {
    const size_t at = pos + n * nx;
    sum[n] += u[at - 1] * wx;
    const double center = u[at];
    sum[n] += center * wcenter;
    sum[n] += u[at + 1] * wx;
    if (n > 0)
      sum[n - 1] += center * wy;
    if (n < m - 1)
      sum[n + 1] += center * wy;
  }
  sum[m - 1] += j < ny - m ? u[pos + m * nx] * wy : 0;
#pragma unroll
  for (int n = 0; n < m; n++)
    sum[n] += u[pos + slice + n * nx] * wz;
  store_column<m, nontemporal>(f, sum, pos, nx, ny, j);
}

#define BOUNDED __launch_bounds__(BLOCK)

__global__ void baseline(ARGUMENTS) { one_point<false>(PASS); }
__global__ void baseline_nontemporal(ARGUMENTS) { one_point<true>(PASS); }
#define KERNELS(m)                                                                                 \
  __global__ void tiled_##m(ARGUMENTS) { tiled<m>(PASS); }                                         \
  __global__ void reordered_##m(ARGUMENTS) { reordered<m, false>(PASS); }                          \
  __global__ BOUNDED void bounded_##m(ARGUMENTS) { reordered<m, false>(PASS); }
KERNELS(1)
KERNELS(2)
KERNELS(4)
KERNELS(8)
KERNELS(16)
__global__ BOUNDED void bounded_nontemporal_8(ARGUMENTS) { reordered<8, true>(PASS); }

typedef struct {
  const char *name;
  void (*kernel)(ARGUMENTS);
  int m; // points a thread, in y
} Case;

#define CASE(kernel, m)                                                                            \
  { #kernel, kernel, m }
#define TILED_CASES(m) CASE(tiled_##m, m), CASE(reordered_##m, m), CASE(bounded_##m, m)
static const Case CASES[] = {CASE(baseline, 1), CASE(baseline_nontemporal, 1),
                             TILED_CASES(1),    TILED_CASES(2),
                             TILED_CASES(4),    TILED_CASES(8),
                             TILED_CASES(16),   CASE(bounded_nontemporal_8, 8)};

// --- host ---

static const Case *find_case(const char *name) {
  for (size_t n = 0; n < sizeof CASES / sizeof *CASES; n++)
    if (strcmp(CASES[n].name, name) == 0)
      return &CASES[n];
  fail("There is no kernel '%s': CASES in laplacian.hip names them.", name);
}

// Whole numbers below 1024 in no order that a stencil could confuse.
static void fill(double *u, size_t points) {
  uint32_t state = 1;
  for (size_t n = 0; n < points; n++) {
    state = state * 1664525u + 1013904223u;
    u[n] = state >> 22;
  }
}

// Checks one slice of f: inside, the stencil; on the boundary, the untouched poison.
static void check_slice(const double *f, const double *u, int k, int ny, int nz) {
  const size_t slice = (size_t)NX * ny;
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < NX; i++) {
      const bool inside = i > 0 && i < NX - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1;
      const double *at = u + i + (size_t)NX * j + slice * k, found = f[i + NX * j];
      if (!inside && found != found)
        continue;
      if (inside && found == WCENTER * at[0] + WX * (at[-1] + at[1]) + WY * (at[-NX] + at[NX]) +
                                 WZ * (*(at - slice) + at[slice]))
        continue;
      fail("The kernel left %g at point (%d, %d, %d), which is wrong.", found, i, j, k);
    }
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4)
    fail("Usage: laplacian CASE [NY] NZ");
  const Case *chosen = find_case(argv[1]);
  const int ny = argc == 4 ? argument(argv[2], "NY", chosen->m) : PUBLISHED_NY;
  const int nz = argument(argv[argc - 1], "NZ", 3);
  if (ny % chosen->m != 0)
    fail("NY must be a multiple of the %d points a thread, not %d.", chosen->m, ny);
  const size_t slice_bytes = (size_t)NX * ny * sizeof(double), bytes = slice_bytes * nz;

  double *host_u = (double *)host_array(bytes), *host_f = (double *)host_array(slice_bytes);
  double *u = (double *)device_array(bytes), *f = (double *)device_array(bytes);
  fill(host_u, bytes / sizeof(double));
  upload(u, host_u, bytes);
  succeed(hipMemset(f, 0xff, bytes), "Poisoning the output");

  const dim3 grid(NX / BLOCK, ny / chosen->m, nz), block(BLOCK);
  MEASURE((chosen->kernel<<<grid, block>>>(f, u, NX, ny, nz, WX, WY, WZ, WCENTER)));

  for (int k = 0; k < nz; k++) {
    download(host_f, f + (size_t)NX * ny * k, slice_bytes);
    check_slice(host_f, host_u, k, ny, nz);
  }
  return 0;
}
