// Asks for eight waves a SIMD, because more waves sound better: 64 VGPRs are left, and even m = 8
// spills.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BOUNDS __launch_bounds__(256, 8)
#include "skeleton.h"
