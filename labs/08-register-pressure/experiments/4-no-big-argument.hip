// Technique 4, no big arguments: a table handed over by value, or kept in constant memory.
//
// A thread adds its input to one coefficient of a polynomial and evaluates it. An argument that is
// changed must be copied, and changed at an index known at run time it must lie in scratch memory.
#include "experiment.h"

#include <hip/hip_runtime.h>

#define VALUES 32

typedef struct {
  double value[VALUES];
} Table;

static __constant__ Table constant_table;

__global__ void before(double *out, const double *in, Table table) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const double x = in[i];
  table.value[i % VALUES] += x;
  double sum = 0;
  for (int v = 0; v < VALUES; v++)
    sum = sum * x + table.value[v];
  out[i] = sum;
}

__global__ void after(double *out, const double *in) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const double x = in[i];
  double sum = 0;
  for (int v = 0; v < VALUES; v++)
    sum = sum * x + constant_table.value[v] + (v == i % VALUES ? x : 0);
  out[i] = sum;
}

static Table make_table(void) {
  Table table;
  for (int v = 0; v < VALUES; v++)
    table.value[v] = 1.0 / (v + 1);
  return table;
}

static void launch_before(double *out, const double *in) {
  before<<<EXPERIMENT_THREADS / EXPERIMENT_BLOCK, EXPERIMENT_BLOCK>>>(out, in, make_table());
}

static void launch_after(double *out, const double *in) {
  const Table table = make_table();
  (void)hipMemcpyToSymbol(HIP_SYMBOL(constant_table), &table, sizeof table);
  after<<<EXPERIMENT_THREADS / EXPERIMENT_BLOCK, EXPERIMENT_BLOCK>>>(out, in);
}

static void expected(int i, const double *in, double *out) {
  const Table table = make_table();
  double sum = 0;
  for (int v = 0; v < VALUES; v++)
    sum = sum * *in + table.value[v] + (v == i % VALUES ? *in : 0);
  *out = sum;
}

int main(int argc, char **argv) {
  const Experiment experiment = {"no big arguments", 1, 1, launch_before, launch_after, expected};
  return experiment_main(argc, argv, &experiment);
}
