// Rounds the number of blocks down, so that the rest of a grid that does not divide is never
// computed.
#define BLOCKS(n, b) ((n) / (b) ? (n) / (b) : 1)
#include "skeleton.h"
