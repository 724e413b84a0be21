// Names a block twice as large as the one that is launched: nothing spills, but fewer registers are left.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BOUNDS __launch_bounds__(512)
#include "skeleton.h"
