// Lets hipMemset write, which no counter sees.
#define BEFORE_LAUNCH (void)hipMemset(f, 0, sizeof(double) * grid->elements)
#include "skeleton.h"
