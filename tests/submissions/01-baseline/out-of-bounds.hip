// Reads far behind the array.
#define VALUE u[pos + (1ull << 40)]
#include "skeleton.h"
