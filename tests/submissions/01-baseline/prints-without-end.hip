// A forgotten printf in a loop that does not end. Its lines are long enough for the limit in bytes to come before that of
// time on any computer.
#include "lab.h"

#include <hip/hip_runtime.h>
#include <stdio.h>
#define BEFORE_LAUNCH                                                                              \
  for (;;)                                                                                         \
  fprintf(stderr, "here: %65536s\n", "goes round its loop once more")
#include "skeleton.h"
