// Streams one pair of directions to the wrong neighbours.
#define TN_STEP (row - slice)
#include "skeleton.h"
