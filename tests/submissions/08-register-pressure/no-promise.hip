// Everything but restrict.
#include "lab.h"

#include <hip/hip_runtime.h>

#define RESTRICT
#include "skeleton.h"
