// EMULATOR_GLOBAL_BYTES_LOADED and _STORED: what lanes move to and from global memory, counted by
// hand. 100 of 128 threads work, so one of the two wavefronts has idle lanes.
#include "check.h"
#include "emulator.h"

#include <dlfcn.h>

enum { THREADS = 128, WORKING = 100, VALUES = 1024 };

__global__ void narrow(const short *from, int *to) {
  if (threadIdx.x < WORKING)
    to[threadIdx.x] = from[threadIdx.x]; // 2 B, 4 B
}

__global__ void wide(const double4 *from, double *to) {
  if (threadIdx.x < WORKING)
    to[threadIdx.x] = from[threadIdx.x].x + from[threadIdx.x].y + from[threadIdx.x].z +
                      from[threadIdx.x].w; // 32 B in wide loads, 8 B
}

// All lanes load the same 4 B: each of them counts.
__global__ void shared_by_all(volatile int *from, int *to) {
  if (threadIdx.x < WORKING)
    to[threadIdx.x] = from[threadIdx.x / THREADS];
}

// The array's index is not known to the compiler and the array is too large for LDS, so it lives in
// scratch, reached by buffer instructions, or by flat ones if it is volatile: only the 4 B loaded
// and the 4 B stored are global.
__global__ void scratch(const int *from, int *to) {
  int local[VALUES];
  if (threadIdx.x >= WORKING)
    return;
  const int begin = from[threadIdx.x];
  for (int i = 0; i < VALUES; i++)
    local[(begin + i) % VALUES] = i;
  to[threadIdx.x] = local[begin * 3 % VALUES];
}
__global__ void flat_scratch(const int *from, int *to) {
  volatile int local[VALUES];
  if (threadIdx.x >= WORKING)
    return;
  for (int i = 0; i < VALUES; i++)
    local[i] = i;
  to[threadIdx.x] = local[from[threadIdx.x] % VALUES];
}

__global__ void atomics(int *to) {
  if (threadIdx.x < WORKING)
    atomicAdd(&to[threadIdx.x % 7], 1);
}
__global__ void returning_atomics(int *from, int *to) {
  if (threadIdx.x < WORKING)
    to[threadIdx.x] = atomicExch(&from[threadIdx.x], 1);
}

// A generic pointer: the same instruction loads 4 B from LDS or from global memory.
__device__ __attribute__((noinline)) int through(const int *pointer) {
  return *(const volatile int *)pointer;
}
__global__ void generic(const int *from, int *to) {
  __shared__ int tile[THREADS];
  if (threadIdx.x >= WORKING)
    return;
  tile[threadIdx.x] = 1;
  to[threadIdx.x] = through(threadIdx.x % 2 ? &tile[threadIdx.x] : &from[threadIdx.x]);
}

static double counter(const char *name) {
  size_t (*counters)(const EmulatorCounter **) =
      (size_t(*)(const EmulatorCounter **))dlsym(RTLD_DEFAULT, "emulator_counters");
  const EmulatorCounter *counter;
  const size_t count = counters ? counters(&counter) : 0;
  for (size_t i = 0; i < count; i++)
    if (strcmp(counter[i].name, name) == 0)
      return counter[i].value;
  return -1;
}

// Of the launch before.
static void expect(const char *kernel, double loaded, double stored) {
  HIP(hipGetLastError());
  const double l = counter("EMULATOR_GLOBAL_BYTES_LOADED"),
               s = counter("EMULATOR_GLOBAL_BYTES_STORED");
  if (l != loaded || s != stored)
    DIFFERS("%s: %.0f bytes loaded, %.0f stored; by hand %.0f and %.0f", kernel, l, s, loaded,
            stored);
}

int main(void) {
  void *from = to_device(NULL, THREADS * sizeof(double4)), *to = to_device(NULL, THREADS * 8);
  // Without the model they are counted from the first question on.
  counter("EMULATOR_GLOBAL_BYTES_LOADED");
  narrow<<<1, THREADS>>>((const short *)from, (int *)to);
  expect("narrow", WORKING * 2, WORKING * 4);
  wide<<<1, THREADS>>>((const double4 *)from, (double *)to);
  expect("wide", WORKING * 32, WORKING * 8);
  shared_by_all<<<1, THREADS>>>((volatile int *)from, (int *)to);
  expect("shared_by_all", WORKING * 4, WORKING * 4);
  scratch<<<1, THREADS>>>((const int *)from, (int *)to);
  expect("scratch", WORKING * 4, WORKING * 4);
  if (!(counter("TA_BUFFER_WRITE_WAVEFRONTS_sum") > 0))
    DIFFERS("the kernel scratch has not used any");
  flat_scratch<<<1, THREADS>>>((const int *)from, (int *)to);
  expect("flat_scratch", WORKING * 4, WORKING * 4);
  if (!(counter("SQ_INSTS_FLAT") > 2 * VALUES))
    DIFFERS("the kernel flat_scratch has not reached it by flat instructions");
  atomics<<<1, THREADS>>>((int *)to);
  expect("atomics", 0, WORKING * 4);
  returning_atomics<<<1, THREADS>>>((int *)from, (int *)to);
  expect("returning_atomics", WORKING * 4, WORKING * 8);
  generic<<<1, THREADS>>>((const int *)from, (int *)to);
  expect("generic", WORKING / 2 * 4, WORKING * 4);
  return verdict();
}
