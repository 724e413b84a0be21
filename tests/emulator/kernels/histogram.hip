// Histogram with LDS atomics, block by block, then global atomics; every LDS atomic operation.
#include "check.h"

enum { BINS = 97 };

__global__ void histogram(const unsigned char *data, int n, unsigned *bins) {
  __shared__ unsigned local[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i] % BINS], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    if (local[b])
      atomicAdd(&bins[b], local[b]);
}

// Order does not matter to these; the last one counts by compare-and-swap on double.
__global__ void all_operations(const int *in, unsigned long long *out) {
  __shared__ int low, high, bits, ones, turned;
  __shared__ unsigned wrapped;
  __shared__ unsigned long long wide;
  __shared__ float single;
  __shared__ double twice;
  int value = in[threadIdx.x];
  if (threadIdx.x == 0)
    low = 0x7fffffff, high = -0x7fffffff, bits = 0, ones = -1, turned = 0, wrapped = 0, wide = 0,
    single = 0, twice = 0;
  __syncthreads();
  atomicMin(&low, value);
  atomicMax(&high, value);
  atomicOr(&bits, value);
  atomicAnd(&ones, value);
  atomicXor(&turned, value);
  atomicInc(&wrapped, 36u);
  atomicAdd(&wide, (unsigned long long)value << 20);
  atomicAdd(&single, (float)(value & 7));
  atomicAdd(&twice, (value & 63) * 0.125);
  __syncthreads();
  if (threadIdx.x == 0) {
    out[0] = (unsigned)low, out[1] = (unsigned)high, out[2] = (unsigned)bits;
    out[3] = (unsigned)ones, out[4] = (unsigned)turned, out[5] = wrapped, out[6] = wide;
    out[7] = (unsigned)single, out[8] = (unsigned long long)(twice * 8);
  }
}

static void check_operations(void) {
  enum { THREADS = 200, RESULTS = 9 };
  static int in[THREADS];
  unsigned long long want[RESULTS] = {0x7fffffff, 0, 0, 0xffffffff}, got[RESULTS];
  int low = 0x7fffffff, high = -0x7fffffff;
  for (int i = 0; i < THREADS; i++) {
    int value = in[i] = (int)(random_bits() % 1000000) + 1;
    low = value < low ? value : low;
    high = value > high ? value : high;
    want[2] |= value;
    want[3] &= value;
    want[4] ^= value;
    want[6] += (unsigned long long)value << 20;
    want[7] += value & 7;
    want[8] += value & 63;
  }
  want[0] = low, want[1] = high, want[5] = THREADS % 37;
  int *din = (int *)to_device(in, sizeof in);
  unsigned long long *dout = (unsigned long long *)to_device(NULL, sizeof got);
  all_operations<<<1, THREADS>>>(din, dout);
  to_host(got, dout, sizeof got);
  HIP(hipFree(din));
  for (int i = 0; i < RESULTS; i++)
    if (got[i] != want[i])
      DIFFERS("operation %d: %llx, not %llx", i, got[i], want[i]);
}

int main(void) {
  enum { N = 40001 };
  static unsigned char data[N];
  unsigned want[BINS] = {0}, got[BINS];
  for (int i = 0; i < N; i++) {
    data[i] = random_bits() % 3 ? random_bits() & 255 : 42;
    want[data[i] % BINS]++;
  }
  unsigned char *ddata = (unsigned char *)to_device(data, sizeof data);
  unsigned *dbins = (unsigned *)to_device(NULL, sizeof got);
  histogram<<<70, 160>>>(ddata, N, dbins);
  to_host(got, dbins, sizeof got);
  HIP(hipFree(ddata));
  for (int b = 0; b < BINS; b++)
    if (got[b] != want[b])
      DIFFERS("bin %d has %u, not %u", b, got[b], want[b]);
  check_operations();
  return verdict();
}
