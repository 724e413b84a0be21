// Takes the density in single precision, which needs fewer registers.
#define REAL const float
#include "skeleton.h"
