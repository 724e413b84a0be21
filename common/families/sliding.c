// The sliding window on the host. See sliding.h.
#include "sliding.h"

#include <stdlib.h>

bool sliding_prime(SlidingWindow *w, const Grid *grid, SliceMaker *make, uint64_t seed) {
  *w = (SlidingWindow){.grid = grid, .make = make, .seed = seed};
  bool enough = true;
  for (int r = 0; r <= 2 * grid->radius; r++)
    enough &= (w->slice[r] = malloc(grid->slice * sizeof *w->slice[r])) != NULL;
  if (!enough) {
    sliding_free(w);
    return false;
  }
  for (w->next = 0; w->next < 2 * grid->radius; w->next++)
    make(grid, seed, w->next, w->slice[w->next]);
  return true;
}

void sliding_load(SlidingWindow *w) {
  w->make(w->grid, w->seed, w->next++, w->slice[2 * w->grid->radius]);
}

void sliding_shift(SlidingWindow *w) {
  double *oldest = w->slice[0]; // its memory takes the next one
  for (int r = 0; r < 2 * w->grid->radius; r++)
    w->slice[r] = w->slice[r + 1];
  w->slice[2 * w->grid->radius] = oldest;
}

void sliding_free(SlidingWindow *w) {
  for (int r = 0; r <= 2 * w->grid->radius; r++)
    free(w->slice[r]);
}
