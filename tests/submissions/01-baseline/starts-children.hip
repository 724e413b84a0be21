// Starts processes that outlive it and hold its output, by system calls of its own.
#include "lab.h"

#include <hip/hip_runtime.h>
#include <sys/syscall.h>
#include <unistd.h>
#define BEFORE_LAUNCH                                                                              \
  for (int n = 0; n < 30; n++)                                                                     \
    if (syscall(SYS_fork) == 0) {                                                                  \
      sleep(1000);                                                                                 \
      _exit(0);                                                                                    \
    }
#include "skeleton.h"
