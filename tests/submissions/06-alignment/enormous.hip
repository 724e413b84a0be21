// Rows so far apart that no device has memory for an array.
#define LD ((size_t)1 << 30)
#include "skeleton.h"
