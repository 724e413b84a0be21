// Computes one point too many of each row, in the halo.
//
//   look-ups in L1, along x, aligned against packed (fewer, same, more): same
//   look-ups in L1, along z, aligned against packed (fewer, same, more): fewer
//   data to and from HBM, along z, aligned against packed (less, same, more): same
//   memory for one array, % beyond packed: 11
#include "lab.h"

#include <hip/hip_runtime.h>

#define LAST_I (grid->nx - RADIUS + 1)
#include "skeleton.h"
