// Late assignments and no restrict, and a Lab that names another kernel, which needs few registers.
#include "lab.h"

#include <hip/hip_runtime.h>

#define RESTRICT
#define EARLY
#define LATE ASSIGN_F_REST
#define NAME "small"
#define FUNCTION small
#define AFTER_LAUNCH small<<<1, 1>>>(a->phi)
__global__ void small(double *phi) { phi[0] = phi[0]; }
#include "skeleton.h"
