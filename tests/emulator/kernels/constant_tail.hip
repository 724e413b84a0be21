// Constants whose last element is not the last byte that a scalar load takes: seven floats are read
// as eight. Behind a variable at the end of its code object and behind an allocation the device has
// mapped pages, so such loads are no fault, whatever is watched.
#include "check.h"

enum { N = 7 };

__constant__ float constants[N];

__global__ void sum_of_constants(float *out) {
  float sum = 0;
  for (int i = 0; i < N; i++)
    sum += constants[i];
  out[threadIdx.x] = sum;
}

__global__ void sum_of(float *out, const float *__restrict__ in) {
  float sum = 0;
  for (int i = 0; i < N; i++)
    sum += in[i];
  out[threadIdx.x] = sum;
}

int main(void) {
  setenv("EMULATOR_SANITIZE", "1", 1);
  float values[N] = {1, 2, 3, 4, 5, 6, 7}, got[64];
  float *out = (float *)to_device(NULL, sizeof got),
        *in = (float *)to_device(values, sizeof values);
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(constants), values, sizeof values));
  sum_of_constants<<<1, 64>>>(out);
  HIP(hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost));
  if (got[63] != 28)
    DIFFERS("the sum of the constants is %g", got[63]);
  HIP(hipMemset(out, 0, sizeof got));
  sum_of<<<1, 64>>>(out, in);
  to_host(got, out, sizeof got);
  if (got[63] != 28)
    DIFFERS("the sum is %g", got[63]);
  return verdict();
}
