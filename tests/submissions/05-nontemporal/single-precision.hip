// Stores the value as a float in the place of the double.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BASELINE_STORE __builtin_nontemporal_store((float)value, &f[pos])
#include "skeleton.h"
