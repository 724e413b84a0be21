// Launches of a part of a grid that is too large for 32 bits. See far.h.
#define _GNU_SOURCE
#include "far.h"

#include <hip/hip_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCKS = 2, BEFORE = 2, POISONED = 0xff }; // blocks along x and y; rows in front of a plane
// Where nothing else is: the host's addresses begin far below and end far above.
static char *const U_AT = (char *)0x100000000000, *const F_AT = (char *)0x180000000000;

// Rows of each plane that the launched blocks compute or read. A tile may read the one before its first
// in vain, which is the last of the plane before.
static size_t rows_there(const Entry *e, int rows) {
  return (size_t)BLOCKS * e->block[1] * (unsigned)rows + 1;
}

// The first rows of all planes of an array. Plane k of u holds k * k.
static bool make_planes(char *at, const Grid *g, size_t rows, bool is_u) {
  const size_t bytes = (BEFORE + rows) * g->ld * sizeof(double);
  for (int k = 0; k < g->nz; k++) {
    char *plane = at + ((size_t)k * g->slice - BEFORE * g->ld) * sizeof(double);
    if (mmap(plane, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != plane ||
        hipHostRegister(plane, bytes, hipHostRegisterDefault) != hipSuccess)
      return false;
    if (!is_u)
      memset(plane, POISONED, bytes);
    for (size_t n = 0; is_u && n < bytes / sizeof(double); n++)
      ((double *)plane)[n] = (double)k * k;
  }
  return true;
}

// Of the points that the blocks compute: the second difference of k * k is 2.
static FarVerdict compare(const Grid *g, size_t columns, size_t rows) {
  const double expected = 2.0 / (g->hz * g->hz);
  for (int k = 1; k < g->nz - 1; k++)
    for (size_t j = 1; j + 1 < rows; j++)
      for (size_t i = 1; i < columns; i++) {
        const double got = ((double *)F_AT)[(size_t)k * g->slice + j * g->ld + i];
        if (fabs(got - expected) <= 1e-6 * expected)
          continue;
        fprintf(stderr, "point (%zu, %zu, %d) is %.17g, expected %.17g\n", i, j, k, got, expected);
        return FAR_WRONG;
      }
  return FAR_RIGHT;
}

FarVerdict far_check(Entries *entries, const Grid *g, int rows,
                     bool (*play)(const Entry *entry, const Launch *launch)) {
  Entry *e = entries->entries;
  if (entries->count != 1 || !e->kernel || e->grid[0] < BLOCKS || e->grid[1] < BLOCKS ||
      e->grid[0] * e->block[0] < (unsigned)g->nx || e->grid[2] * e->block[2] < (unsigned)g->nz)
    return FAR_UNKNOWN;
  const size_t there = rows_there(e, rows);
  e->grid[0] = e->grid[1] = BLOCKS;
  if (!make_planes(U_AT, g, there, true) || !make_planes(F_AT, g, there, false))
    return FAR_UNKNOWN; // this host has something else there
  const Launch launch = {.grid = g, .u = U_AT, .f = F_AT};
  if (!play(e, &launch) || hipDeviceSynchronize() != hipSuccess)
    return FAR_WRONG;
  return compare(g, (size_t)BLOCKS * e->block[0], there - 1);
}
