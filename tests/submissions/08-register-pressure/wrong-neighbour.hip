// Streams one pair of directions to the wrong neighbours.
#include "lab.h"

#include <hip/hip_runtime.h>

#define TN_STEP (row - slice)
#include "skeleton.h"
