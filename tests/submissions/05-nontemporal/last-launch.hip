// Ordinary stores, and behind them a launch with a nontemporal one.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BASELINE_STORE f[pos] = value
#define STORE(n) f[pos + (n)*nx] = sum[n]
#define AFTER_LAUNCH last<<<1, 1>>>(f)

static __global__ void last(double *f) { __builtin_nontemporal_store(f[0], &f[0]); }
#include "skeleton.h"
