// Host and device update the same places of managed, pinned and registered memory at the same time. No update is lost.
//
// In: a kernel that counts in three ways, and a host that counts as well until the kernel has ended. Out: both sums.
#include "check.h"

enum { BLOCKS = 16, THREADS = 256, TIMES = 20 };
typedef struct {
  unsigned count;
  unsigned long long wide;
  unsigned swapped; // by compare and swap
} Counters;

// What the updates return is used, so that they are made one after another.
__global__ void count(Counters *shared, unsigned *sum) {
  unsigned mine = 0;
  for (int i = 0; i < TIMES; i++) {
    mine += atomicAdd_system(&shared->count, 1u);
    mine += (unsigned)atomicAdd_system(&shared->wide, 1ull);
    unsigned seen = shared->swapped, before;
    while ((before = atomicCAS_system(&shared->swapped, seen, seen + 1)) != seen)
      seen = before;
  }
  sum[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

static void meets(const char *kind, Counters *shared) {
  unsigned *sum = (unsigned *)to_device(NULL, BLOCKS * THREADS * sizeof *sum);
  unsigned own = 0;
  memset(shared, 0, sizeof *shared);
  count<<<BLOCKS, THREADS>>>(shared, sum);
  for (; hipStreamQuery(NULL) == hipErrorNotReady; own += 100)
    for (int i = 0; i < 100; i++) {
      __atomic_fetch_add(&shared->count, 1, __ATOMIC_RELAXED);
      __atomic_fetch_add(&shared->wide, 1, __ATOMIC_RELAXED);
      __atomic_fetch_add(&shared->swapped, 1, __ATOMIC_RELAXED);
    }
  HIP(hipDeviceSynchronize());
  HIP(hipFree(sum));
  const unsigned all = own + BLOCKS * THREADS * TIMES;
  if (shared->count != all || shared->wide != all || shared->swapped != all)
    DIFFERS("%s memory: %u, %llu, %u of %u updates", kind, shared->count, shared->wide,
            shared->swapped, all);
}

int main(void) {
  static Counters own;
  Counters *shared;
  HIP(hipMallocManaged((void **)&shared, sizeof *shared));
  meets("managed", shared);
  HIP(hipHostMalloc((void **)&shared, sizeof *shared));
  meets("pinned", shared);
  HIP(hipHostRegister(&own, sizeof own, hipHostRegisterDefault));
  meets("registered", &own);
  return verdict();
}
