// The launcher never comes back.
#define BEFORE_LAUNCH                                                                              \
  for (volatile int n = 0;; n++)                                                                   \
    ;
#include "skeleton.h"
