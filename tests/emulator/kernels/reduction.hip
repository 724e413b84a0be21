// Reductions: __shfl_down, LDS, atomics of every width, double by compare-and-swap; wave votes.
#include "check.h"

enum { BLOCK = 256 };

__device__ void add_by_swap(double *address, double value) {
  unsigned long long *bits = (unsigned long long *)address, old = *bits, seen;
  do {
    seen = old;
    old = atomicCAS(bits, seen, __double_as_longlong(value + __longlong_as_double(seen)));
  } while (seen != old);
}

__global__ void reduce(const int *in, int n, int *sum, unsigned *largest, int *smallest,
                       unsigned long long *wide, float *single, double *twice, double *swapped) {
  __shared__ int partial[BLOCK / 64];
  int i = blockIdx.x * blockDim.x + threadIdx.x, value = i < n ? in[i] : 0;
  int total = value;
  for (int offset = 32; offset; offset /= 2)
    total += __shfl_down(total, offset);
  if (threadIdx.x % 64 == 0)
    partial[threadIdx.x / 64] = total;
  __syncthreads();
  if (threadIdx.x == 0) {
    int block_total = 0;
    for (int w = 0; w < BLOCK / 64; w++)
      block_total += partial[w];
    atomicAdd(sum, block_total);
  }
  if (i >= n)
    return;
  atomicMax(largest, (unsigned)value);
  atomicMin(smallest, value);
  atomicAdd(wide, (unsigned long long)value * 1000003ull);
  atomicAdd(single, (float)(value & 15));
  atomicAdd(twice, value * 0.5);
  add_by_swap(swapped, value * 0.25);
}

__global__ void votes(const int *in, unsigned long long *out) {
  int value = in[threadIdx.x];
  unsigned long long odd = __ballot(value & 1);
  int lane = threadIdx.x & 63, any = __any(value == 3), all = __all(value >= 0);
  int from_left = __shfl_up(value, 3), turned = __shfl_xor(value, 21), first = __shfl(value, 5);
  int narrow = __shfl_down(value, 2, 16);
  out[threadIdx.x] = odd ^ ((unsigned long long)(any * 2 + all) << 50) ^
                     (from_left * 3 + turned * 5) ^ ((unsigned long long)(first + narrow) << 20) ^
                     (unsigned long long)lane << 40 ^ __popcll(odd & ((1ull << lane) - 1));
}

static unsigned long long expected_vote(const int *in, int thread) {
  int lane = thread & 63;
  const int *wave = in + thread - lane;
  unsigned long long odd = 0;
  int any = 0, all = 1;
  for (int i = 0; i < 64; i++) {
    odd |= (unsigned long long)(wave[i] & 1) << i;
    any |= wave[i] == 3;
    all &= wave[i] >= 0;
  }
  int from_left = wave[lane < 3 ? lane : lane - 3], turned = wave[lane ^ 21];
  int narrow = wave[lane % 16 + 2 < 16 ? lane + 2 : lane];
  return odd ^ ((unsigned long long)(any * 2 + all) << 50) ^ (from_left * 3 + turned * 5) ^
         ((unsigned long long)(wave[5] + narrow) << 20) ^ (unsigned long long)lane << 40 ^
         __builtin_popcountll(odd & ((1ull << lane) - 1));
}

int main(void) {
  enum { N = 5003 };
  static int in[N];
  struct {
    int sum;
    unsigned largest;
    int smallest;
    float single;
    unsigned long long wide;
    double twice, swapped;
  } got = {0, 0, 0x7fffffff, 0, 0, 0, 0}, want = got, *device;
  for (int i = 0; i < N; i++) {
    in[i] = random_bits() % 100000 + 7;
    want.sum += in[i];
    want.largest = (unsigned)in[i] > want.largest ? in[i] : want.largest;
    want.smallest = in[i] < want.smallest ? in[i] : want.smallest;
    want.wide += in[i] * 1000003ull;
    want.single += in[i] & 15;
    want.twice += in[i] * 0.5;
    want.swapped += in[i] * 0.25;
  }
  device = (decltype(device))to_device(&got, sizeof got);
  int *din = (int *)to_device(in, sizeof in);
  reduce<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(din, N, &device->sum, &device->largest,
                                             &device->smallest, &device->wide, &device->single,
                                             &device->twice, &device->swapped);
  to_host(&got, device, sizeof got);
  if (got.sum != want.sum || got.largest != want.largest || got.smallest != want.smallest)
    DIFFERS("sum %d, largest %u, smallest %d", got.sum, got.largest, got.smallest);
  if (got.wide != want.wide || got.single != want.single)
    DIFFERS("wide %llu (%llu), single %g (%g)", got.wide, want.wide, got.single, want.single);
  if (got.twice != want.twice || got.swapped != want.swapped) // exact: multiples of 1/4
    DIFFERS("twice %g (%g), swapped %g (%g)", got.twice, want.twice, got.swapped, want.swapped);

  static unsigned long long vote[192];
  unsigned long long *dvote = (unsigned long long *)to_device(NULL, sizeof vote);
  votes<<<1, 192>>>(din, dvote);
  to_host(vote, dvote, sizeof vote);
  for (int i = 0; i < 192; i++)
    if (vote[i] != expected_vote(in, i))
      DIFFERS("thread %d: %llx, not %llx", i, vote[i], expected_vote(in, i));
  HIP(hipFree(din));
  return verdict();
}
