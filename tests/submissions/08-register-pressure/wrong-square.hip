// Replaces the square by something that is only sometimes equal.
#define SQUARE fabs(order)
#include "skeleton.h"
