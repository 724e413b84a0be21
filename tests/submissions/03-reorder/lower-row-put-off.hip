// Only the row above the tile has its condition: the loads of the first row are put off, which m = 1 shows.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BELOW sum[0] += u[pos - nx] * invhy2;
#include "skeleton.h"
