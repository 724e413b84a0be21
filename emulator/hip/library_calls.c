// Libraries of ROCm 7.2: modules and their kernels under other names.
//
// In: HIP calls. Out: what those of module.c do. A library is a module, its kernel the module's function.
#define _GNU_SOURCE
#include "devices.h"
#include "handle.h"
#include "loaded_object.h"
#include "managed_variable.h"
#include "runtime.h"

#include <stdlib.h>

typedef hipModule_t Library;
typedef hipFunction_t LibraryKernel;
#define OPTIONS                                                                                    \
  const int *options, void **values, unsigned count, const int *library_options,                   \
      void **library_values, unsigned library_count

EXPORT hipError_t hipLibraryLoadData(Library *library, const void *code, OPTIONS);
EXPORT hipError_t hipLibraryLoadFromFile(Library *library, const char *name, OPTIONS);
EXPORT hipError_t hipLibraryUnload(Library library);
EXPORT hipError_t hipLibraryGetKernel(LibraryKernel *kernel, Library library, const char *name);
EXPORT hipError_t hipLibraryGetKernelCount(unsigned *count, Library library);
EXPORT hipError_t hipLibraryEnumerateKernels(LibraryKernel *kernels, unsigned room,
                                             Library library);
EXPORT hipError_t hipLibraryGetGlobal(void **address, size_t *size, Library library,
                                      const char *name);
EXPORT hipError_t hipLibraryGetManaged(void **address, size_t *size, Library library,
                                       const char *name);
EXPORT hipError_t hipModuleEnumerateFunctions(hipFunction_t *functions, unsigned room,
                                              hipModule_t module);
EXPORT hipError_t hipKernelGetLibrary(Library *library, LibraryKernel kernel);
EXPORT hipError_t hipKernelGetName(const char **name, LibraryKernel kernel);
EXPORT hipError_t hipKernelGetFunction(hipFunction_t *function, LibraryKernel kernel);
EXPORT hipError_t hipKernelGetParamInfo(LibraryKernel kernel, size_t index, size_t *offset,
                                        size_t *size);
EXPORT hipError_t hipKernelGetAttribute(int *value, hipFunction_attribute attribute,
                                        LibraryKernel kernel, hipDevice_t device);
EXPORT hipError_t hipKernelSetAttribute(hipFunction_attribute attribute, int value,
                                        LibraryKernel kernel, hipDevice_t device);

// ROCm looks into a library when it is first asked for a kernel: one whose code cannot be loaded, which
// is told at once, has a handle until then.
static hipError_t keep_broken(Library *library) {
  void *broken = malloc(1);
  if (!broken || !handle_add(HANDLE_BROKEN_LIBRARY, broken))
    return hipErrorOutOfMemory;
  *library = (Library)broken;
  return hipSuccess;
}

static hipError_t loaded(Library *library, hipError_t error) {
  if (error != hipErrorInvalidImage && error != hipErrorNoBinaryForGpu)
    return error;
  SERVE(keep_broken(library));
}

static hipError_t look_into(Library library) {
  SERVE(handle_live(HANDLE_BROKEN_LIBRARY, library) ? hipErrorInvalidImage : hipSuccess);
}

static hipError_t drop_broken(Library library) {
  SERVE(handle_remove(HANDLE_BROKEN_LIBRARY, library) ? (free(library), hipSuccess)
                                                      : hipErrorInvalidImage);
}

// Nothing is compiled, so options change nothing.
hipError_t hipLibraryLoadData(Library *library, const void *code, OPTIONS) {
  (void)options, (void)values, (void)count;
  (void)library_options, (void)library_values, (void)library_count;
  return loaded(library, hipModuleLoadData(library, code));
}
hipError_t hipLibraryLoadFromFile(Library *library, const char *name, OPTIONS) {
  (void)options, (void)values, (void)count;
  (void)library_options, (void)library_values, (void)library_count;
  return loaded(library, hipModuleLoad(library, name));
}
hipError_t hipLibraryUnload(Library library) {
  if (library)
    return look_into(library) ? drop_broken(library) : hipModuleUnload(library);
  SERVE(hipErrorInvalidHandle);
}
hipError_t hipLibraryGetKernel(LibraryKernel *kernel, Library library, const char *name) {
  const hipError_t error = kernel && name ? look_into(library) : hipSuccess;
  return error ? error : hipModuleGetFunction(kernel, library, name);
}

static const CodeObject *object_of(Library library) {
  return handle_live(HANDLE_MODULE, library) ? (const CodeObject *)library : NULL;
}

static hipError_t count_kernels(unsigned *count, Library library) {
  const CodeObject *object = object_of(library);
  if (!count || !object)
    return hipErrorInvalidValue;
  *count = (unsigned)object->kernel_count;
  return hipSuccess;
}

