// Leaves out the last interior row of the tiled kernel: the guard ends one too early in y.
#define LAST_J (ny - 2)
#include "skeleton.h"
