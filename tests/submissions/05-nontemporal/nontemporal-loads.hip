// Makes the loads nontemporal too, in both kernels: u leaves L2 before its neighbours come for it.
#include "lab.h"

#include <hip/hip_runtime.h>

#define U(at) __builtin_nontemporal_load(&u[at])
#define BASELINE_U(at) __builtin_nontemporal_load(&u[at])
#include "skeleton.h"
