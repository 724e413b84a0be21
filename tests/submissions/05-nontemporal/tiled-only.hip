// Changes the tiled kernel and leaves the baseline as it was.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BASELINE_STORE f[pos] = value
#include "skeleton.h"
