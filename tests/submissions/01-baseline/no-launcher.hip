// The Lab forgets to say how the kernel is launched.
#define LAUNCH_MEMBER
#include "skeleton.h"
