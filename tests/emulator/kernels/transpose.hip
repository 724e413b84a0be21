// Transpose through padded LDS tiles, static and dynamic, on sizes that no tile divides.
#include "check.h"

enum { TILE = 32, ROWS = 8 };

template <typename T> __global__ void with_static_tile(T *out, const T *in, int width, int height) {
  __shared__ T tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < height && y + j < width)
      out[(size_t)(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <typename T>
__global__ void with_dynamic_tile(T *out, const T *in, int width, int height, int pitch) {
  extern __shared__ char memory[];
  T *tile = (T *)memory;
  int side = blockDim.x;
  int x = blockIdx.x * side + threadIdx.x, y = blockIdx.y * side + threadIdx.y;
  if (x < width && y < height)
    tile[threadIdx.y * pitch + threadIdx.x] = in[(size_t)y * width + x];
  __syncthreads();
  x = blockIdx.y * side + threadIdx.x;
  y = blockIdx.x * side + threadIdx.y;
  if (x < height && y < width)
    out[(size_t)y * height + x] = tile[threadIdx.x * pitch + threadIdx.y];
}

template <typename T> static void run(int width, int height, bool dynamic) {
  size_t count = (size_t)width * height, bytes = count * sizeof(T);
  T *in = (T *)host_array(bytes), *out = (T *)host_array(bytes);
  for (size_t i = 0; i < bytes; i++)
    ((unsigned char *)in)[i] = random_bits() & 0x3f; // no NaN, so == compares every bit
  T *din = (T *)to_device(in, bytes), *dout = (T *)to_device(NULL, bytes);
  int side = dynamic ? 13 : TILE;
  dim3 grid((width + side - 1) / side, (height + side - 1) / side);
  if (dynamic)
    with_dynamic_tile<T><<<grid, dim3(side, side), side *(side + 2) * sizeof(T)>>>(
        dout, din, width, height, side + 2);
  else
    with_static_tile<T><<<grid, dim3(TILE, ROWS)>>>(dout, din, width, height);
  to_host(out, dout, bytes);
  HIP(hipFree(din));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      if (!(out[(size_t)x * height + y] == in[(size_t)y * width + x]))
        DIFFERS("element (%d, %d) of %zu bytes is wrong", x, y, sizeof(T));
  free(in);
  free(out);
}

int main(void) {
  for (int dynamic = 0; dynamic < 2; dynamic++) {
    run<double>(97, 53, dynamic);
    run<float>(33, 130, dynamic);
    run<short>(65, 31, dynamic);
    run<unsigned char>(1, 77, dynamic);
  }
  return verdict();
}
