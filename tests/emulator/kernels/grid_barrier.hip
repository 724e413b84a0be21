// Cooperative launch: all workgroups meet at grid.sync(), twice, and read what the others wrote
// before it. A grid that the device cannot hold at once is refused.
#include "check.h"

#include <hip/hip_cooperative_groups.h>

enum { GROUPS = 64, BLOCK = 256, N = GROUPS * BLOCK };

__global__ void swap_twice(int *a, int *b) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = i;
  grid.sync();
  b[i] = a[N - 1 - i];
  grid.sync();
  a[i] = 2 * b[N - 1 - i];
}

__global__ void ask(int *valid) {
  valid[0] = cooperative_groups::this_grid().is_valid();
  valid[1] = cooperative_groups::this_multi_grid().is_valid();
}

__global__ void one_group_never_arrives(void) {
  if (blockIdx.x)
    cooperative_groups::this_grid().sync();
}

static hipError_t launch(const void *kernel, unsigned groups, void **arguments) {
  hipError_t error =
      hipLaunchCooperativeKernel(kernel, dim3(groups), dim3(BLOCK), arguments, 0, NULL);
  return error == hipSuccess ? hipDeviceSynchronize() : error;
}

int main(void) {
  int *a = (int *)to_device(NULL, N * sizeof(int)), *b = (int *)to_device(NULL, N * sizeof(int));
  int *host = (int *)host_array(N * sizeof(int));
  void *arguments[] = {&a, &b};
  HIP(launch((const void *)swap_twice, GROUPS, arguments));
  HIP(hipMemcpy(host, a, N * sizeof(int), hipMemcpyDeviceToHost));
  for (int i = 0; i < N; i++)
    if (host[i] != 2 * i)
      DIFFERS("a[%d] is %d instead of %d", i, host[i], 2 * i);
  int *valid = (int *)to_device(NULL, 2 * sizeof(int));
  void *asked[] = {&valid};
  HIP(launch((const void *)ask, 1, asked));
  HIP(hipMemcpy(host, valid, 2 * sizeof(int), hipMemcpyDeviceToHost));
  if (host[0] != 1 || host[1] != 0)
    DIFFERS("a cooperative grid: is_valid is %d, of a multi-grid %d", host[0], host[1]);
  ask<<<1, 1>>>(valid);
  HIP(hipMemcpy(host, valid, 2 * sizeof(int), hipMemcpyDeviceToHost));
  if (host[0] != 0 || host[1] != 0)
    DIFFERS("an ordinary grid: is_valid is %d, of a multi-grid %d", host[0], host[1]);
  hipError_t error = launch((const void *)swap_twice, 1 << 20, arguments);
  if (error != hipErrorCooperativeLaunchTooLarge)
    DIFFERS("a grid that does not fit: %s", hipGetErrorName(error));
  error = launch((const void *)one_group_never_arrives, GROUPS, NULL);
  if (error != hipErrorLaunchFailure)
    DIFFERS("a barrier that not all reach: %s", hipGetErrorName(error));
  return verdict();
}
