// The instructions that this library was built with, MARCH in the Makefile, and whether the processor at hand has them: a folder
// may be shared by computers, and tools such as valgrind know fewer.
//
// In: what the compiler was told, what the processor tells. Out: a sentence on stderr and the end of the process as the library is
// loaded; else the first call would end by SIGILL without a word.
#ifndef EMULATOR_HOST_PROCESSOR_H
#define EMULATOR_HOST_PROCESSOR_H

#include <stdint.h>

#ifdef __clang__ // 15, which builds the fuzzer, does not know these
#define HOST_FEATURES_OF_GCC(X)
#else
#define HOST_FEATURES_OF_GCC(X) X("f16c", 7) X("avx512fp16", 16)
#endif

// X(NAME of __builtin_cpu_supports, bit)
#define HOST_FEATURES(X)                                                                           \
  X("sse4.2", 0)                                                                                   \
  X("popcnt", 1)                                                                                   \
  X("avx", 2)                                                                                      \
  X("avx2", 3)                                                                                     \
  X("fma", 4)                                                                                      \
  X("bmi", 5)                                                                                      \
  X("bmi2", 6)                                                                                     \
  X("avx512f", 8)                                                                                  \
  X("avx512bw", 9)                                                                                 \
  X("avx512dq", 10)                                                                                \
  X("avx512vl", 11)                                                                                \
  X("avx512vbmi", 12)                                                                              \
  X("avx512vbmi2", 13)                                                                             \
  X("avx512vpopcntdq", 14)                                                                         \
  X("avx512bitalg", 15)                                                                            \
  X("gfni", 17)                                                                                    \
  HOST_FEATURES_OF_GCC(X)

extern const uint32_t host_processor_needed; // bits

// The first that is needed and not there, NULL: all are there.
const char *host_processor_lacks(uint32_t needed, uint32_t there);

#endif
