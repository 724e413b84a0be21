// Takes volatile for nontemporal: the compiler must not leave the store out, the caches do as ever.
#include "lab.h"

#include <hip/hip_runtime.h>

#define STORE(n) *(volatile double *)&f[pos + (n)*nx] = sum[n]
#define BASELINE_STORE *(volatile double *)&f[pos] = value
#include "skeleton.h"
