// Everything but restrict.
#define RESTRICT
#include "skeleton.h"
