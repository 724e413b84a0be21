// Launches as many blocks as there are rows, TILE times too many, and lets those beyond the grid end.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BLOCKS_Y ((grid->ny + block.y - 1) / block.y)
#define SUM                                                                                        \
  if (j >= ny)                                                                                     \
    return;                                                                                        \
  double
#include "skeleton.h"
