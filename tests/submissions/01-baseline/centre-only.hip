// Reads the same point seven times: right only where all inputs are equal.
#include "lab.h"

#include <hip/hip_runtime.h>

#define VALUE u[pos] * centre + 2 * u[pos] * (invhx2 + invhy2 + invhz2)
#include "skeleton.h"
