// Block and grid shapes in one, two and three dimensions, partial waves, barriers between them.
#include "check.h"

__global__ void number(unsigned *out, unsigned *neighbour) {
  __shared__ unsigned shared[1024];
  unsigned in_block = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned size = blockDim.x * blockDim.y * blockDim.z, at = block * size + in_block;
  out[at] = at * 3 + blockIdx.z * 1000003 + threadIdx.z;
  shared[in_block] = at;
  __syncthreads();
  neighbour[at] = shared[size - 1 - in_block]; // mostly from another wave
}

static void run(dim3 grid, dim3 block) {
  unsigned size = block.x * block.y * block.z, count = grid.x * grid.y * grid.z * size;
  unsigned *out = (unsigned *)host_array(4 * count), *neighbour = (unsigned *)host_array(4 * count);
  unsigned *dout = (unsigned *)to_device(NULL, 4 * count),
           *dneighbour = (unsigned *)to_device(NULL, 4 * count);
  number<<<grid, block>>>(dout, dneighbour);
  to_host(out, dout, 4 * count);
  to_host(neighbour, dneighbour, 4 * count);
  for (unsigned at = 0; at < count; at++) {
    unsigned in_block = at % size, z = at / size / (grid.x * grid.y);
    if (out[at] != at * 3 + z * 1000003 + in_block / (block.x * block.y))
      DIFFERS("block %u x %u x %u: work-item %u has %u", block.x, block.y, block.z, at, out[at]);
    if (neighbour[at] != at - in_block + size - 1 - in_block)
      DIFFERS("block %u x %u x %u: neighbour of %u is %u", block.x, block.y, block.z, at,
              neighbour[at]);
  }
  free(out);
  free(neighbour);
}

int main(void) {
  run(dim3(1), dim3(1));
  run(dim3(7), dim3(63));
  run(dim3(3), dim3(65));
  run(dim3(5), dim3(1024));
  run(dim3(3, 5), dim3(17, 6));
  run(dim3(2, 1, 9), dim3(1, 33, 2));
  run(dim3(4, 3, 2), dim3(5, 7, 11));
  run(dim3(1, 1, 3), dim3(8, 8, 16));
  run(dim3(1, 70000), dim3(2));
  run(dim3(2, 3), dim3(16, 16));
  run(dim3(2), dim3(1, 256));
  run(dim3(2, 2), dim3(32, 5));
  run(dim3(2, 2), dim3(8, 12));
  run(dim3(2, 2), dim3(24, 8));
  run(dim3(2, 2), dim3(128, 3));
  return verdict();
}
