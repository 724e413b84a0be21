// f_rest was to be moved, and is gone.
#include "lab.h"

#include <hip/hip_runtime.h>

#define EARLY
#define LATE
#include "skeleton.h"
