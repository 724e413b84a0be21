// Promises the compiler smaller blocks than the lab launches.
#define BOUNDS __launch_bounds__(128)
#include "skeleton.h"
