// Names a block twice as large as the one that is launched: nothing spills, but fewer registers are left.
#define BOUNDS __launch_bounds__(512)
#include "skeleton.h"
