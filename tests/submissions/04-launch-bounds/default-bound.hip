// Writes down the bound that the compiler assumes anyway: nothing changes, m = 16 still spills.
#define BOUNDS __launch_bounds__(1024)
#include "skeleton.h"
