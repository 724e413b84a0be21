// Leaves part of the force out: right where no force acts.
#define SOURCE u *force
#include "skeleton.h"
