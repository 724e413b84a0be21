// f_rest was to be moved, and is assigned in both places.
#include "lab.h"

#include <hip/hip_runtime.h>

#define EARLY ASSIGN_F_REST
#define LATE ASSIGN_F_REST
#include "skeleton.h"
