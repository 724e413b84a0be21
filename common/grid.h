// Where the points of a 3D grid lie in memory and how far apart they are in space.
//
// In:  points in x, y, z (the boundary or halo included), radius of the stencil, bytes of an
// element; where rows lie, if they are not packed. Out: Grid, the one description that the
// launchers, the host reference and verification share.
//
// Point (i, j, k) is element offset + i + j * ld + k * slice of an array: x is contiguous.
#ifndef GRID_H
#define GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int nx, ny, nz;       // points in each direction, halo included
  int radius;           // halo width: points closer than this to a face are boundary
  size_t element_bytes; // 8 for double, 4 for float
  size_t ld;            // leading dimension: elements from (i, j, k) to (i, j+1, k), >= nx
  size_t slice;         // elements from (i, j, k) to (i, j, k+1)
  size_t offset;        // elements before point (0, 0, 0)
  size_t elements;      // elements of a whole array, offset included
  double hx, hy, hz;    // spacing on the unit cube: hx = 1 / (nx - 1)
} Grid;

// Describes nx * ny * nz points whose rows are packed: ld = nx, offset = 0. Returns false, with a
// sentence in error, when a direction has no interior point, when the points of a plane are more
// than an int counts, or when an array would not fit the address space.
bool grid_make(Grid *grid, int nx, int ny, int nz, int radius, size_t element_bytes, char *error,
               size_t error_size);

// Gives a grid that grid_make described another leading dimension and offset. Returns false, with a
// sentence in error, when rows would overlap, or an array would not fit the address space or take a
// thousand times the memory of packed rows.
bool grid_lay_out(Grid *grid, size_t ld, size_t offset, char *error, size_t error_size);

bool grid_is_packed(const Grid *grid);

// Memory that the layout takes beyond the packed one, in percent of that.
double grid_growth_percent(const Grid *grid);

// True for the points a stencil of this radius computes.
static inline bool grid_is_interior(const Grid *g, int i, int j, int k) {
  const int r = g->radius;
  return i >= r && i < g->nx - r && j >= r && j < g->ny - r && k >= r && k < g->nz - r;
}

// Number of points for which grid_is_interior holds.
uint64_t grid_interior_points(const Grid *grid);

#ifdef __cplusplus
}
#endif

#endif
