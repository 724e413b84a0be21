// Weights rounded to four digits: near enough for the eye.
//
//   look-ups in L1, along x, aligned against packed (fewer, same, more): same
//   look-ups in L1, along z, aligned against packed (fewer, same, more): fewer
//   data to and from HBM, along z, aligned against packed (less, same, more): same
//   memory for one array, % beyond packed: 11
#include "lab.h"

#include <hip/hip_runtime.h>

#define WEIGHT(r) (rintf(weights[r] * 1e4f) * 1e-4f)
#include "skeleton.h"
