// Writes the new order parameter, too, which is another kernel's work.
#define AFTER phi[at] = f_rest[here]
#include "skeleton.h"
