// Processes whose system gives them little: address space, stacks of threads, file descriptors.
#define _GNU_SOURCE // pthread_setattr_default_np
#include "runtime_test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>

static void add_one(void) {
  int *values = device_allocation(256 * sizeof *values), n = 256;
  void *arguments[] = {&values, &n};
  SUCCEEDS(launch(kernel_named("add_one"), 4, 64, 0, arguments));
  SUCCEEDS(hipDeviceSynchronize());
}

static uint64_t address_space(void) { // in use, bytes
  unsigned long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  cr_assert(file && fscanf(file, "%llu", &pages) == 1);
  fclose(file);
  return 4096 * pages;
}

// With the largest power of two that fits for device memory nothing would be left for LLVM.
Test(runtime_resources, half_of_a_limited_address_space_is_left) {
  const rlim_t bytes = address_space() + (4ull << 30) + (32ull << 20);
  cr_assert(zero(int, setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes})));
  add_one();
  const uint64_t used = address_space();
  cr_assert(lt(u64, used, bytes - (1ull << 30)));
}

// What pthread_create takes where ulimit -s is small.
Test(runtime_resources, stacks_are_our_own) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  cr_assert(zero(int, pthread_setattr_default_np(&small)));
  add_one();
}

Test(runtime_resources, no_descriptor_is_told) {
  extern void **__hipRegisterFatBinary(const void *wrapper);
  extern void __hipRegisterFunction(void **module, const void *host, char *host_name, char *name,
                                    unsigned limit, void *tid, void *bid, dim3 *block, dim3 *grid,
                                    int *wave_size);
  static const char code[] = "__CLANG_OFFLOAD_BUNDLE__";
  const struct {
    uint32_t magic, version;
    const void *binary;
    void *unused;
  } wrapper = {0x48495046, 1, code, NULL};
  const dim3 one = {1, 1, 1};
  device_allocation(4);
  cr_redirect_stderr();
  void **module = __hipRegisterFatBinary(&wrapper);
  __hipRegisterFunction(module, &code, "f", "f", -1, NULL, NULL, NULL, NULL, NULL);
  while (open("/dev/null", O_RDONLY) >= 0)
    ;
  GIVES(hipErrorInvalidImage, hipLaunchKernel(&code, one, one, NULL, 0, NULL));
  SAYS(said(), "/proc/self/maps: Too many open files.");
}
