// Every chunk has n_w points, also the last one, which has fewer.
//
//   values loaded for each stored, n_w = 8: 2
//   HBM read / write, n_w = 32: 1.25
//   kernel time, n_w = 32 against n_w = 1 (shorter, same, longer): shorter
//   scratch of a window behind a pointer, B a lane: 36
#include "lab.h"

#include <hip/hip_runtime.h>

#define COUNT n_w
#include "skeleton.h"
