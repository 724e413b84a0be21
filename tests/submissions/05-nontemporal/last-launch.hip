// Ordinary stores, and behind them a launch with a nontemporal one.
#define BASELINE_STORE f[pos] = value
#define STORE(n) f[pos + (n)*nx] = sum[n]
#define AFTER_LAUNCH last<<<1, 1>>>(f)

#include <hip/hip_runtime.h>
static __global__ void last(double *f) { __builtin_nontemporal_store(f[0], &f[0]); }
#include "skeleton.h"
