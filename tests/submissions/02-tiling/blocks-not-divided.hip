// Launches as many blocks as there are rows, TILE times too many.
#define BLOCKS_Y ((grid->ny + block.y - 1) / block.y)
#include "skeleton.h"
