// Leaves out the last interior row: the guard ends one too early in y.
#define INTERIOR(n) (j + (n) > 0 && j + (n) < ny - 2)
#include "skeleton.h"
