// Streams into the time level that other threads still read.
#define NEXT current
#include "skeleton.h"
