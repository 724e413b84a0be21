// Not even C++.
#define VALUE u[pos] +
#include "skeleton.h"
