// Streams into the time level that other threads still read.
#include "lab.h"

#include <hip/hip_runtime.h>

#define NEXT current
#include "skeleton.h"
