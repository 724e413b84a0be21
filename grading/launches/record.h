// What record has from its platform: which kernels and variables a learner's object registers, and
// which calls end there because the list has no line for them.
#ifndef RECORD_H
#define RECORD_H

#include <hip/hip_runtime_api.h>

// What stands for a kernel or a variable in the learner's host code has this name on the device.
void record_remember(const void *host, const char *symbol);

// Writes into the list that the launcher made this call, which no launcher may make.
hipError_t record_refused(const char *call);

// Such a call, by the name that programs are linked with and by HIP's.
#define RECORD_REFUSED(NAME, HIP_NAME)                                                             \
  hipError_t refused_##NAME(void) __asm__(#NAME);                                                  \
  hipError_t refused_##NAME(void) { return record_refused(HIP_NAME); }

#endif
