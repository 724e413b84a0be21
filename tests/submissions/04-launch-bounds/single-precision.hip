// Adds up in single precision, which needs half the registers.
#define SUM float
#include "skeleton.h"
