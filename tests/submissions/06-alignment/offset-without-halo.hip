// The base is moved by 64: the halo is aligned, its first interior point is not.
//
//   look-ups in L1, along x, aligned against packed (fewer, same, more): same
//   look-ups in L1, along z, aligned against packed (fewer, same, more): fewer
//   data to and from HBM, along z, aligned against packed (less, same, more): same
//   memory for one array, % beyond packed: 11
#include "lab.h"

#include <hip/hip_runtime.h>

#define OFFSET ALIGNMENT
#include "skeleton.h"
