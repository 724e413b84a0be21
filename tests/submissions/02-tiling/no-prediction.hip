// Right, but nothing was predicted.
//   values loaded for each stored, m = 2: ?
#include "lab.h"

#include <hip/hip_runtime.h>

#include "skeleton.h"