static hipError_t list_kernels(LibraryKernel *kernels, unsigned room, Library library) {
  const CodeObject *object = object_of(library);
  if (!kernels || !object)
    return hipErrorInvalidValue;
  for (unsigned i = 0; i < room && i < object->kernel_count; i++)
    kernels[i] = (LibraryKernel)&object->kernels[i];
  return hipSuccess;
}

hipError_t hipLibraryGetKernelCount(unsigned *count, Library library) {
  const hipError_t error = count ? look_into(library) : hipSuccess;
  if (error)
    return error;
  SERVE(count_kernels(count, library));
}
hipError_t hipLibraryEnumerateKernels(LibraryKernel *kernels, unsigned room, Library library) {
  SERVE(list_kernels(kernels, room, library));
}

hipError_t hipModuleEnumerateFunctions(hipFunction_t *functions, unsigned room,
                                       hipModule_t module) {
  SERVE(list_kernels(functions, room, module));
}

// ---- variables ----

static bool asks_for_one(void **address, const size_t *size, const char *name) {
  return (address || size) && name && *name;
}

hipError_t hipLibraryGetGlobal(void **address, size_t *size, Library library, const char *name) {
  const hipError_t error = asks_for_one(address, size, name) ? look_into(library) : hipSuccess;
  return error ? error : hipModuleGetGlobal((hipDeviceptr_t *)address, size, library, name);
}

static hipError_t managed_of(void **address, size_t *size, Library library, const char *name) {
  const CodeObject *object = object_of(library);
  void *memory;
  size_t bytes;
  if (!asks_for_one(address, size, name))
    return hipErrorInvalidValue;
  if (!object)
    return hipErrorInvalidHandle;
  if (!managed_variable(object, name, &memory, &bytes))
    return hipErrorNotFound;
  if (address)
    *address = memory;
  if (size)
    *size = bytes;
  return hipSuccess;
}

hipError_t hipLibraryGetManaged(void **address, size_t *size, Library library, const char *name) {
  const hipError_t error = asks_for_one(address, size, name) ? look_into(library) : hipSuccess;
  if (error)
    return error;
  SERVE(managed_of(address, size, library, name));
}

// ---- kernels ----

static hipError_t library_of(Library *library, LibraryKernel handle) {
  const Kernel *kernel = loaded_kernel(handle);
  if (!library || !kernel)
    return hipErrorInvalidValue;
  *library = (Library)kernel->object;
  return hipSuccess;
}

static hipError_t name_of(const char **name, LibraryKernel handle) {
  const Kernel *kernel = loaded_kernel(handle);
  if (!name || !kernel)
    return hipErrorInvalidValue;
  *name = kernel->symbol;
  return hipSuccess;
}

static hipError_t function_of(hipFunction_t *function, LibraryKernel kernel) {
  if (!function || !loaded_kernel(kernel))
    return hipErrorInvalidValue;
  *function = kernel;
  return hipSuccess;
}

static hipError_t parameter(LibraryKernel handle, size_t index, size_t *offset, size_t *size) {
  const Kernel *kernel = loaded_kernel(handle);
  if (!kernel || !offset || index >= kernel->explicit_count)
    return hipErrorInvalidValue;
  *offset = kernel->arguments[index].offset;
  if (size)
    *size = kernel->arguments[index].size;
  return hipSuccess;
}

hipError_t hipKernelGetLibrary(Library *library, LibraryKernel kernel) {
  SERVE(library_of(library, kernel));
}
hipError_t hipKernelGetName(const char **name, LibraryKernel kernel) {
  SERVE(name_of(name, kernel));
}
hipError_t hipKernelGetFunction(hipFunction_t *function, LibraryKernel kernel) {
  SERVE(function_of(function, kernel));
}
hipError_t hipKernelGetParamInfo(LibraryKernel kernel, size_t index, size_t *offset, size_t *size) {
  SERVE(parameter(kernel, index, offset, size));
}
hipError_t hipKernelGetAttribute(int *value, hipFunction_attribute attribute, LibraryKernel kernel,
                                 hipDevice_t device) {
  if (device_known(device) && kernel)
    return hipFuncGetAttribute(value, attribute, kernel);
  SERVE(!device_known(device) ? hipErrorInvalidDevice
        : value               ? hipErrorInvalidHandle
                              : hipErrorInvalidValue);
}

// Of a kernel's attributes a program sets two. They are wishes, as those of hipFuncSetAttribute.
static hipError_t wish(hipFunction_attribute attribute, int value, LibraryKernel kernel) {
  const Kernel *known = loaded_kernel(kernel);
  const bool of_lds = attribute == HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && value >= 0;
  if (known && of_lds)
    loaded_kernel_wish_lds(known, value);
  return known && (of_lds || attribute == HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
             ? hipSuccess
             : hipErrorInvalidValue;
}

hipError_t hipKernelSetAttribute(hipFunction_attribute attribute, int value, LibraryKernel kernel,
                                 hipDevice_t device) {
  SERVE(device_known(device) ? wish(attribute, value, kernel) : hipErrorInvalidDevice);
}
