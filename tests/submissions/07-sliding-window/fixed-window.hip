// n_w is a constant: the option changes nothing.
//
//   values loaded for each stored, n_w = 8: 2
//   HBM read / write, n_w = 32: 1.25
//   kernel time, n_w = 32 against n_w = 1 (shorter, same, longer): shorter
//   scratch of a window behind a pointer, B a lane: 36
#include "lab.h"

#include <hip/hip_runtime.h>

#define FIRST_K RADIUS + 32 * (threadIdx.z + blockIdx.z * blockDim.z)
#define COUNT left < 32 ? left : 32
#define CHUNKS (grid->nz - halo + 31) / 32
#include "skeleton.h"
