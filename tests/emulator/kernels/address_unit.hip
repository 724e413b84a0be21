// The address unit's steps: how often one wavefront looks lines up in the vector L1.
//
// In: one wavefront that loads a pattern and stores nothing. Out: TCP_TOTAL_CACHE_ACCESSES, derived
// by hand: up to 4 B a lane, 16 lanes side by side or all at one address are one step; else four
// lanes are. A step looks each line of 64 B that it touches up once.
#include "check.h"
#include "emulator.h"

#include <dlfcn.h>

// Stores only what is never read: the load is not in vain, and nothing else is counted.
#define KERNEL(NAME, TYPE, INDEX)                                                                  \
  __global__ void NAME(TYPE *out, const TYPE *in, int n) {                                         \
    const TYPE value = in[INDEX];                                                                  \
    if (value == (TYPE)1)                                                                          \
      *out = value;                                                                                \
  }
KERNEL(floats_side_by_side, float, threadIdx.x)
KERNEL(one_float_for_all, float, threadIdx.x / n)
KERNEL(every_other_float, float, 2 * threadIdx.x)
KERNEL(doubles_side_by_side, double, threadIdx.x)
KERNEL(one_double_for_all, double, threadIdx.x / n)
KERNEL(every_eighth_double, double, 8 * threadIdx.x)

// Look-ups of the last launch, -1 without the counter.
static double lookups(void) {
  __typeof__(emulator_counters) *ask =
      (__typeof__(emulator_counters) *)dlsym(RTLD_DEFAULT, "emulator_counters");
  const EmulatorCounter *counters;
  const size_t count = ask ? ask(&counters) : 0;
  for (size_t k = 0; k < count; k++)
    if (strcmp(counters[k].name, "TCP_TOTAL_CACHE_ACCESSES_sum") == 0)
      return counters[k].value;
  return -1;
}

#define EXPECT(NAME, TYPE, WANTED)                                                                 \
  do {                                                                                             \
    NAME<<<1, 64>>>((TYPE *)out, (const TYPE *)in, 64);                                            \
    HIP(hipDeviceSynchronize());                                                                   \
    if (lookups() != (WANTED))                                                                     \
      DIFFERS(#NAME ": %g look-ups instead of %d", lookups(), WANTED);                             \
  } while (0)

int main(void) {
  void *in = to_device(NULL, 64 * 8 * sizeof(double)), *out = to_device(NULL, sizeof(double));
  EXPECT(floats_side_by_side, float, 4); // four steps of 16 lanes, a line each
  EXPECT(one_float_for_all, float, 4);   // four steps
  EXPECT(every_other_float, float, 16);  // 16 steps of four lanes
  EXPECT(doubles_side_by_side, double, 16);
  EXPECT(one_double_for_all, double, 16);
  EXPECT(every_eighth_double, double, 64); // 16 steps, four lines each
  return verdict();
}
