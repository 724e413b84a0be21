// What record hears from an object that hipcc compiled. See record.h.
#define _GNU_SOURCE
#include "record.h"

#include <dlfcn.h>

// The library's own function of that name.
#define PASS_ON(NAME, ...) ((__typeof__(NAME) *)dlsym(RTLD_NEXT, #NAME))(__VA_ARGS__)

// Called by what hipcc adds to the learner's object, before main.
void __hipRegisterFunction(void **module, const void *host, char *device_function, const char *name,
                           unsigned limit, void *thread, void *block, dim3 *block_dim,
                           dim3 *grid_dim, int *wavefront);
void __hipRegisterFunction(void **module, const void *host, char *device_function, const char *name,
                           unsigned limit, void *thread, void *block, dim3 *block_dim,
                           dim3 *grid_dim, int *wavefront) {
  record_remember(host, name);
  PASS_ON(__hipRegisterFunction, module, host, device_function, name, limit, thread, block,
          block_dim, grid_dim, wavefront);
}

void __hipRegisterVar(void **module, void *host, char *host_name, char *name, int external,
                      size_t size, int constant, int global);
void __hipRegisterVar(void **module, void *host, char *host_name, char *name, int external,
                      size_t size, int constant, int global) {
  record_remember(host, name);
  PASS_ON(__hipRegisterVar, module, host, host_name, name, external, size, constant, global);
}

// Calls that would do what the list has no line for. Declared with their types by HIP; here only their
// names count, so they get others in C.
RECORD_REFUSED(hipMalloc, "hipMalloc")
RECORD_REFUSED(hipMallocManaged, "hipMallocManaged")
RECORD_REFUSED(hipMallocAsync, "hipMallocAsync")
RECORD_REFUSED(hipHostMalloc, "hipHostMalloc")
RECORD_REFUSED(hipHostRegister, "hipHostRegister")
RECORD_REFUSED(hipMemset, "hipMemset")
RECORD_REFUSED(hipMemsetAsync, "hipMemsetAsync")
RECORD_REFUSED(hipMemsetD8, "hipMemsetD8")
RECORD_REFUSED(hipMemsetD8Async, "hipMemsetD8Async")
RECORD_REFUSED(hipMemsetD32, "hipMemsetD32")
RECORD_REFUSED(hipMemsetD32Async, "hipMemsetD32Async")
RECORD_REFUSED(hipMemset2D, "hipMemset2D")
RECORD_REFUSED(hipMemset3D, "hipMemset3D")
RECORD_REFUSED(hipMemcpy, "hipMemcpy")
RECORD_REFUSED(hipMemcpyAsync, "hipMemcpyAsync")
RECORD_REFUSED(hipMemcpyWithStream, "hipMemcpyWithStream")
RECORD_REFUSED(hipMemcpyDtoD, "hipMemcpyDtoD")
RECORD_REFUSED(hipMemcpyHtoD, "hipMemcpyHtoD")
RECORD_REFUSED(hipMemcpyDtoH, "hipMemcpyDtoH")
RECORD_REFUSED(hipMemcpy2D, "hipMemcpy2D")
RECORD_REFUSED(hipMemcpy3D, "hipMemcpy3D")
RECORD_REFUSED(hipMemcpyFromSymbol, "hipMemcpyFromSymbol")
RECORD_REFUSED(hipGetSymbolAddress, "hipGetSymbolAddress")
RECORD_REFUSED(hipModuleLoad, "hipModuleLoad")
RECORD_REFUSED(hipModuleLoadData, "hipModuleLoadData")
RECORD_REFUSED(hipModuleLaunchKernel, "hipModuleLaunchKernel")
RECORD_REFUSED(hipLaunchCooperativeKernel, "hipLaunchCooperativeKernel")
RECORD_REFUSED(hipExtLaunchKernel, "hipExtLaunchKernel")
RECORD_REFUSED(hipStreamBeginCapture, "hipStreamBeginCapture")
RECORD_REFUSED(hipGraphLaunch, "hipGraphLaunch")
