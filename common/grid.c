// Layout of a 3D grid in memory. See grid.h.
#include "grid.h"

#include <stdio.h>

static size_t round_up(size_t n, size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

bool grid_make(Grid *grid, int nx, int ny, int nz, int radius, int alignment, char *error,
               size_t error_size) {
  const int least = 2 * radius + 1;
  if (nx < least || ny < least || nz < least) {
    snprintf(error, error_size,
             "grid %d x %d x %d: a stencil of radius %d needs at least %d points in each direction",
             nx, ny, nz, radius, least);
    return false;
  }
  *grid = (Grid){.nx = nx, .ny = ny, .nz = nz, .radius = radius};
  grid->ld = round_up((size_t)nx, (size_t)alignment);
  grid->offset = alignment > 1 ? round_up((size_t)radius, (size_t)alignment) - (size_t)radius : 0;
  grid->hx = 1.0 / (nx - 1);
  grid->hy = 1.0 / (ny - 1);
  grid->hz = 1.0 / (nz - 1);

  size_t points, bytes;
  if (__builtin_mul_overflow(grid->ld, (size_t)ny, &grid->slice) ||
      __builtin_mul_overflow(grid->slice, (size_t)nz, &points) ||
      __builtin_add_overflow(points, grid->offset, &grid->elements) ||
      __builtin_mul_overflow(grid->elements, sizeof(double), &bytes) || bytes > PTRDIFF_MAX) {
    snprintf(error, error_size, "grid %d x %d x %d: one array would not fit the address space", nx,
             ny, nz);
    return false;
  }
  return true;
}

uint64_t grid_interior_points(const Grid *g) {
  const int halo = 2 * g->radius;
  return (uint64_t)(g->nx - halo) * (uint64_t)(g->ny - halo) * (uint64_t)(g->nz - halo);
}
