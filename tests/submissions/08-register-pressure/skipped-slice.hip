// The guard leaves out the last slice.
#define OUTSIDE i >= nx || j >= ny || k >= nz - 1
#include "skeleton.h"
