// The address unit's steps: how often one wavefront looks lines up in the vector L1, and how long the
// address unit is busy with it.
//
// In: one wavefront that loads a pattern and stores nothing. Out: TCP_TOTAL_CACHE_ACCESSES, derived
// by hand: up to 4 B a lane, 16 lanes side by side or all at one address are one step; else four
// lanes are. A step looks each line of 64 B that it touches up once. TA_TA_BUSY: what RRZE's
// gpu-strides measured on an MI210 where the pattern is one of its strides. Without the memory model
// look-ups are counted another way, and are the same.
#include "check.h"
#include "emulator.h"

#include <dlfcn.h>
#include <stdlib.h>

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
KERNEL(floats_across_lines, float, threadIdx.x + 4)
KERNEL(every_third_float, float, 3 * threadIdx.x)
KERNEL(every_fourth_float, float, 4 * threadIdx.x)
KERNEL(every_fifth_float, float, 5 * threadIdx.x)
KERNEL(every_17th_float, float, 17 * threadIdx.x)
KERNEL(eight_floats_a_row, float, threadIdx.x % 8 + threadIdx.x / 8 * 1024)
KERNEL(four_floats_a_row, float, threadIdx.x % 4 + threadIdx.x / 4 * 1024)
KERNEL(every_fourth_double, double, 4 * threadIdx.x)
KERNEL(every_ninth_double, double, 9 * threadIdx.x)
KERNEL(every_17th_double, double, 17 * threadIdx.x)

// Lanes that lie in no order, some of them on two lines, and not all of them.
struct Row {
  float x, y, z, w;
};
__global__ void some_rows(double *out, const double *in, int n) {
  const int lane = threadIdx.x;
  if (lane % n == 1)
    return;
  const Row row = ((const Row *)((const float *)in + lane * 7 % 16))[lane * 13 % 29];
  if (row.x + row.y + row.z + row.w == 1)
    *out = row.x;
}
__global__ void some_bytes(double *out, const double *in, int n) {
  const int lane = threadIdx.x;
  if (lane % n == 1)
    return;
  if (((const char *)in)[lane * lane % 509] == 1)
    *out = 1;
}

// So few that none of their steps has 16 lanes; some of them in one step.
__global__ void few_rows(double *out, const double *in, int n) {
  const int lane = threadIdx.x;
  if (lane % 31 >= n)
    return;
  const Row row = ((const Row *)((const float *)in + lane * 7 % 16))[lane * 13 % 29];
  if (row.x + row.y + row.z + row.w == 1)
    *out = row.x;
}
__global__ void few_bytes(double *out, const double *in, int n) {
  const int lane = threadIdx.x;
  if (lane % 31 >= n)
    return;
  if (((const char *)in)[lane * lane % 509] == 1)
    *out = 1;
}

// A counter of the last launch, -1 without it.
static double counter(const char *name) {
  __typeof__(emulator_counters) *ask =
      (__typeof__(emulator_counters) *)dlsym(RTLD_DEFAULT, "emulator_counters");
  const EmulatorCounter *counters;
  const size_t count = ask ? ask(&counters) : 0;
  for (size_t k = 0; k < count; k++)
    if (strcmp(counters[k].name, name) == 0)
      return counters[k].value;
  return -1;
}

static void use_model(bool use) {
  __typeof__(emulator_use_model) *call =
      (__typeof__(emulator_use_model) *)dlsym(RTLD_DEFAULT, "emulator_use_model");
  if (call)
    call(use);
}

#define SAME_WITHOUT_MODEL(NAME, TYPE, N)                                                          \
  do {                                                                                             \
    double lookups[2], accesses[2];                                                                \
    for (int model = 0; model < 2; model++) {                                                      \
      use_model(model);                                                                            \
      NAME<<<1, 64>>>((TYPE *)out, (const TYPE *)in, N);                                           \
      HIP(hipDeviceSynchronize());                                                                 \
      lookups[model] = counter("TCP_TOTAL_CACHE_ACCESSES_sum");                                    \
      accesses[model] = counter("TCP_TOTAL_ACCESSES_sum");                                         \
    }                                                                                              \
    if (lookups[0] != lookups[1] || accesses[0] != accesses[1])                                    \
      DIFFERS(#NAME ": %g look-ups of %g accesses without the model, %g of %g with it",            \
              lookups[0], accesses[0], lookups[1], accesses[1]);                                   \
  } while (0)

#define EXPECT(NAME, TYPE, LOOKUPS, CLOCKS)                                                        \
  do {                                                                                             \
    SAME_WITHOUT_MODEL(NAME, TYPE, 64);                                                            \
    const double lookups = counter("TCP_TOTAL_CACHE_ACCESSES_sum"),                                \
                 clocks = counter("TA_TA_BUSY_sum");                                               \
    if (lookups != (LOOKUPS) || clocks != (CLOCKS))                                                \
      DIFFERS(#NAME ": %g look-ups and %g clk instead of %d and %d", lookups, clocks, LOOKUPS,     \
              CLOCKS);                                                                             \
  } while (0)

int main(void) {
  // As if lines were in L1 already, and their addresses translated.
  setenv("EMULATOR_SET", "l1_fill_clk=0 utcl1_miss_clk=0", 1);
  void *in = to_device(NULL, 16 * 1024 * sizeof(float)), *out = to_device(NULL, sizeof(double));
  EXPECT(floats_side_by_side, float, 4, 4); // four steps of 16 lanes, a line each
  EXPECT(one_float_for_all, float, 4, 4);   // four steps
  EXPECT(floats_across_lines, float, 8, 4); // four steps, two lines each
  EXPECT(every_other_float, float, 16, 32); // 16 steps of four lanes
  EXPECT(every_third_float, float, 24, 16);
  EXPECT(every_fourth_float, float, 16, 64); // lanes 0, 4, 8, 12: the same bank of four lines
  EXPECT(every_fifth_float, float, 28, 28);
  EXPECT(every_17th_float, float, 64, 64); // lanes 0, 4, 8, 12: four lines, the same tags' bank
  EXPECT(eight_floats_a_row, float, 16, 8);
  EXPECT(four_floats_a_row, float, 16, 16);
  EXPECT(doubles_side_by_side, double, 16, 16);
  EXPECT(one_double_for_all, double, 16, 16);
  EXPECT(every_fourth_double, double, 32, 32);
  EXPECT(every_eighth_double, double, 64, 64); // 16 steps, four lines each
  EXPECT(every_ninth_double, double, 64, 16);
  EXPECT(every_17th_double, double, 64, 32);
  for (int n = 2; n < 8; n++) {
    SAME_WITHOUT_MODEL(some_rows, double, n);
    SAME_WITHOUT_MODEL(some_bytes, double, n);
    SAME_WITHOUT_MODEL(few_rows, double, n);
    SAME_WITHOUT_MODEL(few_bytes, double, n);
  }
  return verdict();
}
