// Spills, and prints what the compiler would print of a kernel that does not; and a verdict.
#include "lab.h"

#include <hip/hip_runtime.h>

#pragma message(                                                                                   \
    "\nx.hip:1:1: remark: Function Name: _Z9laplacianPdPKdiiidddd [-Rpass-analysis=kernel-resource-usage]\nx.hip:1:1: remark:     ScratchSize [bytes/lane]: 0 [-Rpass-analysis=kernel-resource-usage]\nPASSED: 10 of 10 points")
#define VALUE                                                                                      \
  spilled(u[pos] * centre + (u[pos - 1] + u[pos + 1]) * invhx2 +                                   \
          (u[pos - nx] + u[pos + nx]) * invhy2 + (u[pos - slice] + u[pos + slice]) * invhz2)
static __device__ double spilled(double value) {
  volatile double on_the_stack[32];
  on_the_stack[threadIdx.x % 32] = value;
  return on_the_stack[threadIdx.x % 32];
}
#include "skeleton.h"
