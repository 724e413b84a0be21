// Right, but the lanes of a wavefront lie along y: each of them touches another line.
#define I_AXIS y
#define J_AXIS x
#include "skeleton.h"
