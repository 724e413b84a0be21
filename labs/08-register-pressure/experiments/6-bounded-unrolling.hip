// Technique 6, bounded unrolling: a loop unrolled fully, or four times.
//
// When all 32 rounds stand one after the other, the compiler loads for many of them ahead, and each
// value on its way holds two VGPRs.
#include "experiment.h"

#include <hip/hip_runtime.h>

#define ROUNDS 32

__global__ void before(double *__restrict__ out, const double *__restrict__ in, int distance) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  double sum = 0;
#pragma unroll
  for (int v = 0; v < ROUNDS; v++) {
    const double *const x = &in[i + v * distance];
    sum = sum * x[0] + x[distance] * x[2 * distance];
  }
  out[i] = sum;
}

__global__ void after(double *__restrict__ out, const double *__restrict__ in, int distance) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  double sum = 0;
#pragma unroll 4
  for (int v = 0; v < ROUNDS; v++) {
    const double *const x = &in[i + v * distance];
    sum = sum * x[0] + x[distance] * x[2 * distance];
  }
  out[i] = sum;
}

static void launch_before(double *out, const double *in) {
  before<<<EXPERIMENT_THREADS / EXPERIMENT_BLOCK, EXPERIMENT_BLOCK>>>(out, in, EXPERIMENT_THREADS);
}

static void launch_after(double *out, const double *in) {
  after<<<EXPERIMENT_THREADS / EXPERIMENT_BLOCK, EXPERIMENT_BLOCK>>>(out, in, EXPERIMENT_THREADS);
}

static void expected(int i, const double *in, double *out) {
  double sum = 0;
  for (int v = 0; v < ROUNDS; v++)
    sum = sum * in[v] + in[v + 1] * in[v + 2];
  *out = sum;
}

int main(int argc, char **argv) {
  const Experiment experiment = {"bounded unrolling", ROUNDS + 2,   1,
                                 launch_before,       launch_after, expected};
  return experiment_main(argc, argv, &experiment);
}
