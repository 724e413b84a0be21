// What the tests of the HIP runtime share: error codes with names in failures, sentences on stderr,
// a loaded module.
//
// In: nothing; each test runs in its own process, so each starts with a fresh device.
#ifndef RUNTIME_TEST_H
#define RUNTIME_TEST_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>
#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// hipcc --genco of tests/emulator/kernels/runtime.hip; tests run in the repository's root.
#define RUNTIME_KERNELS "build/tests/emulator/runtime.hsaco"

// cr_assert(eq(...)) takes the preprocessor 13 ms, and there are several hundred of these.
#define GIVES(CODE, CALL)                                                                          \
  do {                                                                                             \
    hipError_t code_ = (CALL);                                                                     \
    if (code_ != (CODE))                                                                           \
      cr_fatal("%s gives %s, not %s", #CALL, hipGetErrorName(code_), hipGetErrorName(CODE));       \
  } while (0)

#define SUCCEEDS(CALL) GIVES(hipSuccess, CALL)

// The test's stderr so far; call once, after cr_redirect_stderr() at its begin.
static inline const char *said(void) {
  static char text[16384];
  fflush(stderr);
  size_t length = fread(text, 1, sizeof text - 1, cr_get_redirected_stderr());
  text[length] = '\0';
  return text;
}

#define SAYS(TEXT, PART)                                                                           \
  do {                                                                                             \
    if (!strstr(TEXT, PART))                                                                       \
      cr_fatal("stderr lacks \"%s\": %s", PART, TEXT);                                             \
  } while (0)

// hipStreamBatchMemOpParams of ROCm 6.4.
typedef union {
  struct {
    int operation;
    void *address;
    uint64_t value;
    unsigned flags;
  } value;
  uint64_t pad[6];
} BatchOperation;
enum { WAIT_32 = 1, WRITE_32 = 2, FLUSH = 3, WRITE_64 = 5 }; // hipStreamBatchMemOpType

static inline void *device_allocation(size_t size) {
  void *address = NULL;
  SUCCEEDS(hipMalloc(&address, size));
  return address;
}

// The bytes of the code object; the caller frees them.
static inline char *kernel_file(size_t *size) {
  enum { CAPACITY = 1 << 20 };
  FILE *file = fopen(RUNTIME_KERNELS, "rb");
  char *bytes = calloc(1, CAPACITY);
  cr_assert(ne(ptr, file, NULL), "%s is missing: make test builds it", RUNTIME_KERNELS);
  *size = fread(bytes, 1, CAPACITY, file);
  fclose(file);
  return bytes;
}

// Makes the bundle say that its code is for gfx803.
static inline void retarget(char *bytes, size_t size) {
  for (size_t i = 0; i + 6 < size && i < 4096; i++)
    if (memcmp(bytes + i, "gfx90a", 6) == 0)
      memcpy(bytes + i, "gfx803", 6);
}

static inline hipFunction_t kernel_named(const char *name) {
  hipModule_t module = NULL;
  hipFunction_t function = NULL;
  SUCCEEDS(hipModuleLoad(&module, RUNTIME_KERNELS));
  SUCCEEDS(hipModuleGetFunction(&function, module, name));
  return function;
}

// Launches with grid and block in x only.
static inline hipError_t launch(hipFunction_t function, unsigned grid, unsigned block, unsigned lds,
                                void **arguments) {
  return hipModuleLaunchKernel(function, grid, 1, 1, block, 1, 1, lds, NULL, arguments, NULL);
}

#endif
