// Never ends: each thread waits for a value that nobody stores.
#include "lab.h"

#include <hip/hip_runtime.h>

#define VALUE wait_for(f + pos)
static inline __attribute__((device)) double wait_for(volatile double *value) {
  while (*value != 1.0)
    ;
  return *value;
}
#include "skeleton.h"
