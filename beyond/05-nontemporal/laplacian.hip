// Lab 05, beyond: the seven-point Laplacian that asks L2 for hardly more than memory must deliver.
//
// In:  u, nx * ny * nz doubles, x contiguous; the inverse squared grid spacings.
// Out: f = Laplacian of u at every interior point; the boundary of f is left as it was.
#include "lab.h"

#include <hip/hip_runtime.h>

// PREDICTION, as one may write it before the first run. make check reads these lines.
//   values loaded for each stored, nontemporal baseline against baseline (fewer, same, more): same
//   FETCH_SIZE, nontemporal baseline against baseline (less, same, more): less
//   kernel time, nontemporal baseline against reordered, m = 1 (shorter, same, longer): same

// A block has THREADS_X * THREADS_Y threads, each with ROWS rows of two points: a tile of a plane. It
// moves along z over CHUNK planes.
#define THREADS_X 64
#define THREADS_Y 4
#define ROWS 4
#define CHUNK 170
#define BLOCKS 2 // at least so many fit on a compute unit
#define TILE_X (2 * THREADS_X)
#define TILE_Y (THREADS_Y * ROWS)
#define THREADS (THREADS_X * THREADS_Y)
#define AROUND (2 * TILE_X + 2 * TILE_Y)         // points next to a tile
#define EDGES ((AROUND + THREADS - 1) / THREADS) // of these a thread has so many at most

// The points next to a tile by number: the rows above and below it, then the columns to its left and
// right.
static __device__ __forceinline__ bool find_edge(int number, int *column, int *row) {
  const int beside = number - 2 * TILE_X;
  if (beside < 0) {
    *column = number % TILE_X;
    *row = number < TILE_X ? -1 : TILE_Y;
    return true;
  }
  *column = beside < TILE_Y ? -1 : TILE_X;
  *row = beside % TILE_Y;
  return beside < 2 * TILE_Y;
}

// Two points side by side, of which the grid has `columns`. Only in rows of an even length are they
// aligned, and there the grid has both or none.
static __device__ __forceinline__ double2 load_two(const double *u, int columns, bool even) {
  if (even)
    return columns > 0 ? *(const double2 *)u : double2{0, 0};
  return double2{columns > 0 ? u[0] : 0, columns > 1 ? u[1] : 0};
}

static __device__ __forceinline__ void store_two(double *f, double2 two, int i, int columns,
                                                 bool even) {
  if (even && i > 0 && columns > 2) {
    *(double2 *)f = two;
    return;
  }
  if (i > 0 && columns > 1)
    f[0] = two.x;
  if (columns > 2)
    f[1] = two.y;
}

