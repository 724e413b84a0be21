// Replaces the square by something that is only sometimes equal.
#include "lab.h"

#include <hip/hip_runtime.h>

#define SQUARE fabs(order)
#include "skeleton.h"
