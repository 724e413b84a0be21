// Stores every other row.
#define STORE(n)                                                                                   \
  if (n % 2 == 0)                                                                                  \
  store_nontemporal(&f[pos + (n)*nx], sum[n])
#include "skeleton.h"
