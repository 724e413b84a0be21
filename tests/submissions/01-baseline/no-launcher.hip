// The Lab forgets to say how the kernel is launched.
#include "lab.h"

#include <hip/hip_runtime.h>

#define LAUNCH_MEMBER
#include "skeleton.h"
