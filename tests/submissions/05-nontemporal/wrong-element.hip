// Stores row n of the tile n elements further, not n rows.
#define STORE(n) store_nontemporal(&f[pos + (n)], sum[n])
#include "skeleton.h"
