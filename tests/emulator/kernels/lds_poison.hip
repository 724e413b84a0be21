// LDS holds no zeros by chance: what a kernel reads before it wrote shows, in each workgroup anew.
//
// In: workgroups that write LDS only if told to. Out: all bytes 0xff where they did not write, also
// behind a workgroup that did.
#include "check.h"

__global__ void read_first(unsigned *out, int writers) {
  extern __shared__ unsigned lds[];
  if ((int)blockIdx.x < writers)
    lds[threadIdx.x] = 7;
  out[blockIdx.x * 64 + threadIdx.x] = lds[threadIdx.x];
}

int main(void) {
  enum { GROUPS = 16, LANES = 64 };
  unsigned *out = (unsigned *)to_device(NULL, GROUPS * LANES * sizeof *out);
  static unsigned found[GROUPS * LANES];
  read_first<<<GROUPS, LANES, LANES * sizeof *out>>>(out, GROUPS / 2);
  HIP(hipMemcpy(found, out, sizeof found, hipMemcpyDeviceToHost));
  for (int i = 0; i < GROUPS * LANES; i++)
    if (found[i] != (i < GROUPS / 2 * LANES ? 7 : 0xffffffffu))
      DIFFERS("element %d is %#x", i, found[i]);
  return verdict();
}
