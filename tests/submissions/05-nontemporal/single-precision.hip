// Stores the value as a float in the place of the double.
#define BASELINE_STORE store_nontemporal(&f[pos], (float)value)
#include "skeleton.h"
