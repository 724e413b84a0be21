// Technique 1, launch bounds: the same kernel without and with __launch_bounds__.
//
// The 80 values of a thread must stay alive until their mean is known: 160 VGPRs. Without a bound
// the compiler must leave room for blocks of 1024 threads, 128 VGPRs, and spills. With a bound of
// 256 nothing spills; fewer waves fit. (Lab 04 is about this.)
#include "experiment.h"

#include <hip/hip_runtime.h>

#define VALUES 80

static __host__ __device__ double variance(const double *in, int distance) {
  double value[VALUES], mean = 0, sum = 0;
#pragma unroll
  for (int v = 0; v < VALUES; v++) {
    value[v] = in[v * distance];
    mean += value[v] / VALUES;
  }
#pragma unroll
  for (int v = 0; v < VALUES; v++)
    sum += (value[v] - mean) * (value[v] - mean);
  return sum / VALUES;
}

__global__ void before(double *out, const double *in) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  out[i] = variance(in + i, EXPERIMENT_THREADS);
}

__global__ __launch_bounds__(EXPERIMENT_BLOCK) void after(double *out, const double *in) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  out[i] = variance(in + i, EXPERIMENT_THREADS);
}

static void launch_before(double *out, const double *in) {
  before<<<EXPERIMENT_THREADS / EXPERIMENT_BLOCK, EXPERIMENT_BLOCK>>>(out, in);
}

static void launch_after(double *out, const double *in) {
  after<<<EXPERIMENT_THREADS / EXPERIMENT_BLOCK, EXPERIMENT_BLOCK>>>(out, in);
}

static void expected(int i, const double *in, double *out) { *out = variance(in, 1); }

int main(int argc, char **argv) {
  const Experiment experiment = {"launch bounds", VALUES, 1, launch_before, launch_after, expected};
  return experiment_main(argc, argv, &experiment);
}
