// The Lab is hidden in a namespace, where the harness cannot see it.
#define LAB                                                                                        \
  namespace mine {                                                                                 \
  const Lab lab =
#define LAB_END }
#include "skeleton.h"
