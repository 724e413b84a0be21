// What record hears from an object that nvcc compiled: the calls that nvcc adds, as CUDA's
// crt/host_runtime.h declares them. See record.h.
#include "record.h"

#include <stddef.h>

void **__cudaRegisterFatBinary(void *code);
void **__cudaRegisterFatBinary(void *code) {
  static void *handle; // of the one code object that there is
  handle = code;
  return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle) {
  (void)handle;
  return 1;
}

// Called before main.
void __cudaRegisterFunction(void **handle, const char *host, char *device_function,
                            const char *name, int limit, void *thread, void *block, dim3 *block_dim,
                            dim3 *grid_dim, int *warp);
void __cudaRegisterFunction(void **handle, const char *host, char *device_function,
                            const char *name, int limit, void *thread, void *block, dim3 *block_dim,
                            dim3 *grid_dim, int *warp) {
  (void)handle, (void)device_function, (void)limit, (void)thread, (void)block;
  (void)block_dim, (void)grid_dim, (void)warp;
  record_remember(host, name);
}

void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external,
                       size_t size, int constant, int global);
void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external,
                       size_t size, int constant, int global) {
  (void)handle, (void)address, (void)external, (void)size, (void)constant, (void)global;
  record_remember(host, name);
}

// A launch: what stands between <<< and >>> is pushed here, and popped by what then launches.
static struct {
  dim3 grid, block;
  size_t lds;
  cudaStream_t stream;
} pushed;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t lds, cudaStream_t stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t lds, cudaStream_t stream) {
  pushed.grid = grid;
  pushed.block = block;
  pushed.lds = lds;
  pushed.stream = stream;
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *lds, cudaStream_t *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *lds, cudaStream_t *stream) {
  *grid = pushed.grid;
  *block = pushed.block;
  *lds = pushed.lds;
  *stream = pushed.stream;
  return cudaSuccess;
}

// From CUDA 13 on what launches is not cudaLaunchKernel, which record.c has, but these two.
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  *kernel = (cudaKernel_t)host;
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t lds, cudaStream_t stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t lds, cudaStream_t stream) {
  return cudaLaunchKernel((const void *)kernel, grid, block, arguments, lds, stream);
}

// No device is asked here, so a block that is too large for a kernel is found when it is launched.
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
  (void)function;
  *attributes = (struct cudaFuncAttributes){.maxThreadsPerBlock = 1024};
  return cudaSuccess;
}

// Calls that would do what the list has no line for. A learner knows them by HIP's names.
RECORD_REFUSED(cudaMalloc, "hipMalloc")
RECORD_REFUSED(cudaMallocManaged, "hipMallocManaged")
RECORD_REFUSED(cudaMallocAsync, "hipMallocAsync")
RECORD_REFUSED(cudaMallocHost, "hipHostMalloc")
RECORD_REFUSED(cudaHostAlloc, "hipHostMalloc")
RECORD_REFUSED(cudaHostRegister, "hipHostRegister")
RECORD_REFUSED(cudaMemset, "hipMemset")
RECORD_REFUSED(cudaMemsetAsync, "hipMemsetAsync")
RECORD_REFUSED(cudaMemset2D, "hipMemset2D")
RECORD_REFUSED(cudaMemset3D, "hipMemset3D")
RECORD_REFUSED(cudaMemcpy, "hipMemcpy")
RECORD_REFUSED(cudaMemcpyAsync, "hipMemcpyAsync")
RECORD_REFUSED(cudaMemcpy2D, "hipMemcpy2D")
RECORD_REFUSED(cudaMemcpy3D, "hipMemcpy3D")
RECORD_REFUSED(cudaMemcpyFromSymbol, "hipMemcpyFromSymbol")
RECORD_REFUSED(cudaGetSymbolAddress, "hipGetSymbolAddress")
RECORD_REFUSED(cudaLaunchCooperativeKernel, "hipLaunchCooperativeKernel")
RECORD_REFUSED(cudaLaunchKernelExC, "hipLaunchKernelExC")
RECORD_REFUSED(cudaStreamBeginCapture, "hipStreamBeginCapture")
RECORD_REFUSED(cudaGraphLaunch, "hipGraphLaunch")
RECORD_REFUSED(cuMemAlloc_v2, "cuMemAlloc_v2")
RECORD_REFUSED(cuModuleLoad, "cuModuleLoad")
RECORD_REFUSED(cuModuleLoadData, "cuModuleLoadData")
RECORD_REFUSED(cuLaunchKernel, "cuLaunchKernel")
RECORD_REFUSED(cuLaunchKernelEx, "cuLaunchKernelEx")
