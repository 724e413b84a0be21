// The guard lets one column too many compute.
#include "lab.h"

#include <hip/hip_runtime.h>

#define OUTSIDE i > nx || j >= ny || k >= nz
#include "skeleton.h"
