// The planes one after another, but plane k first, as in the formula.
#define LOADS BELOW MIDDLE ABOVE LOWER UPPER
#include "skeleton.h"
