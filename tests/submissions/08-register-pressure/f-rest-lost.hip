// f_rest was to be moved, and is gone.
#define EARLY
#define LATE
#include "skeleton.h"
