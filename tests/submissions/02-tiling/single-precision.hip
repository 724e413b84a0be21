// Adds up in single precision, to need fewer registers.
#define SUM float
#include "skeleton.h"
