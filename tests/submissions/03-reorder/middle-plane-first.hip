// The planes one after another, but plane k first, as in the formula.
#include "lab.h"

#include <hip/hip_runtime.h>

#define LOADS BELOW MIDDLE ABOVE LOWER UPPER
#include "skeleton.h"
