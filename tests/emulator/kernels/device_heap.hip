// malloc() and free() in kernels: blocks that lanes share out among themselves, blocks that come
// from the host, what outlives its kernel, and what is refused.
//
// In: sizes on both sides of the 3072 bytes from which the device library asks the host for each
// block. Out: every block holds what was written to it; hipMemGetInfo sees the heap; a bad free and
// a request that nothing can hold do no harm; an access after the free is a fault.
#include "check.h"

#include <unistd.h>

enum { GROUPS = 4, ITEMS = 256, ALL = GROUPS * ITEMS, ROUNDS = 3, MIB = 1 << 20 };

// The sum of a block of its own, of 1 to 64 words, filled so that no two blocks hold the same.
__global__ void small_blocks(unsigned *sum) {
  const unsigned item = blockIdx.x * ITEMS + threadIdx.x, words = item % 64 + 1;
  for (int round = 0; round < ROUNDS; round++) {
    unsigned *block = (unsigned *)malloc(words * sizeof *block);
    for (unsigned i = 0; i < words; i++)
      block[i] = item * 64 + i;
    __syncthreads();
    for (unsigned i = 0; i < words; i++)
      sum[item] += block[i];
    free(block);
  }
}

__global__ void keep_block(double **kept, size_t bytes) {
  if (threadIdx.x == 5) {
    *kept = (double *)malloc(bytes);
    if (*kept)
      (*kept)[bytes / sizeof **kept - 1] = 42;
  }
}

__global__ void read_and_free(double *value, double *block, size_t bytes) {
  *value = block[bytes / sizeof *block - 1];
  free(block);
}

// Touches the block, frees it and touches it again.
__global__ void use_after_free(volatile int *out) {
  volatile int *block = (volatile int *)malloc(MIB);
  block[0] = 1;
  free((void *)block);
  out[0] = block[0];
}

static void check_small_blocks(void) {
  unsigned sum[ALL], *device = (unsigned *)to_device(NULL, sizeof sum);
  small_blocks<<<GROUPS, ITEMS>>>(device);
  to_host(sum, device, sizeof sum);
  for (unsigned item = 0; item < ALL; item++) {
    unsigned words = item % 64 + 1;
    unsigned expected = ROUNDS * (words * item * 64 + words * (words - 1) / 2);
    if (sum[item] != expected)
      DIFFERS("small blocks: item %u has %u, not %u", item, sum[item], expected);
  }
}

static size_t memory_in_use(void) {
  size_t free_bytes, all;
  HIP(hipMemGetInfo(&free_bytes, &all));
  return all - free_bytes;
}

static double *kept_block(size_t bytes) {
  double *block = NULL, **kept = (double **)to_device(NULL, sizeof *kept);
  keep_block<<<1, 64>>>(kept, bytes);
  to_host(&block, kept, sizeof block);
  return block;
}

static void check_large_blocks(void) {
  const size_t before = memory_in_use();
  double *block = kept_block(MIB), value = 0;
  if (!block || memory_in_use() != before + MIB)
    DIFFERS("a block of 1 MiB: %p, %zu bytes more in use", (void *)block, memory_in_use() - before);
  if (hipFree(block) != hipErrorInvalidValue)
    DIFFERS("hipFree took a block that a kernel allocated");
  double *device = (double *)to_device(NULL, sizeof *device);
  read_and_free<<<1, 1>>>(device, block, MIB);
  to_host(&value, device, sizeof value);
  if (value != 42 || memory_in_use() != before)
    DIFFERS("after free: read %g, %zu bytes more in use", value, memory_in_use() - before);
  block = kept_block((size_t)1 << 40);
  if (block)
    DIFFERS("1 TiB was allocated at %p", (void *)block);
}

// free() of what hipMalloc allocated changes nothing.
static void check_bad_free(void) {
  double value = 7, *wrong = (double *)to_device(&value, sizeof value);
  double *device = (double *)to_device(NULL, sizeof *device);
  read_and_free<<<1, 1>>>(device, wrong, sizeof value);
  to_host(&value, wrong, sizeof value);
  if (value != 7)
    DIFFERS("free() of device memory changed it to %g", value);
  HIP(hipFree(device));
}

__global__ void free_nothing(void *none) { free(none); }

// As of C, and nothing is said of it.
static void check_free_of_nothing(void) {
  FILE *said = tmpfile();
  const int before = dup(STDERR_FILENO);
  fflush(stderr);
  dup2(fileno(said), STDERR_FILENO);
  free_nothing<<<1, 64>>>(NULL);
  HIP(hipDeviceSynchronize());
  dup2(before, STDERR_FILENO);
  close(before);
  if (lseek(fileno(said), 0, SEEK_END) != 0)
    DIFFERS("free(NULL) is told");
  fclose(said);
}

int main(void) {
  check_free_of_nothing();
  check_small_blocks();
  check_large_blocks();
  check_bad_free();
  int *out = (int *)to_device(NULL, sizeof *out);
  use_after_free<<<1, 1>>>(out);
  hipError_t error = hipDeviceSynchronize();
  if (error != hipErrorIllegalAddress)
    DIFFERS("an access after free() gives %s", hipGetErrorString(error));
  return verdict();
}
