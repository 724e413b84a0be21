// Right, but nothing was predicted.
//   values loaded for each stored, m = 2: ?
#include "skeleton.h"
