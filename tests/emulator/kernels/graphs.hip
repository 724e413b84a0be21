// Graphs that copy to and from variables of the device, between which a kernel works.
#include "check.h"

__device__ int counts[4] = {1, 2, 3, 4};

__global__ void add(int n) { counts[threadIdx.x] += n; }

int main(void) {
  int in[2] = {10, 20}, out[4] = {0}, three[1] = {300}, n = 5;
  hipGraph_t graph;
  hipGraphExec_t exec;
  hipGraphNode_t to, work, from;
  void *arguments[] = {&n};
  hipKernelNodeParams kernel = {};
  kernel.func = (void *)add;
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(4);
  kernel.kernelParams = arguments;
  HIP(hipGraphCreate(&graph, 0));
  HIP(hipGraphAddMemcpyNodeToSymbol(&to, graph, NULL, 0, HIP_SYMBOL(counts), in, sizeof in, 4,
                                    hipMemcpyHostToDevice));
  HIP(hipGraphAddKernelNode(&work, graph, &to, 1, &kernel));
  HIP(hipGraphAddMemcpyNodeFromSymbol(&from, graph, &work, 1, out, HIP_SYMBOL(counts), sizeof out,
                                      0, hipMemcpyDeviceToHost));
  HIP(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  HIP(hipGraphLaunch(exec, NULL));
  HIP(hipDeviceSynchronize());
  const int want[] = {6, 15, 25, 9};
  for (int i = 0; i < 4; i++)
    if (out[i] != want[i])
      DIFFERS("count %d is %d, not %d", i, out[i], want[i]);
  HIP(hipGraphExecMemcpyNodeSetParamsToSymbol(exec, to, HIP_SYMBOL(counts), three, sizeof three, 12,
                                              hipMemcpyHostToDevice));
  HIP(hipGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, out, HIP_SYMBOL(counts), 4, 12,
                                                hipMemcpyDeviceToHost));
  HIP(hipGraphLaunch(exec, NULL));
  HIP(hipDeviceSynchronize());
  if (out[0] != 305 || out[3] != 9)
    DIFFERS("after the change %d and %d, not 305 and 9", out[0], out[3]);
  return verdict();
}
