// Leaves out the last interior row of the tiled kernel: the guard ends one too early in y.
#include "lab.h"

#include <hip/hip_runtime.h>

#define LAST_J (ny - 2)
#include "skeleton.h"