// Neighbours along z are in registers, neighbours in the plane in LDS. So every value is asked for
// once, but for the edges of tiles; and it is asked for one plane before it is needed.
static __device__ __forceinline__ void sweep(double *__restrict__ f, const double *__restrict__ u,
                                             int nx, int ny, int nz, double invhx2, double invhy2,
                                             double invhz2, double centre, bool even) {
  // Points begin at column 2, so that a pair is aligned.
  __shared__ __align__(16) double tile[TILE_Y + 2][TILE_X + 4];
  const int x0 = TILE_X * blockIdx.x, y0 = 1 + TILE_Y * blockIdx.y;
  const int i = x0 + 2 * threadIdx.x, j = y0 + ROWS * threadIdx.y;
  const int first = 1 + CHUNK * blockIdx.z;
  const int last = first + CHUNK < nz - 1 ? first + CHUNK : nz - 1;
  const size_t slice = (size_t)nx * ny;
  size_t pos = i + (size_t)nx * j + slice * first;
  const int columns = nx - i, rows = ny - j; // that there are, boundary included

  bool has_edge[EDGES];
  int column[EDGES], row[EDGES];
  const double *edge[EDGES];
  double at_edge[EDGES];
#pragma unroll
  for (int e = 0; e < EDGES; e++) {
    const int number = threadIdx.x + THREADS_X * threadIdx.y + THREADS * e;
    has_edge[e] = find_edge(number, &column[e], &row[e]) && x0 + column[e] >= 0 &&
                  x0 + column[e] < nx && y0 + row[e] < ny;
    edge[e] = u + (x0 + column[e]) + (ptrdiff_t)nx * (y0 + row[e]) + slice * first;
    at_edge[e] = has_edge[e] ? *edge[e] : 0;
  }

  double2 below[ROWS], here[ROWS], above[ROWS], next[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const int there = r < rows ? columns : 0;
    below[r] = load_two(u + pos - slice + r * nx, there, even);
    here[r] = load_two(u + pos + r * nx, there, even);
    above[r] = load_two(u + pos + slice + r * nx, there, even);
  }

  for (int k = first; k < last; k++, pos += slice) {
    const size_t ahead = k + 2 < nz ? 2 * slice : slice;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      next[r] = load_two(u + pos + ahead + r * nx, r < rows ? columns : 0, even);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      *(double2 *)&tile[ROWS * threadIdx.y + r + 1][2 * threadIdx.x + 2] = here[r];
#pragma unroll
    for (int e = 0; e < EDGES; e++)
      if (has_edge[e]) {
        tile[row[e] + 1][column[e] + 2] = at_edge[e];
        edge[e] += slice;
        at_edge[e] = *edge[e]; // of the next plane, which the grid has: its boundary at the latest
      }
    __syncthreads();

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const double(*near)[TILE_X + 4] = tile + ROWS * threadIdx.y + r;
      const int t = 2 * threadIdx.x + 2;
      const double2 centres = here[r];
      const double2 south = r > 0 ? here[r - 1] : *(const double2 *)&near[0][t];
      const double2 north = r < ROWS - 1 ? here[r + 1] : *(const double2 *)&near[2][t];
      const double2 sum = {centres.x * centre + (near[1][t - 1] + centres.y) * invhx2 +
                               (south.x + north.x) * invhy2 + (below[r].x + above[r].x) * invhz2,
                           centres.y * centre + (centres.x + near[1][t + 2]) * invhx2 +
                               (south.y + north.y) * invhy2 + (below[r].y + above[r].y) * invhz2};
      if (r < rows - 1)
        store_two(f + pos + r * nx, sum, i, columns, even);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      below[r] = here[r];
      here[r] = above[r];
      above[r] = next[r];
    }
    __syncthreads(); // the tile is free for the next plane
  }
}

#define KERNEL(name, even)                                                                         \
  __global__ __launch_bounds__(THREADS, BLOCKS) void name(                                         \
      double *__restrict__ f, const double *__restrict__ u, int nx, int ny, int nz, double invhx2, \
      double invhy2, double invhz2, double centre) {                                               \
    sweep(f, u, nx, ny, nz, invhx2, invhy2, invhz2, centre, even);                                 \
  }
KERNEL(laplacian, true)
KERNEL(laplacian_odd, false)

// The shape of a block is the kernel's own.
static void launch_laplacian(const Grid *grid, dim3 block, double *f, const double *u) {
  const dim3 blocks((grid->nx + TILE_X - 1) / TILE_X, (grid->ny - 2 + TILE_Y - 1) / TILE_Y,
                    (grid->nz - 2 + CHUNK - 1) / CHUNK);
  const double invhx2 = 1.0 / (grid->hx * grid->hx);
  const double invhy2 = 1.0 / (grid->hy * grid->hy);
  const double invhz2 = 1.0 / (grid->hz * grid->hz);
  const double centre = -2.0 * (invhx2 + invhy2 + invhz2);

  if (grid->nx % 2 == 0)
    laplacian<<<blocks, dim3(THREADS_X, THREADS_Y)>>>(f, u, grid->nx, grid->ny, grid->nz, invhx2,
                                                      invhy2, invhz2, centre);
  else
    laplacian_odd<<<blocks, dim3(THREADS_X, THREADS_Y)>>>(f, u, grid->nx, grid->ny, grid->nz,
                                                          invhx2, invhy2, invhz2, centre);
}

// baseline, the lab's second kernel, is the same here.
const Lab lab = {.file = __FILE__,
                 .family = LAPLACIAN,
                 .kernels = {{.name = "laplacian",
                              .function = (const void *)laplacian,
                              .launch = {.laplacian = launch_laplacian}},
                             {.name = "baseline",
                              .function = (const void *)laplacian,
                              .launch = {.laplacian = launch_laplacian}}}};
