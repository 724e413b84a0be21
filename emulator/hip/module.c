// Modules: code objects that a program loads itself, and the attributes of kernels.
//
// In: a file or image in memory, names. Out: handles of modules and kernels, addresses of
// variables, figures of a kernel. Codes: hipamd hip_module.cpp, hip_platform.cpp
// (PlatformState::loadModule), hip_fatbin.cpp.
#define _GNU_SOURCE
#include "devices.h"
#include "gfx90a.h"
#include "handle.h"
#include "loaded_object.h"
#include "managed_variable.h"
#include "queue.h"
#include "registration.h"
#include "runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hipError_t load_image(hipModule_t *module, const void *image, size_t size) {
  if (!module || !image)
    return hipErrorInvalidValue;
  hipError_t error;
  CodeObject *object = loaded_object_open(image, size, &error);
  if (!object)
    return error;
  error = managed_variables_open(object);
  if (error != hipSuccess) {
    loaded_object_close(object);
    return error;
  }
  if (!handle_add(HANDLE_MODULE, object))
    return hipErrorOutOfMemory;
  *module = (hipModule_t)object;
  return hipSuccess;
}

enum { MOST_BYTES = 256 << 20 }; // of a module: a file may have no end, such as /dev/zero

// Reads to the end of a file of any kind; NULL if that fails, with the reason in errno.
static char *read_all(FILE *file, size_t *size) {
  size_t capacity = 1 << 16;
  char *bytes = malloc(capacity);
  *size = 0;
  while (bytes && (*size += fread(bytes + *size, 1, capacity - *size, file)) == capacity) {
    char *grown = capacity < MOST_BYTES ? realloc(bytes, capacity *= 2) : NULL;
    if (!grown)
      free(bytes);
    errno = capacity < MOST_BYTES ? ENOMEM : EFBIG;
    bytes = grown;
  }
  if (bytes && ferror(file)) {
    free(bytes);
    bytes = NULL;
  }
  return bytes;
}

static char *read_file(const char *name, size_t *size) {
  // A named pipe that nobody writes to, or a terminal, would keep the call for ever.
  const int descriptor = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
  char *bytes = file ? read_all(file, size) : NULL;
  if (!bytes)
    runtime_say("cannot read %s: %s.", name, strerror(errno));
  if (file)
    fclose(file);
  return bytes;
}

static hipError_t load_file(hipModule_t *module, const char *name) {
  if (!module || !name || !*name)
    return hipErrorInvalidValue;
  size_t size;
  char *bytes = read_file(name, &size);
  if (!bytes)
    return hipErrorFileNotFound;
  hipError_t error = hipErrorInvalidImage;
  if (size)
    error = load_image(module, bytes, size);
  else
    runtime_say("%s is empty.", name);
  free(bytes);
  return error;
}

hipError_t hipModuleLoad(hipModule_t *module, const char *name) { SERVE(load_file(module, name)); }
hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  SERVE(load_image(module, image, 0));
}
EXPORT hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *bundle);
hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *bundle) {
  SERVE(load_image(module, bundle, 0));
}
hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned count,
                               hipJitOption *options, void **values) {
  (void)count, (void)options, (void)values; // nothing is compiled
  SERVE(load_image(module, image, 0));
}

static hipError_t unload_module(hipModule_t module) {
  if (!handle_remove(HANDLE_MODULE, module))
    return module ? hipErrorNotFound : hipErrorInvalidHandle;
  managed_variables_close((const CodeObject *)module);
  loaded_object_close((CodeObject *)module);
  return hipSuccess;
}

hipError_t hipModuleUnload(hipModule_t module) { SERVE_ALONE(unload_module(module)); }

