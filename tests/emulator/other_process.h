// What a process says that a test forked, where Criterion does not listen.
//
// In: a HIP call and the code it must give. Out: nothing if it does; else a line on stderr, and the process ends with 1.
#ifndef TESTS_EMULATOR_OTHER_PROCESS_H
#define TESTS_EMULATOR_OTHER_PROCESS_H

#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <unistd.h>

#define EXPECT(CODE, CALL)                                                                         \
  do {                                                                                             \
    hipError_t code_ = (CALL);                                                                     \
    if (code_ != (CODE)) {                                                                         \
      fprintf(stderr, "%s gives %s\n", #CALL, hipGetErrorName(code_));                             \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (0)

#endif
