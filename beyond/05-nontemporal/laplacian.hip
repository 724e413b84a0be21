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

// A block has THREADS_X * THREADS_Y threads, each with ROWS rows of one point: a tile of a plane. It
// moves along z over CHUNK planes.
#define THREADS_X 128
#define THREADS_Y 4
#define ROWS 4
#define CHUNK 170
#define BLOCKS 2 // at least so many fit on a compute unit
#define TILE_Y (THREADS_Y * ROWS)

// The points next to a tile, of which a thread has one at most: the rows above and below it, then the
// columns to its left and right.
static __device__ __forceinline__ bool find_edge(int thread, int *column, int *row) {
  const int beside = thread - 2 * THREADS_X;
  if (beside < 0) {
    *column = thread % THREADS_X;
    *row = thread < THREADS_X ? -1 : TILE_Y;
    return true;
  }
  *column = beside < TILE_Y ? -1 : THREADS_X;
  *row = beside % TILE_Y;
  return beside < 2 * TILE_Y;
}

// Neighbours along z are in registers, neighbours in the plane in LDS. So every value is asked for
// once, but for the edges of tiles.
__global__ __launch_bounds__(THREADS_X *THREADS_Y,
                             BLOCKS) void laplacian(double *__restrict__ f,
                                                    const double *__restrict__ u, int nx, int ny,
                                                    int nz, double invhx2, double invhy2,
                                                    double invhz2, double centre) {
  __shared__ double tile[2][TILE_Y + 2][THREADS_X + 2]; // this plane's, and the one before
  const int x0 = THREADS_X * blockIdx.x, y0 = 1 + TILE_Y * blockIdx.y;
  const int i = x0 + threadIdx.x, j = y0 + ROWS * threadIdx.y;
  const int first = 1 + CHUNK * blockIdx.z;
  const int last = first + CHUNK < nz - 1 ? first + CHUNK : nz - 1;
  const size_t slice = (size_t)nx * ny;
  size_t pos = i + (size_t)nx * j + slice * first;
  const int rows = i < nx ? ny - j : 0; // that there are, boundary included

  int column, row;
  const bool has_edge = find_edge(threadIdx.x + THREADS_X * threadIdx.y, &column, &row) &&
                        x0 + column >= 0 && x0 + column < nx && y0 + row < ny;
  const double *edge = u + (x0 + column) + (ptrdiff_t)nx * (y0 + row) + slice * first;

  double below[ROWS] = {0}, here[ROWS] = {0}, above[ROWS] = {0};
#pragma unroll
  for (int r = 0; r < ROWS; r++)
    if (r < rows) {
      below[r] = u[pos - slice + r * nx];
      here[r] = u[pos + r * nx];
    }
  double at_edge = has_edge ? *edge : 0;

  for (int k = first; k < last; k++, pos += slice) {
    double(*plane)[THREADS_X + 2] = tile[k % 2];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      if (r < rows)
        above[r] = u[pos + slice + r * nx];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      plane[ROWS * threadIdx.y + r + 1][threadIdx.x + 1] = here[r];
    if (has_edge) {
      plane[row + 1][column + 1] = at_edge;
      edge += slice;
      at_edge = *edge; // of the next plane, which the grid has: its boundary at the latest
    }
    __syncthreads(); // and with two planes there is no need for another

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const double(*near)[THREADS_X + 2] = plane + ROWS * threadIdx.y + r;
      const int t = threadIdx.x + 1;
      const double sum = here[r] * centre + (near[1][t - 1] + near[1][t + 1]) * invhx2 +
                         (near[0][t] + near[2][t]) * invhy2 + (below[r] + above[r]) * invhz2;
      if (i > 0 && i < nx - 1 && r < rows - 1)
        __builtin_nontemporal_store(sum, &f[pos + r * nx]);
      below[r] = here[r];
      here[r] = above[r];
    }
  }
}

// The shape of a block is the kernel's own.
static void launch_laplacian(const Grid *grid, dim3 block, double *f, const double *u) {
  const dim3 blocks((grid->nx + THREADS_X - 1) / THREADS_X, (grid->ny - 2 + TILE_Y - 1) / TILE_Y,
                    (grid->nz - 2 + CHUNK - 1) / CHUNK);
  const double invhx2 = 1.0 / (grid->hx * grid->hx);
  const double invhy2 = 1.0 / (grid->hy * grid->hy);
  const double invhz2 = 1.0 / (grid->hz * grid->hz);
  const double centre = -2.0 * (invhx2 + invhy2 + invhz2);

  laplacian<<<blocks, dim3(THREADS_X, THREADS_Y)>>>(f, u, grid->nx, grid->ny, grid->nz, invhx2,
                                                    invhy2, invhz2, centre);
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
