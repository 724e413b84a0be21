// Says of each kernel of a code object for NVIDIA GPUs what a grade needs to know. The facts are what
// the driver finds in the code, so no message of the compiler can change them.
//
// In:  kernel-facts FILE   (a fat binary or a cubin)
// Out: facts.h has the lines that it prints. CUDA tells where arguments lie and not which of them
//      are pointers. Status 0; 1, with a sentence, for a file that is none.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A scheduler's registers and how they are given out, as in tools/nvcc.sh.
enum { SCHEDULERS = 4, LANES = 32, GRANULE = 8 };

static void must(CUresult result, const char *doing) {
  const char *why = "unknown error";
  if (result == CUDA_SUCCESS)
    return;
  cuGetErrorString(result, &why);
  fprintf(stderr, "the driver failed while %s: %s\n", doing, why);
  exit(1);
}

static int attribute(CUfunction kernel, CUfunction_attribute which) {
  int value;
  must(cuFuncGetAttribute(&value, which, kernel), "describing a kernel");
  return value;
}

static int of_device(enum cudaDeviceAttr which) {
  int value;
  must((CUresult)cudaDeviceGetAttribute(&value, which, 0), "describing the device");
  return value;
}

static int warps_per_scheduler(int registers) {
  const int most = of_device(cudaDevAttrMaxThreadsPerMultiProcessor) / LANES / SCHEDULERS;
  const int granted = (registers + GRANULE - 1) / GRANULE * GRANULE;
  const int all = of_device(cudaDevAttrMaxRegistersPerMultiprocessor) / SCHEDULERS;
  const int warps = granted ? all / (LANES * granted) : most;
  return warps < most ? warps : most;
}

// Of "_Z9laplacianPdPKd..." the name as the source has it: Itanium mangling puts its length first.
static void print_names(const char *symbol) {
  const char *name = symbol;
  int length = (int)strlen(symbol), used = 0;
  if (sscanf(symbol, "_Z%d%n", &length, &used) == 1)
    name += used;
  printf("%s %.*s\n", symbol, length, name);
}

static void print_kernel(CUfunction kernel) {
  const char *name;
  size_t offset = 0, size = 0, bytes = 0, count = 0;
  must(cuFuncLoad(kernel), "loading a kernel"); // the driver waits with that until it must
  must(cuFuncGetName(&name, kernel), "naming a kernel");
  for (; cuFuncGetParamInfo(kernel, count, &offset, &size) == CUDA_SUCCESS; count++)
    bytes = offset + size;
  const int registers = attribute(kernel, CU_FUNC_ATTRIBUTE_NUM_REGS);
  printf("kernel 0 %d 0 %d %d %d %d %zu ", registers,
         attribute(kernel, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
         attribute(kernel, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), warps_per_scheduler(registers),
         attribute(kernel, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), bytes);
  print_names(name);
  for (size_t n = 0; n < count; n++) {
    must(cuFuncGetParamInfo(kernel, n, &offset, &size), "describing an argument");
    printf("argument %zu %zu 0\n", offset, size);
  }
}

int main(int argc, char **argv) {
  CUmodule module;
  unsigned count = 0;
  if (argc != 2) {
    fprintf(stderr, "usage: kernel-facts FILE\n");
    return 1;
  }
  must((CUresult)cudaFree(NULL), "looking for a GPU");
  must(cuModuleLoad(&module, argv[1]), "loading the kernels");
  must(cuModuleGetFunctionCount(&count, module), "counting the kernels");
  CUfunction *kernels = calloc(count + 1, sizeof *kernels);
  if (!kernels)
    return 1;
  must(cuModuleEnumerateFunctions(kernels, count, module), "listing the kernels");
  for (unsigned n = 0; n < count; n++)
    print_kernel(kernels[n]);
  free(kernels);
  return 0;
}
