// Changes the tiled kernel and leaves the baseline as it was.
#define BASELINE_STORE f[pos] = value
#include "skeleton.h"
