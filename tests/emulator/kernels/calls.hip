// Called functions, spills, big local arrays with dynamic indexing, function pointers, launch
// bounds.
#include "check.h"

__device__ __noinline__ double polynomial(double x, int degree) {
  double sum = 0;
  for (int i = degree; i >= 0; i--)
    sum = sum * x + (i % 5 + 1);
  return sum;
}

__device__ __noinline__ int mix(int a, int b, double *scaled) {
  *scaled = polynomial(a * 0.001, b & 3); // a call in a call, and a pointer to the caller's stack
  return a * 31 + b;
}

__global__ void by_calls(int *out, double *real, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double scaled = -1;
  int value = 0;
  for (int k = 0; k < i % 4 + 1; k++) { // lanes call different numbers of times
    value = mix(value + i, k, &scaled);
    if (value & 1)
      value += (int)polynomial(k, 2);
  }
  if (i < n) {
    out[i] = value;
    real[i] = scaled;
  }
}

// An array that is indexed at run time lives in private memory.
__global__ void by_stack(int *out, int n) {
  int stack[100], i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 100; k++)
    stack[k] = i * k;
  for (int k = 0; k < 100; k++)
    stack[(k * 37 + i) % 100] += stack[k] + k;
  unsigned char bytes[16];
  for (int k = 0; k < 16; k++)
    bytes[(k * 5 + i) & 15] = (unsigned char)(k + i);
  int sum = 0;
  for (int k = 0; k < 100; k++)
    sum = sum * 3 + stack[k] + bytes[k & 15];
  if (i < n)
    out[i] = sum;
}

// So many live values that a bound of 1024 work-items forces spills.
__global__ void __launch_bounds__(1024) by_spills(double *out, const double *in, int rounds) {
  double value[160];
#pragma unroll
  for (int k = 0; k < 160; k++)
    value[k] = in[threadIdx.x + k];
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int k = 0; k < 160; k++)
      value[k] = value[(k + 77) % 160] - 0.5 * value[k];
  }
  double sum = 0;
#pragma unroll
  for (int k = 0; k < 160; k++)
    sum += value[k];
  out[threadIdx.x] = sum;
}

typedef int Operation(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int multiply(int a, int b) { return a * b; }
__device__ Operation *operations[2] = {add, multiply};
__global__ void by_pointer(int *out, int which) {
  out[threadIdx.x] = operations[which](threadIdx.x, 7);
}

static double host_polynomial(double x, int degree) {
  double sum = 0;
  for (int i = degree; i >= 0; i--)
    sum = sum * x + (i % 5 + 1);
  return sum;
}

static void check_calls(void) {
  enum { N = 700 };
  int out[N];
  double real[N];
  int *dout = (int *)to_device(NULL, sizeof out);
  double *dreal = (double *)to_device(NULL, sizeof real);
  by_calls<<<N / 64 + 1, 64>>>(dout, dreal, N);
  to_host(out, dout, sizeof out);
  to_host(real, dreal, sizeof real);
  for (int i = 0; i < N; i++) {
    unsigned value = 0;
    double scaled = -1;
    for (int k = 0; k < i % 4 + 1; k++) {
      int a = (int)(value + i);
      scaled = host_polynomial(a * 0.001, k & 3);
      value = (unsigned)a * 31 + k;
      if (value & 1)
        value += (int)host_polynomial(k, 2);
    }
    if (out[i] != (int)value || !(fabs(real[i] - scaled) <= 1e-12 * fabs(scaled)))
      DIFFERS("calls: thread %d: %d (%d), %g (%g)", i, out[i], (int)value, real[i], scaled);
  }
}

static void check_stack(void) {
  enum { N = 333 };
  int out[N], *dout = (int *)to_device(NULL, sizeof out);
  by_stack<<<3, 128>>>(dout, N);
  to_host(out, dout, sizeof out);
  for (int i = 0; i < N; i++) {
    int stack[100];
    unsigned sum = 0;
    unsigned char bytes[16];
    for (int k = 0; k < 100; k++)
      stack[k] = i * k;
    for (int k = 0; k < 100; k++)
      stack[(k * 37 + i) % 100] += stack[k] + k;
    for (int k = 0; k < 16; k++)
      bytes[(k * 5 + i) & 15] = (unsigned char)(k + i);
    for (int k = 0; k < 100; k++)
      sum = sum * 3 + stack[k] + bytes[k & 15];
    if (out[i] != (int)sum)
      DIFFERS("stack: thread %d: %d, not %d", i, out[i], (int)sum);
  }
}

static void check_spills(void) {
  enum { THREADS = 320, ROUNDS = 3 };
  double in[THREADS + 160], out[THREADS];
  for (int i = 0; i < THREADS + 160; i++)
    in[i] = (double)(random_bits() % 1024);
  double *din = (double *)to_device(in, sizeof in), *dout = (double *)to_device(NULL, sizeof out);
  by_spills<<<1, THREADS>>>(dout, din, ROUNDS);
  to_host(out, dout, sizeof out);
  HIP(hipFree(din));
  for (int i = 0; i < THREADS; i++) {
    double value[160], sum = 0;
    memcpy(value, in + i, sizeof value);
    for (int r = 0; r < ROUNDS; r++)
      for (int k = 0; k < 160; k++)
        value[k] = value[(k + 77) % 160] - 0.5 * value[k];
    for (int k = 0; k < 160; k++)
      sum += value[k];
    if (out[i] != sum) // exact: few bits
      DIFFERS("spills: thread %d: %.17g, not %.17g", i, out[i], sum);
  }
}

static void check_pointers(void) {
  int out[64];
  for (int which = 0; which < 2; which++) {
    int *dout = (int *)to_device(NULL, sizeof out);
    by_pointer<<<1, 64>>>(dout, which);
    to_host(out, dout, sizeof out);
    for (int i = 0; i < 64; i++)
      if (out[i] != (which ? i * 7 : i + 7))
        DIFFERS("pointer %d: thread %d: %d", which, i, out[i]);
  }
}

int main(void) {
  check_calls();
  check_stack();
  check_spills();
  check_pointers();
  return verdict();
}
