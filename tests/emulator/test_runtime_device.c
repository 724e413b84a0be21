// Errors, device properties, contexts and unserved calls of the HIP runtime.
#define _GNU_SOURCE
#include "runtime_test.h"

#include <dlfcn.h>
#include <stdlib.h>

#define REAL_LIBRARY "/usr/lib/x86_64-linux-gnu/libamdhip64.so.5"

Test(runtime_error, names_and_texts_are_those_of_rocm) {
  void *real = dlmopen(LM_ID_NEWLM, REAL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!real)
    cr_skip_test("%s is not installed", REAL_LIBRARY);
  const char *(*name)(hipError_t) = (const char *(*)(hipError_t))dlsym(real, "hipGetErrorName");
  const char *(*text)(hipError_t) = (const char *(*)(hipError_t))dlsym(real, "hipGetErrorString");
  for (int code = -1; code < 1200; code++) {
    cr_assert(eq(str, (char *)hipGetErrorName(code), (char *)name(code)));
    cr_assert(eq(str, (char *)hipGetErrorString(code), (char *)text(code)));
  }
}

Test(runtime_error, the_last_error_is_that_of_the_last_call) {
  int device = 7;
  GIVES(hipErrorInvalidDevice, hipSetDevice(7));
  GIVES(hipErrorInvalidDevice, hipPeekAtLastError());
  GIVES(hipErrorInvalidDevice, hipGetLastError());
  SUCCEEDS(hipGetLastError());
  GIVES(hipErrorInvalidDevice, hipSetDevice(7));
  SUCCEEDS(hipGetDevice(&device)); // ROCm 5.2 lets a success overwrite an error
  SUCCEEDS(hipGetLastError());
  cr_assert(zero(int, device));
}

Test(runtime_device, is_one_die_of_an_mi250x) {
  hipDeviceProp_t p;
  int count = 0;
  SUCCEEDS(hipGetDeviceCount(&count));
  cr_assert(eq(int, count, 1));
  SUCCEEDS(hipGetDeviceProperties(&p, 0));
  cr_assert(eq(str, p.name, "AMD Instinct MI250X (emulated)"));
  cr_assert(eq(str, p.gcnArchName, "gfx90a:sramecc+:xnack-"));
  cr_assert(all(eq(int, p.multiProcessorCount, 110), eq(int, p.warpSize, 64),
                eq(int, p.l2CacheSize, 8 << 20)));
  cr_assert(all(eq(sz, p.sharedMemPerBlock, 65536), eq(int, p.maxThreadsPerBlock, 1024)));
  cr_assert(eq(int, p.maxThreadsPerMultiProcessor, 2048));
  GIVES(hipErrorInvalidDevice, hipGetDeviceProperties(&p, 1));
  GIVES(hipErrorInvalidDevice, hipGetDeviceProperties(&p, -1));
  GIVES(hipErrorInvalidValue, hipGetDeviceProperties(NULL, 0));
}

Test(runtime_device, attributes_agree_with_properties) {
  int value = 0;
  SUCCEEDS(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
  cr_assert(eq(int, value, 110));
  SUCCEEDS(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxSharedMemoryPerBlock, 0));
  cr_assert(eq(int, value, 65536));
  SUCCEEDS(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxBlockDimZ, 0));
  cr_assert(eq(int, value, 1024));
  SUCCEEDS(hipDeviceGetAttribute(&value, hipDeviceAttributeManagedMemory, 0));
  cr_assert(eq(int, value, 1));
  GIVES(hipErrorInvalidValue, hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)9998, 0));
  GIVES(hipErrorInvalidDevice, hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 1));
}

Test(runtime_device, names_and_versions) {
  char name[8], bus[32];
  int version = 0, device = 5;
  size_t bytes = 0;
  SUCCEEDS(hipInit(0));
  SUCCEEDS(hipDeviceGetName(name, sizeof name, 0));
  cr_assert(eq(str, name, "AMD Ins"));
  SUCCEEDS(hipDeviceGetPCIBusId(bus, sizeof bus, 0));
  SUCCEEDS(hipDeviceGetByPCIBusId(&device, bus));
  cr_assert(zero(int, device));
  SUCCEEDS(hipRuntimeGetVersion(&version));
  cr_assert(eq(int, version, HIP_VERSION));
  SUCCEEDS(hipDeviceTotalMem(&bytes, 0));
  cr_assert(eq(sz, bytes, (size_t)64 << 30));
  SUCCEEDS(hipDeviceGetLimit(&bytes, hipLimitMallocHeapSize));
  GIVES(hipErrorInvalidValue, hipDeviceGetName(name, 0, 0));
  GIVES(hipErrorInvalidValue, hipInit(1));
}

static void expect_hidden(const char *variable, const char *list) {
  int count = 5;
  void *address;
  setenv(variable, list, 1);
  GIVES(hipErrorNoDevice, hipGetDeviceCount(&count));
  cr_assert(zero(int, count));
  GIVES(hipErrorNoDevice, hipMalloc(&address, 8));
  GIVES(hipErrorNoDevice, hipSetDevice(0));
}

Test(runtime_device, hidden_by_minus_one) { expect_hidden("HIP_VISIBLE_DEVICES", "-1"); }
Test(runtime_device, hidden_by_an_empty_list) { expect_hidden("ROCR_VISIBLE_DEVICES", ""); }
Test(runtime_device, hidden_by_another_device) { expect_hidden("HIP_VISIBLE_DEVICES", "1"); }
Test(runtime_device, visible_by_number) {
  int count;
  setenv("HIP_VISIBLE_DEVICES", "0", 1);
  setenv("ROCR_VISIBLE_DEVICES", "0,1", 1);
  SUCCEEDS(hipGetDeviceCount(&count));
}

// HIP marks contexts as deprecated; programs that use them must still run.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
Test(runtime_context, one_context_and_no_peers) {
  hipCtx_t created, popped;
  int can = 7;
  SUCCEEDS(hipCtxCreate(&created, 0, 0));
  SUCCEEDS(hipCtxPopCurrent(&popped));
  cr_assert(eq(ptr, created, popped));
  GIVES(hipErrorInvalidContext, hipCtxPopCurrent(&popped));
  SUCCEEDS(hipCtxDestroy(created));
  GIVES(hipErrorInvalidContext, hipCtxPushCurrent(NULL));
  GIVES(hipErrorInvalidValue, hipCtxCreate(&created, 0, 1));
  SUCCEEDS(hipDeviceCanAccessPeer(&can, 0, 0));
  cr_assert(zero(int, can));
  GIVES(hipErrorInvalidDevice, hipDeviceEnablePeerAccess(1, 0));
  GIVES(hipErrorPeerAccessNotEnabled, hipDeviceDisablePeerAccess(0));
}

Test(runtime_unsupported, says_so_once_and_fails) {
  hipArray *array = NULL;
  hipChannelFormatDesc format = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
  cr_redirect_stderr();
  GIVES(hipErrorNotSupported, hipMallocArray(&array, &format, 8, 8, 0));
  GIVES(hipErrorNotSupported, hipGetLastError());
  GIVES(hipErrorNotSupported, hipMallocArray(&array, &format, 8, 8, 0));
  const char *text = said();
  SAYS(text, "emulator: hipMallocArray: not served by the emulated device");
  cr_assert(eq(ptr, strstr(strchr(text, '\n'), "emulator:"), NULL), "said twice");
}
