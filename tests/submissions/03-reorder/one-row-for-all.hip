// Takes the z neighbours of the tile's first row for all rows: right only where the rows are equal.
#define Z_ROW(n) 0
#include "skeleton.h"
