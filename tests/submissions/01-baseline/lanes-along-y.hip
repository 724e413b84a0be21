// Right, but the lanes of a wavefront lie along y: each of them touches another line.
#include "lab.h"

#include <hip/hip_runtime.h>

#define I_AXIS y
#define J_AXIS x
#include "skeleton.h"
