// Never hands over to the harness.
#define MAIN 0
#include "skeleton.h"
