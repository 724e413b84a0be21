// Stores all rows of a tile, the boundary rows too.
#define INTERIOR(n) true
#include "skeleton.h"
