// Does not store the rest population, which saves a store and its inputs.
#define G_REST (void)s_rest
#include "skeleton.h"
