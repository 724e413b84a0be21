// Launches of many more workgroups than have anything to do: those that the kernel's first instructions send to its end, and
// those of which only some values look as if they did.
#include "check.h"

enum { N = 1000, ITEMS = 100, MANY = 5000, WIDTH = 70, HEIGHT = 50, DEPTH = 9 };

__global__ void by_int(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i]++;
}
__global__ void by_unsigned(int *a, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  a[i]++;
}
__global__ void by_long(int *a, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i]++;
}
__global__ void by_size(int *a, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n)
    a[i]++;
}
__global__ void inside(int *a, int n) {
  int i = blockIdx.x * ITEMS + threadIdx.x;
  if (i > 0 && i < n - 1)
    a[i]++;
}
__global__ void in_strides(int *a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    a[i]++;
}
__global__ void by_block(int *a, int blocks) {
  if ((int)blockIdx.x >= blocks)
    return;
  a[blockIdx.x * blockDim.x + threadIdx.x]++;
}
__global__ void backwards(int *a, int n) {
  int i = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    a[i]++;
}
__global__ void plane(int *a, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  a[y * width + x]++;
}
__global__ void box(int *a, int width, int height, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
      z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < width && y < height && z < depth)
    a[(z * height + y) * width + x]++;
}
__global__ void after_a_store(int *a, int n) { // each block does something
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    atomicAdd(&a[n], 1);
  if (i < n)
    a[i]++;
}

// Indices that wrap around, so that some workgroups far behind have work again.
__global__ void wraps(int *count) {
  unsigned i = (blockIdx.x << 20) + threadIdx.x;
  if (i < 10)
    atomicAdd(count, 1);
}
__global__ void becomes_negative(int *count) {
  int i = (int)(blockIdx.x << 20) + (int)threadIdx.x;
  if (i < 10)
    atomicAdd(count, 1);
}
__global__ void wraps_when_multiplied(int *count, int step) {
  int i = blockIdx.x * step + threadIdx.x;
  if (i < 10)
    atomicAdd(count, 1);
}
__global__ void begins_negative(int *count, int n) {
  int i = (int)((n - blockIdx.x) << 20) + (int)threadIdx.x;
  if (i < 10)
    atomicAdd(count, 1);
}
__global__ void every_second(int *count) {
  if ((blockIdx.x & 1) == 0 && blockIdx.x >= 100)
    atomicAdd(count, 1);
}

static int *zeros(int count) {
  int *a = (int *)to_device(NULL, count * sizeof *a);
  HIP(hipMemset(a, 0, count * sizeof *a));
  return a;
}

// The first `ones` elements are 1, the others 0; the last is `last`.
static void expect(const char *what, const int *a, int count, int ones, int last) {
  int *host = (int *)malloc(count * sizeof *host);
  HIP(hipMemcpy(host, a, count * sizeof *host, hipMemcpyDeviceToHost));
  for (int i = 0; i < count - 1; i++)
    if (host[i] != (i < ones))
      DIFFERS("%s: element %d is %d", what, i, host[i]);
  if (host[count - 1] != last)
    DIFFERS("%s: the last element is %d, not %d", what, host[count - 1], last);
  free(host);
}

#define LINE(KERNEL, ARGUMENT)                                                                     \
  do {                                                                                             \
    int *a_ = zeros(N + 2);                                                                        \
    KERNEL<<<MANY, ITEMS>>>(a_, ARGUMENT);                                                         \
    expect(#KERNEL, a_, N + 2, N, 0);                                                              \
  } while (0)

#define COUNTED(KERNEL, BLOCKS, EXPECTED, ...)                                                     \
  do {                                                                                             \
    int *a_ = zeros(1);                                                                            \
    KERNEL<<<BLOCKS, ITEMS>>>(a_, ##__VA_ARGS__);                                                  \
    expect(#KERNEL, a_, 1, 0, EXPECTED);                                                           \
  } while (0)

int main(void) {
  LINE(by_int, N);
  LINE(by_unsigned, N);
  LINE(by_long, N);
  LINE(by_size, N);
  LINE(in_strides, N);
  LINE(backwards, N);
  int *a = zeros(N + 2);
  by_block<<<MANY, 50>>>(a, N / 50);
  expect("by_block", a, N + 2, N, 0);
  a = zeros(N + 2);
  inside<<<MANY, ITEMS>>>(a + 1, N + 2); // elements 2 to N + 1
  by_int<<<1, ITEMS>>>(a, 2);
  expect("inside", a, N + 2, N + 2, 1);
  a = zeros(WIDTH * HEIGHT + 1);
  plane<<<dim3(90, 60), dim3(16, 4)>>>(a, WIDTH, HEIGHT);
  expect("plane", a, WIDTH * HEIGHT + 1, WIDTH * HEIGHT, 0);
  a = zeros(WIDTH * HEIGHT * DEPTH + 1);
  box<<<dim3(40, 30, 20), dim3(8, 4, 2)>>>(a, WIDTH, HEIGHT, DEPTH);
  expect("box", a, WIDTH * HEIGHT * DEPTH + 1, WIDTH * HEIGHT * DEPTH, 0);
  a = zeros(N + 1);
  after_a_store<<<MANY, ITEMS>>>(a, N);
  expect("after_a_store", a, N + 1, N, MANY);
  COUNTED(wraps, 9000, 3 * 10);
  COUNTED(becomes_negative, 3500, 10 + (3500 - 2048) * ITEMS);
  COUNTED(becomes_negative, 5000, 2 * 10 + 2048 * ITEMS);
  COUNTED(begins_negative, 3000, 953 * ITEMS, 3000);
  COUNTED(wraps_when_multiplied, 6000, 10 + 10 + 2048 * ITEMS, 1 << 20);
  COUNTED(every_second, 4001, (4001 - 100) / 2 * ITEMS + ITEMS);
  return verdict();
}