static hipError_t get_function(hipFunction_t *function, hipModule_t module, const char *name) {
  if (!function || !name)
    return hipErrorInvalidValue;
  if (!handle_live(HANDLE_MODULE, module))
    return hipErrorNotFound;
  const Kernel *kernel = code_object_kernel((const CodeObject *)module, name);
  if (!kernel) {
    runtime_say("the module holds no kernel \"%s\"; C++ names are mangled unless the kernel is "
                "declared extern \"C\".",
                name);
    return hipErrorNotFound;
  }
  *function = (hipFunction_t)kernel;
  return hipSuccess;
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name) {
  SERVE(get_function(function, module, name));
}

static hipError_t get_global(hipDeviceptr_t *address, size_t *size, hipModule_t module,
                             const char *name) {
  if (!name || !*name || (!address && !size))
    return hipErrorInvalidValue;
  if (!handle_live(HANDLE_MODULE, module))
    return hipErrorInvalidHandle;
  const DeviceVariable *variable = loaded_variable(module, name);
  if (!variable)
    return hipErrorNotFound;
  void *memory = (void *)variable->address;
  size_t bytes = variable->size;
  (void)managed_variable((const CodeObject *)module, name, &memory, &bytes);
  if (address)
    *address = (hipDeviceptr_t)memory;
  if (size)
    *size = bytes;
  return hipSuccess;
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *address, size_t *size, hipModule_t module,
                              const char *name) {
  SERVE(get_global(address, size, module, name));
}

EXPORT hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *symbol);

static hipError_t function_by_symbol(hipFunction_t *function, const void *symbol) {
  const Kernel *kernel;
  hipError_t error =
      function ? registered_kernel(symbol, device_current(), &kernel) : hipErrorInvalidValue;
  if (error == hipSuccess)
    *function = (hipFunction_t)kernel;
  return error;
}

hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *symbol) {
  SERVE(function_by_symbol(function, symbol));
}

static hipError_t function_attributes(hipFuncAttributes *attributes, const void *function) {
  const Kernel *kernel;
  if (!attributes)
    return hipErrorInvalidValue;
  hipError_t error = registered_kernel(function, device_current(), &kernel);
  if (error != hipSuccess)
    return error;
  *attributes = (hipFuncAttributes){.binaryVersion = 90, // compute capability 9.0 of the device
                                    .localSizeBytes = kernel->private_segment_size,
                                    .maxDynamicSharedSizeBytes = loaded_kernel_told_lds(kernel),
                                    .maxThreadsPerBlock = (int)kernel->max_workgroup_size,
                                    .numRegs = (int)kernel->vgpr_count,
                                    .ptxVersion = 30, // as ROCm reports
                                    .sharedSizeBytes = kernel->group_segment_size};
  return hipSuccess;
}

hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, const void *function) {
  SERVE(function_attributes(attributes, function));
}

static hipError_t function_attribute(int *value, hipFunction_attribute attribute,
                                     hipFunction_t function) {
  const Kernel *kernel = loaded_kernel(function);
  if (!value)
    return hipErrorInvalidValue;
  if (!kernel)
    return hipErrorInvalidHandle;
  switch (attribute) {
  case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = (int)kernel->max_workgroup_size;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = (int)kernel->group_segment_size;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = (int)kernel->private_segment_size;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_NUM_REGS:
    *value = (int)kernel->vgpr_count;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    *value = 30;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = 90;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = loaded_kernel_told_lds(kernel);
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
  case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *value = 0;
    return hipSuccess;
  default:
    return hipErrorInvalidValue;
  }
}

hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute,
                               hipFunction_t function) {
  SERVE(function_attribute(value, attribute, function));
}

// The wishes below are accepted, if they can be meant, and change nothing that is executed, as in ROCm.
static hipError_t wish_of(const Kernel *kernel, hipFuncAttribute attribute, int value) {
  const int most = loaded_kernel_most_lds(kernel);
  const bool of_lds = attribute == hipFuncAttributeMaxDynamicSharedMemorySize;
  const bool fits = of_lds ? value >= 0 && value <= most
                           : attribute == hipFuncAttributePreferredSharedMemoryCarveout &&
                                 value >= -1 && value <= 100; // percent, -1: the default
  if (!fits && of_lds)
    runtime_say("%d bytes: a block of this kernel can have 0 to %d bytes of dynamic LDS.", value,
                most);
  if (fits && of_lds)
    loaded_kernel_wish_lds(kernel, value);
  return fits ? hipSuccess : hipErrorInvalidValue;
}

