// Layout of a 3D grid in memory. See grid.h.
#include "grid.h"

#include <limits.h>
#include <stdio.h>

bool grid_make(Grid *grid, int nx, int ny, int nz, int radius, size_t element_bytes, char *error,
               size_t error_size) {
  const int least = 2 * radius + 1;
  if (nx < least || ny < least || nz < least) {
    snprintf(error, error_size,
             "grid %d x %d x %d: a stencil of radius %d needs at least %d points in each direction",
             nx, ny, nz, radius, least);
    return false;
  }
  if ((int64_t)nx * ny > INT_MAX) {
    snprintf(error, error_size,
             "grid %d x %d x %d: a plane has more than 2^31 - 1 points, and the kernels number the "
             "points of a plane with int",
             nx, ny, nz);
    return false;
  }
  *grid = (Grid){.nx = nx, .ny = ny, .nz = nz, .radius = radius, .element_bytes = element_bytes};
  grid->hx = 1.0 / (nx - 1);
  grid->hy = 1.0 / (ny - 1);
  grid->hz = 1.0 / (nz - 1);
  return grid_lay_out(grid, (size_t)nx, 0, error, error_size);
}

// Of an array over its packed rows. Three points a row, begun at a multiple of 64, take 24 times as
// much; what no device has room for is a mistake in the layout, not trouble of the device.
#define MOST_GROWTH 1000

bool grid_lay_out(Grid *grid, size_t ld, size_t offset, char *error, size_t error_size) {
  if (ld < (size_t)grid->nx) {
    snprintf(error, error_size,
             "leading dimension %zu: a row has %d points, halo included, and would overlap the "
             "next; ld must be at least that",
             ld, grid->nx);
    return false;
  }
  grid->ld = ld;
  grid->offset = offset;
  size_t points, bytes;
  if (__builtin_mul_overflow(ld, (size_t)grid->ny, &grid->slice) ||
      __builtin_mul_overflow(grid->slice, (size_t)grid->nz, &points) ||
      __builtin_add_overflow(points, offset, &grid->elements) ||
      __builtin_mul_overflow(grid->elements, grid->element_bytes, &bytes) || bytes > PTRDIFF_MAX) {
    snprintf(error, error_size,
             "grid %d x %d x %d, leading dimension %zu, offset %zu: one array would not fit the "
             "address space",
             grid->nx, grid->ny, grid->nz, ld, offset);
    return false;
  }
  const size_t packed = (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz;
  if (grid->elements / MOST_GROWTH > packed) {
    snprintf(error, error_size,
             "grid %d x %d x %d, leading dimension %zu, offset %zu: one array would take more than "
             "%d times the memory of packed rows",
             grid->nx, grid->ny, grid->nz, ld, offset, MOST_GROWTH);
    return false;
  }
  return true;
}

bool grid_is_packed(const Grid *g) { return g->ld == (size_t)g->nx && g->offset == 0; }

double grid_growth_percent(const Grid *g) {
  return 100 * ((double)g->elements / ((double)g->nx * g->ny * g->nz) - 1);
}

uint64_t grid_interior_points(const Grid *g) {
  const int halo = 2 * g->radius;
  return (uint64_t)(g->nx - halo) * (uint64_t)(g->ny - halo) * (uint64_t)(g->nz - halo);
}
