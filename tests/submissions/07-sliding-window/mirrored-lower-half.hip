// Takes the lower half of the stencil for both: right only where u is symmetric about the point.
//
//   values loaded for each stored, n_w = 8: 2
//   HBM read / write, n_w = 32: 1.25
//   kernel time, n_w = 32 against n_w = 1 (shorter, same, longer): shorter
//   scratch of a window behind a pointer, B a lane: 36
#include "lab.h"

#include <hip/hip_runtime.h>

#define VALUE(r) w[(r) <= RADIUS ? (r) : POINTS - 1 - (r)]
#include "skeleton.h"
