// Technique 7, spilling by hand: values that are needed late wait in registers, or in LDS.
//
// Six values are loaded before a stretch that needs many registers and used behind it. In LDS they
// take 6 * 256 * 8 B = 12 KiB a block, and five blocks fit into the 64 KiB of a compute unit: one
// wave a SIMD each. A seventh value would leave room for four.
#include "experiment.h"

#include <hip/hip_runtime.h>

#define KEPT 6
#define VALUES 33

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

__global__ __launch_bounds__(EXPERIMENT_BLOCK) void before(double *out, const double *in) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  double kept[KEPT];
#pragma unroll
  for (int v = 0; v < KEPT; v++) {
    kept[v] = in[i + v * EXPERIMENT_THREADS];
    out[i + v * EXPERIMENT_THREADS] = 0; // out may be in, so kept must be loaded before
  }
  const double factor = variance(in + i + KEPT * EXPERIMENT_THREADS, EXPERIMENT_THREADS);
#pragma unroll
  for (int v = 0; v < KEPT; v++)
    out[i + v * EXPERIMENT_THREADS] = factor * kept[v];
}

__global__ __launch_bounds__(EXPERIMENT_BLOCK) void after(double *out, const double *in) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  __shared__ double kept[KEPT][EXPERIMENT_BLOCK];
#pragma unroll
  for (int v = 0; v < KEPT; v++) {
    kept[v][threadIdx.x] = in[i + v * EXPERIMENT_THREADS];
    out[i + v * EXPERIMENT_THREADS] = 0;
  }
  // No thread reads another's values. The barriers keep the compiler from keeping them all the
  // same.
  __syncthreads();
  const double factor = variance(in + i + KEPT * EXPERIMENT_THREADS, EXPERIMENT_THREADS);
  __syncthreads();
#pragma unroll
  for (int v = 0; v < KEPT; v++)
    out[i + v * EXPERIMENT_THREADS] = factor * kept[v][threadIdx.x];
}

static void launch_before(double *out, const double *in) {
  before<<<EXPERIMENT_THREADS / EXPERIMENT_BLOCK, EXPERIMENT_BLOCK>>>(out, in);
}

static void launch_after(double *out, const double *in) {
  after<<<EXPERIMENT_THREADS / EXPERIMENT_BLOCK, EXPERIMENT_BLOCK>>>(out, in);
}

static void expected(int i, const double *in, double *out) {
  for (int v = 0; v < KEPT; v++)
    out[v] = variance(in + KEPT, 1) * in[v];
}

int main(int argc, char **argv) {
  const Experiment experiment = {"spill to LDS by hand", KEPT + VALUES, KEPT,
                                 launch_before,          launch_after,  expected};
  return experiment_main(argc, argv, &experiment);
}
