// Lab 00, solved: six kernels, and what each of them asks of the caches.
//
// In:  in, floats that only this kernel reads; the first one begins a line of 128 B.
// Out: out. What is in it does not matter: the lab is about what is read.
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>

// PREDICTION, as one may write it before the first check.
// requests: 64 B lines that L1 asks L2 for; bytes: what L2 fetches from HBM. Both of "in" alone.
//   backwards, requests: 4
//   backwards, bytes: 256
//   shifted, requests: 5
//   shifted, bytes: 320
//   every_fourth, requests: 16
//   every_fourth, bytes: 1024
//   a_row_each, requests: 64
//   a_row_each, bytes: 4096
//   pairs, requests: 5
//   pairs, bytes: 320
//   two_blocks, requests: 10
//   two_blocks, bytes: 576

// The wavefront reads 64 neighbours, the last one first.
__global__ void backwards(float *out, const float *in) {
  const int i = threadIdx.x;
  out[i] = in[63 - i];
}

// It reads 64 neighbours, and does not begin where a line begins.
__global__ void shifted(float *out, const float *in) {
  const int i = threadIdx.x;
  out[i] = in[i + 4];
}

// It uses one float of four.
__global__ void every_fourth(float *out, const float *in) {
  const int i = threadIdx.x;
  out[i] = in[4 * i];
}

// Each lane reads the first float of its own row; a row has 1000 floats.
__global__ void a_row_each(float *out, const float *in) {
  const int i = threadIdx.x;
  out[i] = in[1000 * i];
}

// Each lane reads two floats, and 63 of the 64 second ones are first ones of another lane.
__global__ void pairs(float *out, const float *in) {
  const int i = threadIdx.x;
  out[i] = in[i] + in[i + 1];
}

// As shifted, but by two wavefronts. Each is a block of its own, on a compute unit of its own.
__global__ void two_blocks(float *out, const float *in) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  out[i] = in[i + 4];
}

typedef struct {
  void (*kernel)(float *out, const float *in);
  int blocks; // of 64 threads
} Pattern;

static const Pattern patterns[] = {{backwards, 1},  {shifted, 1}, {every_fourth, 1},
                                   {a_row_each, 1}, {pairs, 1},   {two_blocks, 2}};
#define PATTERNS (sizeof patterns / sizeof *patterns)
#define FLOATS 65536 // for each kernel, so that none finds in a cache what another one read

// Ends the program with a sentence if a call of HIP failed.
static void must(hipError_t status) {
  if (status == hipSuccess)
    return;
  fprintf(stderr, "the device failed: %s\n", hipGetErrorString(status));
  exit(3);
}

int main(void) {
  float *in, *out;
  must(hipMalloc((void **)&in, PATTERNS * FLOATS * sizeof *in));
  must(hipMalloc((void **)&out, PATTERNS * FLOATS * sizeof *out));
  for (size_t n = 0; n < PATTERNS; n++)
    patterns[n].kernel<<<patterns[n].blocks, 64>>>(out + n * FLOATS, in + n * FLOATS);
  must(hipDeviceSynchronize());
  must(hipFree(in));
  must(hipFree(out));
  printf("%d kernels have run; make check LAB=00 counts what they did\n", (int)PATTERNS);
  return 0;
}
