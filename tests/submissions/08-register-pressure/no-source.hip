// Leaves part of the force out: right where no force acts.
#include "lab.h"

#include <hip/hip_runtime.h>

#define SOURCE u *force
#include "skeleton.h"
