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

// Members that lie across the end of a dword: the next one of the lane does not lie behind it. By offsets and, in a function that
// is not to know where they are, by generic addresses.
struct __attribute__((packed)) Packed {
  char letter;
  double number;
  short small;
  unsigned long long large;
  float fraction;
};
enum { MEMBERS = 3 };

__host__ __device__ void fill(Packed *to, int x) {
  for (int i = 0; i < MEMBERS; i++)
    to[i] = {(char)(x + i), x * 0.5 + i, (short)-x, x * 12345678912ull + (unsigned)i, x + 0.25f};
}

__host__ __device__ int sum_of(const Packed *p) {
  return p->letter + (int)(p->number * 2) + p->small + (int)(p->large >> 20) +
         (int)(p->fraction * 4);
}

__global__ void packed(int *out, int n) {
  Packed members[MEMBERS];
  const int x = (int)threadIdx.x;
  fill(members, x + n);
  out[x] = sum_of(&members[x % MEMBERS]);
}

__device__ __attribute__((noinline)) void move_ten_bytes(unsigned char *to,
                                                         const unsigned char *from) {
  unsigned long long pair;
  unsigned half;
  asm volatile("flat_load_dwordx2 %0, %2\n"
               "flat_load_ushort %1, %2 offset:8\n"
               "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
               "flat_store_dwordx2 %3, %0\n"
               "flat_store_short %3, %1 offset:8\n"
               "s_waitcnt vmcnt(0) lgkmcnt(0)"
               : "=&v"(pair), "=&v"(half)
               : "v"(from), "v"(to)
               : "memory");
}

__global__ void moved_by_generic_addresses(unsigned long long *out, int n) {
  unsigned char bytes[SIZE];
  for (int i = 0; i < SIZE; i++)
    bytes[i] = (unsigned char)(threadIdx.x + i * n);
  move_ten_bytes(bytes + 20 + threadIdx.x % 7, bytes + threadIdx.x % 8);
  unsigned long long sum = 0;
  for (int i = 0; i < SIZE; i++)
    sum = sum * 31 + bytes[i];
  out[threadIdx.x] = sum;
}

unsigned long long moved_on_the_host(int x, int n) {
  unsigned char bytes[SIZE];
  for (int i = 0; i < SIZE; i++)
    bytes[i] = (unsigned char)(x + i * n);
  for (int i = 0; i < 10; i++)
    bytes[20 + x % 7 + i] = bytes[x % 8 + i];
  unsigned long long sum = 0;
  for (int i = 0; i < SIZE; i++)
    sum = sum * 31 + bytes[i];
  return sum;
}

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
  out = (int *)to_device(NULL, sizeof got);
  packed<<<1, BLOCK>>>(out, n);
  to_host(got, out, sizeof got);
  for (int x = 0; x < BLOCK; x++) {
    Packed members[MEMBERS];
    fill(members, x + n);
    if (got[x] != sum_of(&members[x % MEMBERS]))
      DIFFERS("packed: thread %d has %d, not %d", x, got[x], sum_of(&members[x % MEMBERS]));
  }
  unsigned long long moved[BLOCK];
  out = (int *)to_device(NULL, sizeof moved);
  moved_by_generic_addresses<<<1, BLOCK>>>((unsigned long long *)out, n);
  to_host(moved, out, sizeof moved);
  for (int x = 0; x < BLOCK; x++)
    if (moved[x] != moved_on_the_host(x, n))
      DIFFERS("moved by generic addresses: thread %d has %llx, not %llx", x, moved[x],
              moved_on_the_host(x, n));
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
