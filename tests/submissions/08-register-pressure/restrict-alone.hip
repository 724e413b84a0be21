// All promises, but pow() is still there and f_rest late.
#define SQUARE pow(order, 2.0)
#define EARLY
#define LATE ASSIGN_F_REST
#include "skeleton.h"
