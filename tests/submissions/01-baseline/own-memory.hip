// Hands the kernel a pointer into the host's memory.
#define BEFORE_LAUNCH                                                                              \
  static double mine[1000000];                                                                     \
  u = mine
#include "skeleton.h"
