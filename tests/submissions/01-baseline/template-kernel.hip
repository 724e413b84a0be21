// Right: a template in a namespace, launched from C++ with a lambda and a standard container.
#include "lab.h"

#include <hip/hip_runtime.h>

#include <array>
#include <vector>

namespace stencil {
template <typename T, int RADIUS> struct Spacing { T x, y, z, centre; };

template <typename T, int RADIUS>
static __global__ void apply(T *f, const T *u, dim3 n, Spacing<T, RADIUS> h) {
  const unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
  const unsigned j = threadIdx.y + blockIdx.y * blockDim.y;
  const unsigned k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i < RADIUS || j < RADIUS || k < RADIUS || i >= n.x - RADIUS || j >= n.y - RADIUS ||
      k >= n.z - RADIUS)
    return;
  const size_t row = n.x, slice = (size_t)n.x * n.y, at = i + row * j + slice * k;
  f[at] = u[at] * h.centre + (u[at - 1] + u[at + 1]) * h.x + (u[at - row] + u[at + row]) * h.y +
          (u[at - slice] + u[at + slice]) * h.z;
}
} // namespace stencil

static void launch(const Grid *grid, dim3 block, double *f, const double *u) {
  auto inverse_square = [](double h) { return 1 / (h * h); };
  const std::array<double, 3> h{inverse_square(grid->hx), inverse_square(grid->hy),
                                inverse_square(grid->hz)};
  const dim3 n(grid->nx, grid->ny, grid->nz);
  std::vector<unsigned> blocks{(n.x + block.x - 1) / block.x, (n.y + block.y - 1) / block.y,
                               (n.z + block.z - 1) / block.z};
  const stencil::Spacing<double, 1> spacing{h[0], h[1], h[2], -2 * (h[0] + h[1] + h[2])};
  stencil::apply<double, 1><<<dim3(blocks[0], blocks[1], blocks[2]), block>>>(f, u, n, spacing);
}

const Lab lab = {.file = __FILE__,
                 .family = LAPLACIAN,
                 .kernels = {{.name = "laplacian",
                              .function = (const void *)stencil::apply<double, 1>,
                              .launch = {.laplacian = launch}}}};
