// Plays scripts of accesses to LDS and memory, with and without races in them: see played.h.
//
// In: `count` steps for each block. Out: what they store in `to`, and in `own` a dword for each thread.
#include <hip/hip_runtime.h>

#include "played.h"

typedef int Two __attribute__((ext_vector_type(2)));
typedef int Four __attribute__((ext_vector_type(4)));
struct Three {
  int x, y, z;
};

template <typename T> __device__ T all(int value);
template <> __device__ int all(int value) { return value; }
template <> __device__ Two all(int value) { return (Two)value; }
template <> __device__ Three all(int value) { return {value, value, value}; }
template <> __device__ Four all(int value) { return (Four)value; }

template <typename T> __device__ void touch(int kind, T *lds, T *memory, int value) {
  T read;
  switch (kind) {
  case STEP_READ:
    read = *lds;
    asm volatile("s_waitcnt lgkmcnt(0)" : : "v"(read));
    break;
  case STEP_WRITE:
    *lds = all<T>(value);
    break;
  case STEP_STORE:
    *memory = all<T>(value);
  }
}

extern "C" __global__ void __launch_bounds__(PLAYED_BLOCK)
    plays(const Step *__restrict__ steps, int count, int *__restrict__ to, int *__restrict__ own) {
  extern __shared__ __attribute__((aligned(16))) int lds[];
  const int thread = (int)threadIdx.x, lane = thread % PLAYED_WAVE;
  for (int i = 0; i < count; i++) {
    const Step step = steps[(int)blockIdx.x * count + i];
    const int at = step.base + lane % PLAYED_ROW * step.step + lane / PLAYED_ROW * step.row;
    const int value = step.value + lane * step.by_lane;
    if (step.kind == STEP_BARRIER)
      __syncthreads();
    else if (thread / PLAYED_WAVE == step.wave && lane >= step.first && lane <= step.last) {
      if (step.kind == STEP_ADD)
        atomicAdd(&lds[at], value);
      else if (step.kind == STEP_USE)
        own[(int)blockIdx.x * PLAYED_BLOCK + thread] = lds[at] + 1;
      else if (step.dwords == 1)
        touch(step.kind, lds + at, to + at, value);
      else if (step.dwords == 2)
        touch(step.kind, (Two *)(lds + at), (Two *)(to + at), value);
      else if (step.dwords == 3)
        *(Three *)(to + at) = all<Three>(value);
      else
        touch(step.kind, (Four *)(lds + at), (Four *)(to + at), value);
    }
  }
}
