// Private arrays that lie in scratch memory and are indexed from their end: the compiler puts a
// negative number into the register and the array's end into the instruction's offset, so the sum
// is that of 32 bits.
#include "check.h"

enum { SIZE = 40, BLOCK = 128 };

__global__ void backwards(int *out, int n) {
  int array[SIZE];
  for (int i = 0; i < SIZE; i++)
    array[i] = i * n;
  int sum = 0;
  for (int i = 0; i < n; i++) {
    int place = (int)threadIdx.x % 17 - i;
    array[17 - place] += 1;
    sum += array[17 - place] * (i + 1);
  }
  out[threadIdx.x] = sum;
}

__device__ __attribute__((noinline)) void add_one(int *end, int from_end) { end[-from_end] += 1; }

__global__ void through_a_pointer(int *out, int n) {
  int array[SIZE];
  for (int i = 0; i < SIZE; i++)
    array[i] = i * n;
  add_one(array + SIZE, (int)threadIdx.x % SIZE + 1);
  out[threadIdx.x] = array[(SIZE - 1) - (int)threadIdx.x % SIZE];
}

// Bytes and halves of one place, which lie a dword apart from lane to lane; some for some lanes only, some from
// places of their own.
enum { PARTS = 300 };

__host__ __device__ int sum_of_parts(int x, int n) {
  unsigned char bytes[PARTS];
  short halves[PARTS];
  for (int i = 0; i < PARTS; i++) {
    bytes[i] = (unsigned char)(i * n + x);
    halves[i] = (short)(i * n - 3 * x);
  }
  for (int i = n; i < PARTS; i++)
    if ((x ^ i) & 1) {
      bytes[i] = (unsigned char)(bytes[i - n] + bytes[(i * x) % PARTS]);
      halves[i] = (short)(halves[i - n] - halves[(i + x) % PARTS]);
    }
  int sum = 0;
  for (int i = 0; i < PARTS; i++)
    sum += (i + 1) * bytes[i] - 2 * i * halves[i];
  return sum;
}

__global__ void parts(int *out, int n) { out[threadIdx.x] = sum_of_parts((int)threadIdx.x, n); }

// What an earlier block left in the same scratch memory does not show, so all runs are alike.
__global__ void left_behind(int *out, int n) {
  volatile int array[SIZE];
  out[blockIdx.x * BLOCK + threadIdx.x] = array[(threadIdx.x + n) % SIZE];
  for (int i = 0; i < SIZE; i++)
    array[(i + n) % SIZE] = n;
}

int main(void) {
  int got[BLOCK], n = 9;
  int *out = (int *)to_device(NULL, sizeof got);
  backwards<<<1, BLOCK>>>(out, n);
  to_host(got, out, sizeof got);
  for (int x = 0; x < BLOCK; x++) {
    int sum = 0;
    for (int i = 0; i < n; i++)
      sum += ((17 - x % 17 + i) * n + 1) * (i + 1);
    if (got[x] != sum)
      DIFFERS("backwards: thread %d has %d, not %d", x, got[x], sum);
  }
  out = (int *)to_device(NULL, sizeof got);
  through_a_pointer<<<1, BLOCK>>>(out, n);
  to_host(got, out, sizeof got);
  for (int x = 0; x < BLOCK; x++)
    if (got[x] != (SIZE - 1 - x % SIZE) * n + 1)
      DIFFERS("through a pointer: thread %d has %d", x, got[x]);
  out = (int *)to_device(NULL, sizeof got);
  parts<<<1, BLOCK>>>(out, n);
  to_host(got, out, sizeof got);
  for (int x = 0; x < BLOCK; x++)
    if (got[x] != sum_of_parts(x, n))
      DIFFERS("parts: thread %d has %d, not %d", x, got[x], sum_of_parts(x, n));
  enum { BLOCKS = 64 };
  static int left[BLOCKS * BLOCK];
  out = (int *)to_device(NULL, sizeof left);
  left_behind<<<BLOCKS, BLOCK>>>(out, n);
  to_host(left, out, sizeof left);
  for (int x = 0; x < BLOCKS * BLOCK; x++)
    if (left[x])
      DIFFERS("left behind: thread %d of block %d has %d", x % BLOCK, x / BLOCK, left[x]);
  return verdict();
}
