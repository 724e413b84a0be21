// Writes down the bound that the compiler assumes anyway: nothing changes, m = 16 still spills.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BOUNDS __launch_bounds__(1024)
#include "skeleton.h"
