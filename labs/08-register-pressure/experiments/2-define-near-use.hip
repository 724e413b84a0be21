// Technique 2, definitions near their use: values loaded at the top, or where they are needed.
//
// A thread needs the variance of two sets of values. Loading both first keeps 40 doubles alive. The
// compiler cannot move the second loads down itself, for out might be the same memory as in.
#include "experiment.h"

#include <hip/hip_runtime.h>

#define VALUES 20

static __host__ __device__ void load(double *value, const double *in, int distance) {
#pragma unroll
  for (int v = 0; v < VALUES; v++)
    value[v] = in[v * distance];
}

static __host__ __device__ double variance(const double *value) {
  double mean = 0, sum = 0;
#pragma unroll
  for (int v = 0; v < VALUES; v++)
    mean += value[v] / VALUES;
#pragma unroll
  for (int v = 0; v < VALUES; v++)
    sum += (value[v] - mean) * (value[v] - mean);
  return sum / VALUES;
}

__global__ void before(double *out, const double *in) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  double first[VALUES], second[VALUES];
  load(first, in + i, EXPERIMENT_THREADS);
  load(second, in + i + VALUES * EXPERIMENT_THREADS, EXPERIMENT_THREADS);
  out[i] = variance(first);
  out[i + EXPERIMENT_THREADS] = variance(second);
}

__global__ void after(double *out, const double *in) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  double first[VALUES], second[VALUES];
  load(first, in + i, EXPERIMENT_THREADS);
  out[i] = variance(first);
  load(second, in + i + VALUES * EXPERIMENT_THREADS, EXPERIMENT_THREADS);
  out[i + EXPERIMENT_THREADS] = variance(second);
}

static void launch_before(double *out, const double *in) {
  before<<<EXPERIMENT_THREADS / EXPERIMENT_BLOCK, EXPERIMENT_BLOCK>>>(out, in);
}

static void launch_after(double *out, const double *in) {
  after<<<EXPERIMENT_THREADS / EXPERIMENT_BLOCK, EXPERIMENT_BLOCK>>>(out, in);
}

static void expected(int i, const double *in, double *out) {
  out[0] = variance(in);
  out[1] = variance(in + VALUES);
}

int main(int argc, char **argv) {
  const Experiment experiment = {"definitions near use", 2 * VALUES,   2,
                                 launch_before,          launch_after, expected};
  return experiment_main(argc, argv, &experiment);
}
