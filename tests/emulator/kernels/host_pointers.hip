// HSA_XNACK=1: the device shares the host's page tables, and kernels take plain pointers of the
// host, from malloc, the stack and the program's variables. What the host may not touch stays out of
// reach.
#include "check.h"

#include <sys/mman.h>

enum { N = 1000 };

static double table[N];

__global__ void add(double *a, const double *b, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    a[i] += b[i];
  atomicAdd(count, 1);
}

__global__ void touch(int *p) { p[threadIdx.x] = 1; }

int main(void) {
  setenv("HSA_XNACK", "1", 1);
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  if (!properties.pageableMemoryAccess || !strstr(properties.gcnArchName, "xnack+"))
    DIFFERS("the device is %s", properties.gcnArchName);
  double *a = (double *)malloc(N * sizeof *a);
  int count = 0;
  for (int i = 0; i < N; i++)
    a[i] = table[i] = i;
  HIP(hipMemPrefetchAsync(a, N * sizeof *a, 0, NULL));
  add<<<4, 256>>>(a, table, &count);
  HIP(hipDeviceSynchronize());
  for (int i = 0; i < N; i++)
    if (a[i] != 2 * i)
      DIFFERS("a[%d] is %g", i, a[i]);
  if (count != 1024)
    DIFFERS("%d threads counted", count);

  int *forbidden = (int *)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  touch<<<1, 1>>>(forbidden);
  hipError_t error = hipDeviceSynchronize();
  if (error != hipErrorIllegalAddress)
    DIFFERS("a page that nobody may write: %s", hipGetErrorName(error));
  return verdict();
}
