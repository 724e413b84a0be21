// Returns before it launches.
#define BEFORE_LAUNCH                                                                              \
  if (grid)                                                                                        \
  return
#include "skeleton.h"
