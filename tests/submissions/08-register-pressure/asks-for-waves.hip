// Asks for 8 waves: the compiler spills, and what it spills is scratch memory.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BOUNDS __launch_bounds__(256, 8)
#include "skeleton.h"
