// Stores row n of the tile n elements further, not n rows.
#define STORE(n) __builtin_nontemporal_store(sum[n], &f[pos + (n)])
#include "skeleton.h"
