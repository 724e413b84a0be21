// Workgroups that wait for what later ones store without atomics: each looks for the flag of the next, the last waits for none.
#include "check.h"

enum { GROUPS = 96, ROUNDS = 40, BUSY = 300 };

__global__ void chain(volatile int *flag, int *result, int round) {
  if (threadIdx.x == 0 && blockIdx.x + 1 < gridDim.x)
    while (flag[blockIdx.x + 1] < round)
      ;
  __syncthreads();
  int sum = threadIdx.x;
  for (int i = 0; i < BUSY; i++)
    sum = sum * 5 + round;
  result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    flag[blockIdx.x] = round;
}

int main() {
  int *flag, *result, last;
  HIP(hipMalloc(&flag, GROUPS * sizeof *flag));
  HIP(hipMalloc(&result, GROUPS * 64 * sizeof *result));
  HIP(hipMemset(flag, 0, GROUPS * sizeof *flag));
  for (int round = 1; round <= ROUNDS; round++)
    chain<<<GROUPS, 64>>>(flag, result, round);
  HIP(hipMemcpy(&last, flag, sizeof last, hipMemcpyDeviceToHost));
  return last != ROUNDS;
}