static hipError_t wish(const void *function, hipFuncAttribute attribute, int value) {
  const Kernel *kernel;
  const hipError_t error = registered_kernel(function, device_current(), &kernel);
  return error == hipSuccess ? wish_of(kernel, attribute, value) : error;
}

hipError_t hipFuncSetAttribute(const void *function, hipFuncAttribute attribute, int value) {
  SERVE(wish(function, attribute, value));
}

// Of 7.16 and 7.18. A kernel of a library is one on all devices.
EXPORT hipError_t hipKernelSetAttributeForDevice(hipFunction_t kernel, hipFuncAttribute attribute,
                                                 int value, int device);
EXPORT hipError_t hipKernelSetCacheConfig(hipFunction_t kernel, hipFuncCache_t configuration,
                                          hipDevice_t device);

static hipError_t kernel_on(hipFunction_t kernel, int device) {
  return !loaded_kernel(kernel)  ? hipErrorInvalidHandle
         : !device_known(device) ? hipErrorInvalidDevice
                                 : hipSuccess;
}

static hipError_t wish_on(hipFunction_t kernel, hipFuncAttribute attribute, int value, int device) {
  const hipError_t error = kernel_on(kernel, device);
  return error == hipSuccess ? wish_of(loaded_kernel(kernel), attribute, value) : error;
}

hipError_t hipKernelSetAttributeForDevice(hipFunction_t kernel, hipFuncAttribute attribute,
                                          int value, int device) {
  SERVE(wish_on(kernel, attribute, value, device));
}

// Of the function no more is asked than that there is one.
static hipError_t wish_for_one(const void *function, unsigned configuration, unsigned last) {
  if (!function)
    return hipErrorInvalidDeviceFunction;
  return configuration > last ? hipErrorInvalidValue : hipSuccess;
}

hipError_t hipFuncSetCacheConfig(const void *function, hipFuncCache_t configuration) {
  SERVE(wish_for_one(function, (unsigned)configuration, hipFuncCachePreferEqual));
}

static hipError_t wish_for_cache_on(hipFunction_t kernel, unsigned configuration, int device) {
  const hipError_t error = kernel_on(kernel, device);
  return error == hipSuccess ? wish_for_one(kernel, configuration, hipFuncCachePreferEqual) : error;
}

hipError_t hipKernelSetCacheConfig(hipFunction_t kernel, hipFuncCache_t configuration,
                                   hipDevice_t device) {
  SERVE(wish_for_cache_on(kernel, (unsigned)configuration, device));
}
hipError_t hipFuncSetSharedMemConfig(const void *function, hipSharedMemConfig configuration) {
  SERVE(wish_for_one(function, (unsigned)configuration, hipSharedMemBankSizeEightByte));
}

static const char *kernel_name(const Kernel *kernel) { return kernel ? kernel->symbol : NULL; }

const char *hipKernelNameRef(const hipFunction_t function) {
  runtime_enter(__func__, CALL_NEEDS_NOTHING);
  const char *name = kernel_name(loaded_kernel(function));
  runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);
  return name;
}

const char *hipKernelNameRefByPtr(const void *function, hipStream_t stream) {
  (void)stream;
  const Kernel *kernel = NULL;
  runtime_enter(__func__, CALL_NEEDS_NOTHING);
  const hipError_t error =
      function ? registered_kernel(function, device_current(), &kernel) : hipSuccess;
  runtime_leave(CALL_NEEDS_NOTHING, error);
  return kernel_name(kernel);
}
