// Technique 3, no arrays on the stack: a histogram indexed at run time, or by constants.
//
// Registers have no index. An array whose index is known only at run time lies in scratch memory.
// With the loop over the bins unrolled every index is a constant, and the array becomes registers.
#include "experiment.h"

#include <hip/hip_runtime.h>

#define VALUES 16
#define BINS 16

// x lies in [-1, 1).
static __host__ __device__ int bin_of(double x) { return (int)((x + 1) / 2 * BINS); }

__global__ void before(double *out, const double *in) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  double sum[BINS] = {0};
  for (int v = 0; v < VALUES; v++) {
    const double x = in[i + v * EXPERIMENT_THREADS];
    sum[bin_of(x)] += x;
  }
  for (int bin = 0; bin < BINS; bin++)
    out[i + bin * EXPERIMENT_THREADS] = sum[bin];
}

__global__ void after(double *out, const double *in) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  double sum[BINS] = {0};
#pragma unroll 1
  for (int v = 0; v < VALUES; v++) {
    const double x = in[i + v * EXPERIMENT_THREADS];
    const int its_bin = bin_of(x);
#pragma unroll
    for (int bin = 0; bin < BINS; bin++)
      sum[bin] += bin == its_bin ? x : 0;
  }
#pragma unroll
  for (int bin = 0; bin < BINS; bin++)
    out[i + bin * EXPERIMENT_THREADS] = sum[bin];
}

static void launch_before(double *out, const double *in) {
  before<<<EXPERIMENT_THREADS / EXPERIMENT_BLOCK, EXPERIMENT_BLOCK>>>(out, in);
}

static void launch_after(double *out, const double *in) {
  after<<<EXPERIMENT_THREADS / EXPERIMENT_BLOCK, EXPERIMENT_BLOCK>>>(out, in);
}

static void expected(int i, const double *in, double *out) {
  for (int bin = 0; bin < BINS; bin++)
    out[bin] = 0;
  for (int v = 0; v < VALUES; v++)
    out[bin_of(in[v])] += in[v];
}

int main(int argc, char **argv) {
  const Experiment experiment = {"no stack arrays", VALUES,       BINS,
                                 launch_before,     launch_after, expected};
  return experiment_main(argc, argv, &experiment);
}
