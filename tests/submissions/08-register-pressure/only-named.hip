// Right, and the Lab names a kernel that is never launched: what ran is what is graded.
#define NAME "small"
#define FUNCTION small
#include <hip/hip_runtime.h>
__global__ void small(double *phi) { phi[0] = phi[0]; }
#include "skeleton.h"
