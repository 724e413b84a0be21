// Wrong only where nx leaves 3 by 4.
#include "lab.h"

#include <hip/hip_runtime.h>

#define LAST_I (nx % 4 == 3 ? nx - 2 : nx - 1)
#include "skeleton.h"
