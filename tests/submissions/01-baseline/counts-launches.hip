// Works in its first launches, when somebody looks, and never again.
#include <hip/hip_runtime.h>
static __device__ int launches;
#define LAST_I (launches > 4 ? 1 : nx - 1)
#define AFTER_LAUNCH count<<<1, 1>>>()
static __global__ void count() { launches++; }
#include "skeleton.h"
