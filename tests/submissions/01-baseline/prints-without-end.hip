// A forgotten printf in a loop that does not end. Its lines are long enough for the limit in bytes to come before that of
// time on any computer.
#include "lab.h"

#include <hip/hip_runtime.h>
#include <stdio.h>
#define BEFORE_LAUNCH                                                                              \
  for (;;)                                                                                         \
  fprintf(stderr, "here: %s\n", __FILE__ " goes round its loop once more, and once more after that")
#include "skeleton.h"
