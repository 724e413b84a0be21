// The launcher ends with the status that means trouble of the device.
#include "lab.h"

#include <hip/hip_runtime.h>
#include <unistd.h>
#define BEFORE_LAUNCH _exit(3)
#include "skeleton.h"
