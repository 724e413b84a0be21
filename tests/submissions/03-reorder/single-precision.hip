// Adds up in single precision, which needs fewer registers.
#define SUM float
#include "skeleton.h"
