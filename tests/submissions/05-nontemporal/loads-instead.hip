// Makes the loads nontemporal and not the stores: the wrong array is told to leave.
#include "lab.h"

#include <hip/hip_runtime.h>

#define U(at) __builtin_nontemporal_load(&u[at])
#define BASELINE_U(at) __builtin_nontemporal_load(&u[at])
#define STORE(n) f[pos + (n)*nx] = sum[n]
#define BASELINE_STORE f[pos] = value
#include "skeleton.h"
