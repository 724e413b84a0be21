// Reads far behind the array.
#include "lab.h"

#include <hip/hip_runtime.h>

#define VALUE u[pos + (1ull << 40)]
#include "skeleton.h"
