// Runs code before main.
#include "lab.h"

#include <hip/hip_runtime.h>

__attribute__((constructor)) static void first() { __builtin_trap(); }
#include "skeleton.h"
