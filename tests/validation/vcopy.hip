// vecCopy of ROCm Compute Profiler's tests, written anew: c[i] = a[i], 1048576 doubles in
// workgroups of 256, three launches as in the recorded runs.
//
// In:  nothing. Out: "time_ms X" for each launch; the copy is checked.
#include "measure.h"

enum { ELEMENTS = 1048576, BLOCK = 256, LAUNCHES = 3 };

// b and stride belong to the original's arguments and are not used there either.
__global__ void vector_copy(const double *a, const double *b, double *c, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i];
}

int main(void) {
  const size_t bytes = ELEMENTS * sizeof(double);
  double *host = (double *)host_array(bytes);
  double *a = (double *)device_array(bytes), *c = (double *)device_array(bytes);
  for (int i = 0; i < ELEMENTS; i++)
    host[i] = i;
  upload(a, host, bytes);
  for (int launch = 0; launch < LAUNCHES; launch++)
    MEASURE((vector_copy<<<ELEMENTS / BLOCK, BLOCK>>>(a, a, c, ELEMENTS, 1)));
  download(host, c, bytes);
  for (int i = 0; i < ELEMENTS; i++)
    if (host[i] != i)
      fail("Element %d was copied as %g.", i, host[i]);
  return 0;
}
