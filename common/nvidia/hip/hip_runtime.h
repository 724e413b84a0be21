// HIP on NVIDIA GPUs, as much of it as the labs use: HIP's names for CUDA's.
//
// In:  a lab's .hip file compiled by nvcc, or a C file of ours. Out: CUDA, nothing in between.
//
// <<<>>>, __global__, __shared__, __launch_bounds__, threadIdx and the like are CUDA's own words, so
// they need no row here. What is not here does not compile; the message says that it is missing.
#ifndef NVIDIA_HIP_RUNTIME_H
#define NVIDIA_HIP_RUNTIME_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

// --- types and calls that differ by their names alone ---

#define hipError_t cudaError_t
#define hipStream_t cudaStream_t
#define hipEvent_t cudaEvent_t
#define hipFuncAttributes cudaFuncAttributes
#define hipMemcpyKind enum cudaMemcpyKind

#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice
#define hipMemcpyDefault cudaMemcpyDefault

#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipEventCreate cudaEventCreate
#define hipEventDestroy cudaEventDestroy
#define hipEventElapsedTime cudaEventElapsedTime
#define hipEventRecord cudaEventRecord
#define hipEventSynchronize cudaEventSynchronize
#define hipFree cudaFree
#define hipFuncGetAttributes cudaFuncGetAttributes
#define hipGetErrorName cudaGetErrorName
#define hipGetErrorString cudaGetErrorString
#define hipGetLastError cudaGetLastError
#define hipHostRegister cudaHostRegister
#define hipHostRegisterDefault cudaHostRegisterDefault
#define hipLaunchKernel cudaLaunchKernel
#define hipMalloc cudaMalloc
#define hipMemcpy cudaMemcpy
#define hipMemcpyAsync cudaMemcpyAsync
#define hipMemcpyToSymbol cudaMemcpyToSymbol
#define hipMemcpyToSymbolAsync cudaMemcpyToSymbolAsync
#define hipMemGetInfo cudaMemGetInfo
#define hipMemset cudaMemset
#define hipMemsetAsync cudaMemsetAsync
#define HIP_SYMBOL(variable) (variable)

// --- errors ---

#define hipSuccess cudaSuccess
#define hipErrorAssert cudaErrorAssert
#define hipErrorIllegalAddress cudaErrorIllegalAddress
#define hipErrorInsufficientDriver cudaErrorInsufficientDriver
#define hipErrorInvalidConfiguration cudaErrorInvalidConfiguration
#define hipErrorInvalidDeviceFunction cudaErrorInvalidDeviceFunction
#define hipErrorInvalidSymbol cudaErrorInvalidSymbol
#define hipErrorInvalidValue cudaErrorInvalidValue
#define hipErrorLaunchFailure cudaErrorLaunchFailure
#define hipErrorLaunchOutOfResources cudaErrorLaunchOutOfResources
#define hipErrorLaunchTimeOut cudaErrorLaunchTimeout
#define hipErrorNoDevice cudaErrorNoDevice
#define hipErrorNotFound cudaErrorSymbolNotFound
#define hipErrorNotSupported cudaErrorNotSupported
#define hipErrorOutOfMemory cudaErrorMemoryAllocation

// --- the device: CUDA 13 has clock and bus width among the attributes alone ---

typedef struct {
  char name[256], gcnArchName[256];
  int memoryClockRate, memoryBusWidth, l2CacheSize; // kHz, bits, bytes
} hipDeviceProp_t;

static inline hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device) {
  const struct {
    enum cudaDeviceAttr attribute;
    int *value;
  } wanted[] = {{cudaDevAttrMemoryClockRate, &properties->memoryClockRate},
                {cudaDevAttrGlobalMemoryBusWidth, &properties->memoryBusWidth},
                {cudaDevAttrL2CacheSize, &properties->l2CacheSize}};
  struct cudaDeviceProp all;
  cudaError_t error = cudaFree(NULL); // takes hold of the device, and says so if it cannot be had
  if (error == cudaSuccess)
    error = cudaGetDeviceProperties(&all, device);
  for (size_t n = 0; error == cudaSuccess && n < sizeof wanted / sizeof *wanted; n++)
    error = cudaDeviceGetAttribute(wanted[n].value, wanted[n].attribute, device);
  if (error == cudaSuccess) {
    snprintf(properties->name, sizeof properties->name, "%s", all.name);
    snprintf(properties->gcnArchName, sizeof properties->gcnArchName, "sm_%d%d", all.major,
             all.minor);
  }
  return error;
}

// --- modules, by which a grade loads kernels (grading/launches/): CUDA's driver has them ---

#define hipModule_t CUmodule
#define hipFunction_t CUfunction
#define hipDeviceptr_t void *
#define HIP_LAUNCH_PARAM_BUFFER_POINTER CU_LAUNCH_PARAM_BUFFER_POINTER
#define HIP_LAUNCH_PARAM_BUFFER_SIZE CU_LAUNCH_PARAM_BUFFER_SIZE
#define HIP_LAUNCH_PARAM_END CU_LAUNCH_PARAM_END

// The two number what they have in common alike.
static inline hipError_t hip_error_of(CUresult result) { return (cudaError_t)result; }

static inline hipError_t hipModuleLoad(CUmodule *module, const char *path) {
  const cudaError_t error = cudaFree(NULL); // makes the context in which both work
  return error == cudaSuccess ? hip_error_of(cuModuleLoad(module, path)) : error;
}

static inline hipError_t hipModuleGetFunction(CUfunction *function, CUmodule module,
                                              const char *name) {
  return hip_error_of(cuModuleGetFunction(function, module, name));
}

static inline hipError_t hipModuleGetGlobal(void **address, size_t *size, CUmodule module,
                                            const char *name) {
  return hip_error_of(cuModuleGetGlobal((CUdeviceptr *)address, size, module, name));
}

static inline hipError_t hipMemGetAddressRange(void **begin, size_t *size, void *address) {
  return hip_error_of(cuMemGetAddressRange((CUdeviceptr *)begin, size, (CUdeviceptr)address));
}

static inline hipError_t hipModuleLaunchKernel(CUfunction function, unsigned gx, unsigned gy,
                                               unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                               unsigned lds, cudaStream_t stream, void **arguments,
                                               void **packed) {
  return hip_error_of(
      cuLaunchKernel(function, gx, gy, gz, bx, by, bz, lds, stream, arguments, packed));
}

// --- builtins of AMD's compiler, as a kernel spells them ---

#ifdef __CUDACC__
// st.global.cs and ld.global.cs, "cache streaming, likely to be accessed once": the line is the
// first to leave (PTX ISA, cache operators).
template <typename Value, typename Element>
static __device__ __forceinline__ void hip_nontemporal_store(Value value, Element *address) {
  __stcs(address, (Element)value);
}
#define __builtin_nontemporal_store(value, address) hip_nontemporal_store(value, address)
#define __builtin_nontemporal_load(address) __ldcs(address)

#define hipLaunchKernelGGL(kernel, blocks, threads, lds, stream, ...)                              \
  (kernel)<<<blocks, threads, lds, stream>>>(__VA_ARGS__)
#endif

#endif
