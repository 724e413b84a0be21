// Kernels of several kinds, for what EMULATOR_SANITIZE=1 costs: each of them touches memory in another way.
//
// In:  EMULATOR_SANITIZE, EMULATOR_MODEL; optionally the name of one kernel. Out: on stdout a line for each, its name and the
//      processor time of its launch in seconds (measured). Exit status 1 if a call fails.
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 1024, N = SIDE * SIDE, TILE = 16, BLOCK = 256, BINS = 256, PRODUCT = 256 };

__global__ void copy(const double *from, double *to) {
  const int i = (int)(blockIdx.x * BLOCK + threadIdx.x);
  to[i] = from[i];
}

__global__ void copy_wide(const double2 *from, double2 *to) {
  const int i = (int)(blockIdx.x * BLOCK + threadIdx.x);
  to[i] = from[i];
}

__global__ void laplacian(const double *from, double *to) { // of a cube of 100 points a side
  enum { S = 100 };
  const int x = (int)(blockIdx.x * BLOCK + threadIdx.x), y = (int)blockIdx.y, z = (int)blockIdx.z;
  const int i = x + S * (y + S * z);
  if (x > 0 && x < S - 1 && y > 0 && y < S - 1 && z > 0 && z < S - 1)
    to[i] = from[i - 1] + from[i + 1] + from[i - S] + from[i + S] + from[i - S * S] +
            from[i + S * S] - 6 * from[i];
}

__global__ void transpose(const double *from, double *to) {
  const int x = (int)(blockIdx.x * TILE + threadIdx.x), y = (int)(blockIdx.y * TILE + threadIdx.y);
  to[x * SIDE + y] = from[y * SIDE + x];
}

__global__ void transpose_tiled(const double *from, double *to) {
  __shared__ double tile[TILE][TILE + 1];
  const int x = (int)(blockIdx.x * TILE + threadIdx.x), y = (int)(blockIdx.y * TILE + threadIdx.y);
  tile[threadIdx.y][threadIdx.x] = from[y * SIDE + x];
  __syncthreads();
  const int column = (int)(blockIdx.y * TILE + threadIdx.x),
            row = (int)(blockIdx.x * TILE + threadIdx.y);
  to[row * SIDE + column] = tile[threadIdx.x][threadIdx.y];
}

__global__ void matrix_product(const double *a, double *c) { // a times itself, by tiles in LDS
  __shared__ double left[TILE][TILE], right[TILE][TILE];
  const int column = (int)(blockIdx.x * TILE + threadIdx.x),
            row = (int)(blockIdx.y * TILE + threadIdx.y);
  double sum = 0;
  for (int t = 0; t < PRODUCT; t += TILE) {
    left[threadIdx.y][threadIdx.x] = a[row * PRODUCT + t + (int)threadIdx.x];
    right[threadIdx.y][threadIdx.x] = a[(t + (int)threadIdx.y) * PRODUCT + column];
    __syncthreads();
    for (int k = 0; k < TILE; k++)
      sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[row * PRODUCT + column] = sum;
}

__global__ void reduction(const double *from, double *to) {
  __shared__ double part[BLOCK];
  const int me = (int)threadIdx.x;
  part[me] = from[blockIdx.x * BLOCK + threadIdx.x];
  for (int step = BLOCK / 2; step; step /= 2) {
    __syncthreads();
    if (me < step)
      part[me] += part[me + step];
  }
  if (me == 0)
    to[blockIdx.x] = part[0];
}

__device__ int bin_of(double value) { return (int)value * 7 % BINS; }

__global__ void histogram(const double *from, double *to) { // in LDS, then by global atomics
  __shared__ int bin[BINS];
  bin[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < 16; i++)
    atomicAdd(&bin[bin_of(from[(blockIdx.x * 16 + (unsigned)i) * BLOCK + threadIdx.x])], 1);
  __syncthreads();
  atomicAdd((int *)to + threadIdx.x, bin[threadIdx.x]);
}

__global__ void global_atomics(const double *from, double *to) {
  const int i = (int)(blockIdx.x * BLOCK + threadIdx.x);
  atomicAdd((int *)to + bin_of(from[i]), 1);
}

__global__ void gather(const double *from, double *to) {
  const int i = (int)(blockIdx.x * BLOCK + threadIdx.x);
  to[i] = from[(unsigned)i * 7919u % N];
}

static double processor_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

typedef void Kernel(const double *, double *);
static const dim3 square = {SIDE / TILE, SIDE / TILE}, tile = {TILE, TILE}, line = BLOCK,
                  blocks = N / BLOCK;
static const struct {
  const char *name;
  Kernel *kernel;
  dim3 grid, block;
} row[] = {
    {"copy", copy, blocks, line},
    {"copy_wide", (Kernel *)copy_wide, N / 2 / BLOCK, line},
    {"laplacian", laplacian, {1, 100, 100}, 128},
    {"transpose", transpose, square, tile},
    {"transpose_tiled", transpose_tiled, square, tile},
    {"matrix_product", matrix_product, {PRODUCT / TILE, PRODUCT / TILE}, tile},
    {"reduction", reduction, blocks, line},
    {"histogram", histogram, N / BLOCK / 16, line},
    {"global_atomics", global_atomics, blocks, line},
    {"gather", gather, blocks, line},
};

int main(int argc, char **argv) {
  double *from, *to, *host = (double *)malloc(N * sizeof *host);
  if (!host || hipMalloc((void **)&from, N * sizeof *from) != hipSuccess ||
      hipMalloc((void **)&to, N * sizeof *to) != hipSuccess)
    return 1;
  for (int i = 0; i < N; i++)
    host[i] = i % 1000;
  if (hipMemcpy(from, host, N * sizeof *host, hipMemcpyHostToDevice) != hipSuccess)
    return 1;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    double best = 1e9;
    for (int turn = 0; turn < 3 && (argc < 2 || !strcmp(argv[1], row[i].name)); turn++) {
      if (hipMemset(to, 0, N * sizeof *to) != hipSuccess)
        return 1;
      hipDeviceSynchronize();
      const double begin = processor_time();
      row[i].kernel<<<row[i].grid, row[i].block>>>(from, to);
      if (hipDeviceSynchronize() != hipSuccess)
        return 1;
      const double end = processor_time();
      best = end - begin < best ? end - begin : best;
    }
    if (argc < 2 || !strcmp(argv[1], row[i].name))
      printf("%s %.4f\n", row[i].name, best);
  }
  return 0;
}
