// The sliding window on the host: 2R + 1 slices of a field, so that every slice is made once and
// no more of them are kept. Lab 07 does the same on the device, with registers in place of slices.
//
// In:  a grid, and the function that makes slice k of the field. Out: slice[0 .. 2R], the slices
// k - R .. k + R, for k = R, R + 1, ...
//
//     sliding_prime(&window, grid, make, seed);                      // all but the last
//     for (int k = R; k < grid->nz - R; k++, sliding_shift(&window)) // 3. forward by one
//       sliding_load(&window);                                       // 1. the last
//                                                                    // 2. use window.slice[]
#ifndef SLIDING_H
#define SLIDING_H

#include "grid.h"
#include "weights.h"

// Fills slice k of a field.
typedef void SliceMaker(const Grid *grid, uint64_t seed, int k, double *slice);

typedef struct {
  double *slice[2 * MAX_RADIUS + 1];
  const Grid *grid;
  SliceMaker *make;
  uint64_t seed;
  int next; // the slice that sliding_load makes
} SlidingWindow;

// False when there is no memory.
bool sliding_prime(SlidingWindow *window, const Grid *grid, SliceMaker *make, uint64_t seed);
void sliding_load(SlidingWindow *window);
void sliding_shift(SlidingWindow *window);
void sliding_free(SlidingWindow *window);

#endif
