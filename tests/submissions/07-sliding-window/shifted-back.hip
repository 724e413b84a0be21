// Shifts the window the wrong way: every value becomes its neighbour below.
//
//   values loaded for each stored, n_w = 8: 2
//   HBM read / write, n_w = 32: 1.25
//   kernel time, n_w = 32 against n_w = 1 (shorter, same, longer): shorter
//   scratch of a window behind a pointer, B a lane: 36
#include "lab.h"

#include <hip/hip_runtime.h>

#define SLIDE _Pragma("unroll") for (int r = POINTS - 1; r > 0; r--) w[r] = w[r - 1]
#include "skeleton.h"
