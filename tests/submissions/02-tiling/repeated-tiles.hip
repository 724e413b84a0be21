// TILE blocks compute and store each tile: right, since all of them store the same, but TILE times the work.
#include "lab.h"

#include <hip/hip_runtime.h>

#define FIRST_ROW (TILE * (threadIdx.y + blockIdx.y / TILE * blockDim.y))
#define BLOCKS_Y (grid->ny / block.y)
#include "skeleton.h"
