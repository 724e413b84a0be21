// A forgotten printf in a loop that does not end.
#include <stdio.h>
#define BEFORE_LAUNCH                                                                              \
  for (;;)                                                                                         \
  fprintf(stderr, "here\n")
#include "skeleton.h"
