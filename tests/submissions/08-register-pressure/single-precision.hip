// Takes the density in single precision, which needs fewer registers.
#include "lab.h"

#include <hip/hip_runtime.h>

#define REAL const float
#include "skeleton.h"
