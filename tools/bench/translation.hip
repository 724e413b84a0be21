// How long the emulated device takes to translate 100 instructions to machine code of the host.
//
// Each kernel is one block of some hundred instructions of the kinds that kernels are made of:
// addresses, loads, stores, arithmetic in f64 and f32, comparisons. Its first wave is interpreted,
// the second finds that translation pays, and the launch ends when the block is translated.
//
// In:  EMULATOR_TRANSLATE=2, EMULATOR_THREADS=1.
// Out: the processor's time for 100 instructions, and that for starting LLVM, once a process (measured).
#include "emulator.h"

#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { WAVE = 64, WAVES = 2, POINTS = 4 };

// NUMBER makes each a kernel of its own.
template <int NUMBER>
__global__ void block(double *f, const double *u, float *g, int n, int limit) {
  size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
#pragma unroll
  for (int k = 0; k < POINTS; k++) {
    size_t p = i + (size_t)n * (k + NUMBER);
    double here = u[p] * NUMBER + (u[p + 1] + u[p + n]) * 0.5;
    float low = (float)here * 3.0f + g[p];
    int bits = __float_as_int(low) >> k ^ (int)p * 5;
    f[p] = bits > limit ? here : here * here - 1;
    g[p] = low * low + (bits & 7);
  }
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

static double instructions(void) { // of a wave
  size_t (*counters)(const EmulatorCounter **) =
      (size_t(*)(const EmulatorCounter **))dlsym(RTLD_DEFAULT, "emulator_counters");
  const EmulatorCounter *counter;
  size_t count = counters ? counters(&counter) : 0;
  for (size_t i = 0; i < count; i++)
    if (strcmp(counter[i].name, "SQ_INSTS") == 0)
      return counter[i].value / WAVES;
  return 0;
}

int main(void) {
  typedef void Kernel(double *, const double *, float *, int, int);
  static Kernel *const kernel[] = {block<1>, block<2>, block<3>, block<4>,
                                   block<5>, block<6>, block<7>, block<8>};
  enum { KERNELS = sizeof kernel / sizeof *kernel, N = WAVE * WAVES, ELEMENTS = 32 * N };
  void (*use_model)(bool) = (void (*)(bool))dlsym(RTLD_DEFAULT, "emulator_use_model");
  double *f, *u, start = 0, translation = 0, translated = 0;
  float *g;
  if (!use_model) {
    fprintf(stderr, "translation: measures the emulated device; run it through make bench\n");
    return 1;
  }
  use_model(false);
  if (hipMalloc((void **)&f, ELEMENTS * sizeof *f) != hipSuccess ||
      hipMalloc((void **)&u, ELEMENTS * sizeof *u) != hipSuccess ||
      hipMalloc((void **)&g, ELEMENTS * sizeof *g) != hipSuccess) {
    fprintf(stderr, "translation: no device memory\n");
    return 1;
  }
  for (int i = 0; i < KERNELS; i++) {
    double began = seconds();
    kernel[i]<<<WAVES, WAVE>>>(f, u, g, N, i);
    if (hipDeviceSynchronize() != hipSuccess) {
      fprintf(stderr, "translation: a kernel did not run, see above\n");
      return 1;
    }
    if (i == 0) {
      start = seconds() - began;
      continue;
    }
    translation += seconds() - began;
    translated += instructions();
  }
  const double each = translation / translated;
  printf("  translation of 100 instructions    %8.1f ms                           goal   5\n",
         1e5 * each);
  printf("  start of LLVM, once a process      %8.1f ms\n",
         1e3 * (start - each * translated / (KERNELS - 1)));
  return 0;
}
