// Stores at the far x boundary too.
#include "lab.h"

#include <hip/hip_runtime.h>

#define LAST_I nx
#include "skeleton.h"
