// Asks for 8 waves: the compiler spills, and what it spills is scratch memory.
#define BOUNDS __launch_bounds__(256, 8)
#include "skeleton.h"
