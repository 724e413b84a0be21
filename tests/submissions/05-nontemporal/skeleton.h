// A right lab 05 program with places to go wrong: the macros of lab 04's skeleton for the tiled
// kernel, and for the baseline
//
// BASELINE_U(at): an element of u     BASELINE_VALUE: what is stored     BASELINE_STORE: how
//
// After AMD lab notes, Finite difference method - Laplacian (MIT license, see NOTICE).

#ifndef STORE
#define STORE(n) __builtin_nontemporal_store(sum[n], &f[pos + (n)*nx])
#endif
#define ONE_KERNEL 0
#include "tiled.h" // lab 04's skeleton: a check sees no other folder

#ifndef BASELINE_U
#define BASELINE_U(at) u[at]
#endif
#ifndef BASELINE_VALUE
#define BASELINE_VALUE                                                                             \
  BASELINE_U(pos) * centre + (BASELINE_U(pos - 1) + BASELINE_U(pos + 1)) * invhx2 +                \
      (BASELINE_U(pos - nx) + BASELINE_U(pos + nx)) * invhy2 +                                     \
      (BASELINE_U(pos - slice) + BASELINE_U(pos + slice)) * invhz2
#endif
#ifndef BASELINE_STORE
#define BASELINE_STORE __builtin_nontemporal_store(value, &f[pos])
#endif

__global__ void baseline(double *f, const double *u, int nx, int ny, int nz, double invhx2,
                         double invhy2, double invhz2, double centre) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = threadIdx.y + blockIdx.y * blockDim.y;
  const int k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i == 0 || j == 0 || k == 0 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1)
    return;
  const size_t slice = (size_t)nx * ny;
  const size_t pos = i + (size_t)nx * j + slice * k;
  const double value = BASELINE_VALUE;
  BASELINE_STORE;
}

static void launch_baseline(const Grid *grid, dim3 block, double *f, const double *u) {
  const dim3 blocks((grid->nx + block.x - 1) / block.x, (grid->ny + block.y - 1) / block.y,
                    (grid->nz + block.z - 1) / block.z);
  const double invhx2 = 1.0 / (grid->hx * grid->hx);
  const double invhy2 = 1.0 / (grid->hy * grid->hy);
  const double invhz2 = 1.0 / (grid->hz * grid->hz);
  const double centre = -2.0 * (invhx2 + invhy2 + invhz2);
  baseline<<<blocks, block>>>(f, u, grid->nx, grid->ny, grid->nz, invhx2, invhy2, invhz2, centre);
  AFTER_LAUNCH;
}

const Lab lab = {.file = __FILE__,
                 .family = LAPLACIAN,
                 .kernels = {{.name = "laplacian",
                              .function = (const void *)laplacian,
                              .rows = ROWS,
                              .launch = {.laplacian = launch_laplacian}},
                             {.name = "baseline",
                              .function = (const void *)baseline,
                              .launch = {.laplacian = launch_baseline}}}};
