// All is right, but nothing was predicted.
#include "skeleton.h"
