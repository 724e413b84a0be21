// Bits of two numbers put together while some lanes are off: v_bfi_b32 with a constant whose result goes where one of
// its operands was.
#include "check.h"

enum { THREADS = 64, ROUNDS = 100 };

static __host__ __device__ unsigned next(unsigned y) { return y * 1664525u + 1013904223u; }

__global__ void merge(unsigned *result, int rounds) {
  unsigned a = threadIdx.x * 0x9e3779b9u, b = ~a, y = a ^ 0x5a5a5a5a;
  if (threadIdx.x % 3 != 1)
    for (int i = 0; i < rounds; i++) {
      y = next(y);
      asm volatile("v_bfi_b32 %0, 15, %1, %0" : "+v"(a) : "v"(y));
      asm volatile("v_bfi_b32 %0, -16, %0, %1" : "+v"(b) : "v"(y));
    }
  result[threadIdx.x] = a;
  result[THREADS + threadIdx.x] = b;
}

int main(void) {
  static unsigned result[2 * THREADS];
  unsigned *d_result = (unsigned *)to_device(NULL, sizeof result);
  merge<<<1, THREADS>>>(d_result, ROUNDS);
  to_host(result, d_result, sizeof result);
  for (unsigned i = 0; i < THREADS; i++) {
    unsigned a = i * 0x9e3779b9u, b = ~a, y = a ^ 0x5a5a5a5a;
    for (int j = 0; i % 3 != 1 && j < ROUNDS; j++) {
      y = next(y);
      a = (y & 15u) | (a & ~15u);
      b = (y & 15u) | (b & ~15u);
    }
    if (result[i] != a || result[THREADS + i] != b)
      DIFFERS("thread %u: %08x %08x, not %08x %08x", i, result[i], result[THREADS + i], a, b);
  }
  return verdict();
}
