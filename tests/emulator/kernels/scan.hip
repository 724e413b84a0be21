// Inclusive prefix sum of an odd number of elements: waves, blocks, then the sums of blocks.
#include "check.h"

enum { BLOCK = 192 };

__device__ long long scan_wave(long long value) {
  for (int offset = 1; offset < 64; offset *= 2) {
    long long left = __shfl_up(value, offset);
    if ((int)(threadIdx.x & 63) >= offset)
      value += left;
  }
  return value;
}

__global__ void scan_blocks(const int *in, long long *out, long long *sums, int n) {
  __shared__ long long wave_sum[BLOCK / 64];
  int i = blockIdx.x * BLOCK + threadIdx.x, wave = threadIdx.x / 64;
  long long value = scan_wave(i < n ? in[i] : 0);
  if (threadIdx.x % 64 == 63)
    wave_sum[wave] = value;
  __syncthreads();
  for (int w = 0; w < wave; w++)
    value += wave_sum[w];
  if (i < n)
    out[i] = value;
  if (threadIdx.x == BLOCK - 1)
    sums[blockIdx.x] = value;
}

__global__ void add_sums(long long *out, const long long *sums, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  long long before = 0;
  for (unsigned b = 0; b < blockIdx.x; b++)
    before += sums[b];
  if (i < n)
    out[i] += before;
}

int main(void) {
  enum { N = 7777, BLOCKS = (N + BLOCK - 1) / BLOCK };
  static int in[N];
  static long long out[N];
  for (int i = 0; i < N; i++)
    in[i] = (int)(random_bits() & 0xffffffff);
  int *din = (int *)to_device(in, sizeof in);
  long long *dout = (long long *)to_device(NULL, sizeof out);
  long long *dsums = (long long *)to_device(NULL, BLOCKS * sizeof *dsums);
  scan_blocks<<<BLOCKS, BLOCK>>>(din, dout, dsums, N);
  add_sums<<<BLOCKS, BLOCK>>>(dout, dsums, N);
  to_host(out, dout, sizeof out);
  HIP(hipFree(din));
  HIP(hipFree(dsums));
  long long sum = 0;
  for (int i = 0; i < N; i++) {
    sum += in[i];
    if (out[i] != sum)
      DIFFERS("element %d is %lld, not %lld", i, out[i], sum);
  }
  return verdict();
}
