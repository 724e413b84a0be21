// The weights of radius 1, whatever the radius.
//
//   look-ups in L1, along x, aligned against packed (fewer, same, more): same
//   look-ups in L1, along z, aligned against packed (fewer, same, more): fewer
//   data to and from HBM, along z, aligned against packed (less, same, more): same
//   memory for one array, % beyond packed: 11
#define WEIGHT(r) ((r) == RADIUS ? -2.0f : (r) == RADIUS - 1 || (r) == RADIUS + 1 ? 1.0f : 0.0f)
#include "skeleton.h"
