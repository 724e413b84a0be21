// What the kernel programs share: HIP calls that must succeed, random inputs, and a verdict.
//
// In: results of a kernel and of a host reference. Out: sentences on stderr for the first
// differences; verdict() is the exit status of main.
#ifndef TESTS_EMULATOR_KERNELS_CHECK_H
#define TESTS_EMULATOR_KERNELS_CHECK_H

#include <hip/hip_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HIP(CALL)                                                                                  \
  do {                                                                                             \
    hipError_t error = (CALL);                                                                     \
    if (error != hipSuccess) {                                                                     \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #CALL, hipGetErrorString(error));     \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static unsigned long differences;

// Counts a difference and prints the first few.
#define DIFFERS(...)                                                                               \
  do {                                                                                             \
    if (differences++ < 5) {                                                                       \
      fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                              \
      fprintf(stderr, __VA_ARGS__);                                                                \
      fputc('\n', stderr);                                                                         \
    }                                                                                              \
  } while (0)

static int verdict(void) {
  if (differences)
    fprintf(stderr, "%lu differences\n", differences);
  return differences != 0;
}

static uint64_t random_state = 88172645463325252ull;

static inline uint64_t random_bits(void) { // xorshift64*
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return random_state * 2685821657736338717ull;
}

static inline double random_unit(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

// Device memory with a copy of host bytes (or zeros), and back.
static inline void *to_device(const void *host, size_t bytes) {
  void *device;
  HIP(hipMalloc(&device, bytes));
  if (host)
    HIP(hipMemcpy(device, host, bytes, hipMemcpyHostToDevice));
  else
    HIP(hipMemset(device, 0, bytes));
  return device;
}

static inline void to_host(void *host, void *device, size_t bytes) {
  HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
  HIP(hipMemcpy(host, device, bytes, hipMemcpyDeviceToHost));
  HIP(hipFree(device));
}

static inline void *host_array(size_t bytes) {
  void *array = calloc(1, bytes);
  if (!array) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  return array;
}

#endif
