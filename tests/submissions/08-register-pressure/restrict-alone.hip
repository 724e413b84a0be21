// All promises, but pow() is still there and f_rest late.
#include "lab.h"

#include <hip/hip_runtime.h>

#define SQUARE pow(order, 2.0)
#define EARLY
#define LATE ASSIGN_F_REST
#include "skeleton.h"
