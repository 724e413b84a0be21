// Promises blocks of at most 128 threads, and blocks of 256 are launched.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BOUNDS __launch_bounds__(128)
#include "skeleton.h"
