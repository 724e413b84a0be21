// An order, but the wrong way round: plane k + 1 first, k - 1 last.
#define LOADS UPPER ABOVE MIDDLE BELOW LOWER
#include "skeleton.h"
