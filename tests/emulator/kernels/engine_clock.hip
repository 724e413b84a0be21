// The engine clock under load, and the matrix unit's counter.
//
// In: wavefronts that keep every SIMD's matrix unit busy, and as many that leave three of four idle.
// Out: clk over time is the loaded clock for the first and the peak clock for the second (mi250x.ini);
// SQ_VALU_MFMA_BUSY_CYCLES is 8 clk for each 4x4x1 product.
#include "check.h"
#include "emulator.h"

#include <dlfcn.h>

enum { UNITS = 110, PRODUCTS = 4000, CLOCKS = 8 };

__global__ void multiply(void) {
  asm volatile(".rept 4000\n"
               "v_mfma_f32_4x4x1f32 v[0:3], v4, v5, v[0:3]\n"
               ".endr" ::
                   : "v0", "v1", "v2", "v3", "v4", "v5");
}

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

// MHz of a launch of workgroups with `threads` each, one on each compute unit.
static double clock_of(int threads) {
  const double launch_us = 2.1;
  __typeof__(emulator_modelled_ms) *milliseconds =
      (__typeof__(emulator_modelled_ms) *)dlsym(RTLD_DEFAULT, "emulator_modelled_ms");
  multiply<<<UNITS, threads>>>();
  HIP(hipDeviceSynchronize());
  const double busy = counter("SQ_VALU_MFMA_BUSY_CYCLES"),
               expected = (double)UNITS * (threads / 64) * PRODUCTS * CLOCKS;
  if (busy != expected)
    DIFFERS("the matrix units were busy for %g clk instead of %g", busy, expected);
  return milliseconds ? counter("GRBM_COUNT") / (milliseconds() * 1e3 - launch_us) : -1;
}

int main(void) {
  const double loaded = clock_of(256), light = clock_of(64);
  if (fabs(loaded - 1590) > 8) // begin and end of the launch are light
    DIFFERS("%g MHz under load instead of 1590", loaded);
  if (fabs(light - 1700) > 1)
    DIFFERS("%g MHz instead of 1700 where three of four SIMDs are idle", light);
  return verdict();
}
