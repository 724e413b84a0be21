// An order, but the wrong way round: plane k + 1 first, k - 1 last.
#include "lab.h"

#include <hip/hip_runtime.h>

#define LOADS UPPER ABOVE MIDDLE BELOW LOWER
#include "skeleton.h"
