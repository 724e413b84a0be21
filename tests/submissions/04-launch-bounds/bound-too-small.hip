// Promises the compiler smaller blocks than the lab launches.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BOUNDS __launch_bounds__(128)
#include "skeleton.h"
