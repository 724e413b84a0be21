// f_rest was to be moved, and is assigned in both places.
#define EARLY ASSIGN_F_REST
#define LATE ASSIGN_F_REST
#include "skeleton.h"
