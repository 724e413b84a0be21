// Launches by calls that newer or older releases have and the header of ROCm 5.2 has not: with attributes, in
// three calls, through a kernel's handle.
#include "check.h"

#include <dlfcn.h>

enum { BLOCKS = 4, THREADS = 64, N = BLOCKS * THREADS };

__global__ void scale(int *values, int factor) {
  values[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

extern __shared__ int shared_words[];
__global__ void reverse(int *values) {
  const int i = threadIdx.x, n = blockDim.x;
  shared_words[i] = values[blockIdx.x * n + i];
  __syncthreads();
  values[blockIdx.x * n + i] = shared_words[n - 1 - i];
}

// hipLaunchAttribute, hipLaunchConfig_t, HIP_LAUNCH_CONFIG.
typedef struct {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int cooperative;
    unsigned cluster[3];
  } value;
} Attribute;
typedef struct {
  dim3 grid, block;
  size_t lds;
  hipStream_t stream;
  Attribute *attributes;
  unsigned count;
} Configuration;
typedef struct {
  unsigned grid[3], block[3], lds;
  hipStream_t stream;
  Attribute *attributes;
  unsigned count;
} DriverConfiguration;

template <typename T> static T call(T type, const char *name) {
  (void)type;
  T found = (T)dlsym(RTLD_DEFAULT, name);
  if (!found) {
    fprintf(stderr, "there is no %s\n", name);
    exit(1);
  }
  return found;
}
#define CALL(TYPE, NAME) call((TYPE)NULL, #NAME)

static int *device_values;

static void start(void) {
  int values[N];
  for (int i = 0; i < N; i++)
    values[i] = i;
  HIP(hipMemcpy(device_values, values, sizeof values, hipMemcpyHostToDevice));
}

static void expect_scaled(const char *what, int factor) {
  int values[N];
  HIP(hipMemcpy(values, device_values, sizeof values, hipMemcpyDeviceToHost));
  for (int i = 0; i < N; i++)
    if (values[i] != factor * i)
      DIFFERS("%s: element %d is %d, not %d", what, i, values[i], factor * i);
}

static void with_attributes(void) {
  const auto launch =
      CALL(hipError_t(*)(const Configuration *, const void *, void **), hipLaunchKernelExC);
  int factor = 3;
  void *arguments[] = {&device_values, &factor}, *one[] = {&device_values};
  Attribute attributes[2];
  memset(attributes, 0, sizeof attributes);
  attributes[0].id = 2; // cooperative
  attributes[0].value.cooperative = 1;
  attributes[1].id = 8; // priority
  Configuration c = {dim3(BLOCKS), dim3(THREADS), 0, NULL, attributes, 2};
  start();
  HIP(launch(&c, (const void *)scale, arguments));
  expect_scaled("hipLaunchKernelExC", 3);
  c.lds = THREADS * sizeof(int);
  HIP(launch(&c, (const void *)reverse, one));
  HIP(launch(&c, (const void *)reverse, one));
  expect_scaled("twice reversed", 3);
  c.grid = dim3(1 << 20); // more blocks than are resident at once
  if (launch(&c, (const void *)scale, arguments) != hipErrorCooperativeLaunchTooLarge)
    DIFFERS("a cooperative launch of %u blocks is not too large", c.grid.x);
  attributes[0].id = 4; // cluster
  attributes[0].value.cluster[0] = attributes[0].value.cluster[1] = attributes[0].value.cluster[2] =
      1;
  c.grid = dim3(BLOCKS);
  start();
  HIP(launch(&c, (const void *)scale, arguments));
  expect_scaled("clusters of one block", 3);
}

static void by_handle(void) {
  const auto handle_of = CALL(hipError_t(*)(hipFunction_t *, const void *), hipGetFuncBySymbol);
  const auto launch =
      CALL(hipError_t(*)(const DriverConfiguration *, hipFunction_t, void **, void **),
           hipDrvLaunchKernelEx);
  hipFunction_t function = NULL;
  int factor = 5;
  void *arguments[] = {&device_values, &factor};
  HIP(handle_of(&function, (const void *)scale));
  const DriverConfiguration c = {{BLOCKS, 1, 1}, {THREADS, 1, 1}, 0, NULL, NULL, 0};
  start();
  HIP(launch(&c, function, arguments, NULL));
  expect_scaled("hipDrvLaunchKernelEx", 5);
}

static void in_three_calls(void) {
  const auto configure = CALL(hipError_t(*)(dim3, dim3, size_t, hipStream_t), hipConfigureCall);
  const auto give = CALL(hipError_t(*)(const void *, size_t, size_t), hipSetupArgument);
  const auto launch = CALL(hipError_t(*)(const void *), hipLaunchByPtr);
  const int factor = 7;
  start();
  HIP(configure(dim3(BLOCKS), dim3(THREADS), 0, NULL));
  HIP(give(&device_values, sizeof device_values, 0));
  HIP(give(&factor, sizeof factor, sizeof device_values));
  HIP(launch((const void *)scale));
  expect_scaled("hipLaunchByPtr", 7);
}

// As templates of older headers launch.
namespace hip_impl {
void hipLaunchKernelGGLImpl(std::uintptr_t function, const dim3 &grid, const dim3 &block,
                            std::uint32_t lds, hipStream_t stream, void **extra);
}

static void packed(void) {
  struct {
    int *values;
    int factor;
  } arguments = {device_values, 8};
  size_t size = sizeof arguments;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  start();
  hip_impl::hipLaunchKernelGGLImpl((std::uintptr_t)scale, dim3(BLOCKS), dim3(THREADS), 0, NULL,
                                   extra);
  HIP(hipGetLastError());
  expect_scaled("hipLaunchKernelGGLImpl", 8);
}

static void room_for_lds(void) {
  const auto room = CALL(hipError_t(*)(size_t *, const void *, int, int),
                         hipOccupancyAvailableDynamicSMemPerBlock);
  size_t bytes = 0;
  int blocks = 0;
  HIP(room(&bytes, (const void *)reverse, 4, THREADS));
  if (bytes != 64 * 1024 / 4)
    DIFFERS("each of 4 blocks has %zu bytes of LDS, not a quarter of 64 KiB", bytes);
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)reverse, THREADS, bytes));
  if (blocks != 4)
    DIFFERS("with so much LDS there are %d blocks", blocks);
}

int main(void) {
  device_values = (int *)to_device(NULL, N * sizeof(int));
  with_attributes();
  by_handle();
  in_three_calls();
  packed();
  room_for_lds();
  return verdict();
}
