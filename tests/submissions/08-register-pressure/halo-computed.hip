// The guard lets one column too many compute.
#define OUTSIDE i > nx || j >= ny || k >= nz
#include "skeleton.h"
