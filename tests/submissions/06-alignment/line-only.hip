// Rows begin where a line of 64 B begins, but not where a piece of 256 B does.
//
//   look-ups in L1, along x, aligned against packed (fewer, same, more): same
//   look-ups in L1, along z, aligned against packed (fewer, same, more): fewer
//   data to and from HBM, along z, aligned against packed (less, same, more): same
//   memory for one array, % beyond packed: 11
#include "lab.h"

#include <hip/hip_runtime.h>

#define LD (((size_t)nx + 15) / 16 * 16)
#define OFFSET (16 - radius)
#include "skeleton.h"
