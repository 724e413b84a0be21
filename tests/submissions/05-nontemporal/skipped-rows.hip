// Stores every other row.
#define STORE(n)                                                                                   \
  if (n % 2 == 0)                                                                                  \
  __builtin_nontemporal_store(sum[n], &f[pos + (n)*nx])
#include "skeleton.h"
