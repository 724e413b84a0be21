// Stores at the far x boundary too.
#define LAST_I nx
#include "skeleton.h"
