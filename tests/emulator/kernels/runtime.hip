// Kernels for the tests of the HIP runtime: argument layouts, launch bounds, LDS, device variables.
//
// In: nothing. Out: compiled to a code object (hipcc --genco) that tests/emulator/test_runtime_*.c
// load.
#include <hip/hip_runtime.h>

extern "C" {

__device__ int counter = 7;
__constant__ double factors[4] = {1, 2, 3, 4};

__device__ int *managed; // as hipcc lowers a __managed__ int

__global__ void count_managed() { *managed += 1; }

// Arguments of every size and alignment.
__global__ void pack(unsigned long long *out, char c, short s, int i, double d, float f) {
  out[0] = c;
  out[1] = s;
  out[2] = i;
  out[3] = (unsigned long long)d;
  out[4] = (unsigned long long)f;
  out[5] = gridDim.x * 10000 + gridDim.y * 100 + gridDim.z;
  out[6] = blockDim.x * 10000 + blockDim.y * 100 + blockDim.z;
}

__global__ void add_one(int *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    values[i] += 1;
}

// A grid of 100 x 6 x 3 work-items in blocks of 64 x 4 x 1.
__global__ void count_items(int *counts) {
  atomicAdd(counts + ((blockIdx.z + threadIdx.z) * 6 + blockIdx.y * 4 + threadIdx.y) * 100 +
                blockIdx.x * 64 + threadIdx.x,
            1);
}

__global__ void times_two(int *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    values[i] *= 2;
}

__global__ void __launch_bounds__(128) bounded(int *values) { values[threadIdx.x] = 1; }

__global__ void __launch_bounds__(100) bounded_oddly(int *values) { values[threadIdx.x] = 1; }

__global__ void static_lds(int *values) {
  __shared__ int tile[8192]; // 32 KiB
  tile[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void stray(int *values) { values[threadIdx.x] = 1; }

__global__ void endless(volatile int *values) {
  while (values[0] == 0)
    ;
}

__global__ void draws(unsigned *values, int n) {
  unsigned drawn = threadIdx.x;
  for (int i = 0; i < n; i++)
    drawn = drawn * 1664525u + 1013904223u;
  values[threadIdx.x] = drawn;
}

__global__ void fill_mailed(int *volatile *mailbox) {
  while (!*mailbox)
    ;
  **mailbox = 5;
}

// Functions that kernels of other modules call.
__device__ __noinline__ int triple(const int *from) { return 3 * *from; }
__device__ __noinline__ int go_far(const int *from) {
  asm volatile(".rept 2100\n s_nop 0\n .endr");
  return *from;
}
__device__ int (*pointer_to_triple)(const int *) = triple;
__device__ int (*pointer_to_go_far)(const int *) = go_far;

__global__ void apply(int (*function)(const int *), const int *from, int *to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = function(from + i);
}

__global__ void trap() { __builtin_trap(); }
__global__ void idle() {}

__global__ void scale(double *values) { values[threadIdx.x] *= factors[1] * counter; }
}

texture<float, 2, hipReadModeElementType> picture, another_picture;
extern "C" __global__ void look_at_picture(float *out) {
  out[threadIdx.x] = tex2D(picture, (float)threadIdx.x - 1, 0);
}

__managed__ int common_count = 10;
__managed__ long common_zeros[3];
extern "C" __global__ void count_common() { common_zeros[2] = common_count++; }

// A number with a point in LLVM's text of the instruction.
extern "C" __global__ void halve(float *values) { values[threadIdx.x] *= 0.5f; }
extern "C" __global__ void print_a_half() { printf("%.1f\n", 0.5); }
extern "C" __global__ void wait_for(volatile int *flag) {
  while (!*flag)
    ;
}
