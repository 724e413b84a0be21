// Technique 5, no calls of math functions where arithmetic does: pow(x, 2.0), or x * x.
//
// The compiler puts all of pow() into the kernel, logarithm and exponential with their tables of
// coefficients, although the exponent is a constant.
#include "experiment.h"

#include <hip/hip_runtime.h>

__global__ void before(double *out, const double *in) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  out[i] = pow(in[i], 2.0);
}

__global__ void after(double *out, const double *in) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  out[i] = in[i] * in[i];
}

static void launch_before(double *out, const double *in) {
  before<<<EXPERIMENT_THREADS / EXPERIMENT_BLOCK, EXPERIMENT_BLOCK>>>(out, in);
}

static void launch_after(double *out, const double *in) {
  after<<<EXPERIMENT_THREADS / EXPERIMENT_BLOCK, EXPERIMENT_BLOCK>>>(out, in);
}

static void expected(int i, const double *in, double *out) { *out = *in * *in; }

int main(int argc, char **argv) {
  const Experiment experiment = {"no math calls", 1, 1, launch_before, launch_after, expected};
  return experiment_main(argc, argv, &experiment);
}
