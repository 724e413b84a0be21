// Where the points of a 3D grid lie in memory and how far apart they are in space.
//
// In:  points in x, y, z (the boundary or halo included), radius of the stencil, alignment in
// elements. Out: Grid, the one description that the launchers, the host reference and verification
// share.
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
  int nx, ny, nz;    // points in each direction, halo included
  int radius;        // halo width: points closer than this to a face are boundary
  size_t ld;         // leading dimension: elements from (i, j, k) to (i, j+1, k), >= nx
  size_t slice;      // elements from (i, j, k) to (i, j, k+1)
  size_t offset;     // elements before point (0, 0, 0); a multiple of the alignment minus radius
  size_t elements;   // elements of a whole array, offset included
  double hx, hy, hz; // spacing on the unit cube: hx = 1 / (nx - 1)
} Grid;

// Lays out nx * ny * nz points. alignment 1 packs rows tightly (ld = nx, offset = 0); any other
// alignment pads ld to a multiple of it and moves the base so that point i = radius of each row is
// aligned. Returns false, with a sentence in error, when a direction has no interior point or when
// an array of 8-byte elements would not fit the address space.
bool grid_make(Grid *grid, int nx, int ny, int nz, int radius, int alignment, char *error,
               size_t error_size);

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
