// Values of 64 bits that one workgroup stores while others load them: each is loaded whole. Host threads
// share these workgroups, so that they really run side by side.
#include "check.h"

enum { GROUPS = 64, VALUES = 64, ROUNDS = 3000 };

// Lanes in no order; both halves of what is stored are the same.
__global__ void store_and_load(volatile unsigned long long *values, unsigned *torn) {
  const unsigned lane = threadIdx.x, place = lane * 37 % VALUES;
  unsigned wrong = 0;
  for (unsigned i = 0; i < ROUNDS; i++)
    if (blockIdx.x % 2) {
      values[place] = (unsigned long long)i << 32 | i;
    } else {
      const unsigned long long value = values[place];
      wrong += (unsigned)value != (unsigned)(value >> 32);
    }
  torn[blockIdx.x * blockDim.x + lane] = wrong;
}

int main(void) {
  static unsigned torn[GROUPS * VALUES];
  unsigned long long *values =
      (unsigned long long *)to_device(NULL, VALUES * sizeof(unsigned long long));
  unsigned *device = (unsigned *)to_device(NULL, sizeof torn);
  store_and_load<<<GROUPS, VALUES>>>(values, device);
  to_host(torn, device, sizeof torn);
  for (int i = 0; i < GROUPS * VALUES; i++)
    if (torn[i])
      DIFFERS("work-item %d loaded %u values of which each half was another's", i, torn[i]);
  return verdict();
}
