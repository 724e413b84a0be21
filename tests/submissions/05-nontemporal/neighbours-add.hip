// A race: each tile adds its edge rows into its neighbours' rows of f, which their owners store at
// the same time.
#include "lab.h"

#include <hip/hip_runtime.h>

#define BELOW
#define ABOVE
#define AFTER                                                                                      \
  if (j > 1)                                                                                       \
    __builtin_nontemporal_store(f[pos - nx] + U(pos) * invhy2, &f[pos - nx]);                      \
  if (j + ROWS < ny - 1)                                                                           \
  __builtin_nontemporal_store(f[pos + ROWS * nx] + U(pos + (ROWS - 1) * nx) * invhy2,              \
                              &f[pos + ROWS * nx])
#include "skeleton.h"
