// Registration as the constructors of a hipcc program do it: kernels and variables by host address,
// loaded at first use.
#include "runtime_test.h"

#include <pthread.h>
#include <unistd.h>

extern void **__hipRegisterFatBinary(const void *wrapper);
extern void __hipUnregisterFatBinary(void **module);
extern void __hipRegisterFunction(void **module, const void *host, char *device_name,
                                  const char *name, unsigned limit, void *thread, void *block,
                                  dim3 *block_dim, dim3 *grid_dim, int *wavefront);
extern void __hipRegisterVar(void **module, void *host, char *host_name, char *name, int external,
                             size_t size, int constant, int global);
extern void __hipRegisterManagedVar(void *module, void **pointer, void *initial, const char *name,
                                    size_t size, unsigned align);

static char add_one, count_managed, absent, counter,
    factors; // their addresses stand for kernels and variables
static int *managed;

// What hipcc's constructor does with the code object, its bytes changed first if a test asks for
// it.
static void **register_program(void (*change)(char *bytes, size_t size)) {
  static struct {
    uint32_t magic, version;
    const void *image;
    void *unused;
  } wrapper = {0x48495046, 1, NULL, NULL};
  size_t size;
  char *bytes = kernel_file(&size); // stays: a program's image does
  if (change)
    change(bytes, size);
  wrapper.image = bytes;
  void **module = __hipRegisterFatBinary(&wrapper);
  __hipRegisterFunction(module, &add_one, "add_one", "add_one", -1, NULL, NULL, NULL, NULL, NULL);
  __hipRegisterFunction(module, &count_managed, "count_managed", "count_managed", -1, NULL, NULL,
                        NULL, NULL, NULL);
  __hipRegisterFunction(module, &absent, "_Z6absenti", "_Z6absenti", -1, NULL, NULL, NULL, NULL,
                        NULL);
  __hipRegisterVar(module, &counter, "counter", "counter", 0, 4, 0, 0);
  __hipRegisterVar(module, &factors, "factors", "factors", 0, 32, 1, 0);
  return module;
}

static const dim3 one = {1, 1, 1};

// As the stub of kernel<<<1, 64>>>(values, n).
static hipError_t launch_add_one(int *values, int n) {
  dim3 grid, block;
  size_t lds;
  hipStream_t stream;
  void *arguments[] = {&values, &n};
  SUCCEEDS(__hipPushCallConfiguration(one, (dim3){64, 1, 1}, 0, NULL));
  SUCCEEDS(__hipPopCallConfiguration(&grid, &block, &lds, &stream));
  return hipLaunchKernel(&add_one, grid, block, arguments, lds, stream);
}

Test(runtime_register, a_program_launches_its_kernels) {
  int values[2] = {3, 9}, *device = device_allocation(sizeof values);
  register_program(NULL);
  SUCCEEDS(hipMemcpy(device, values, sizeof values, hipMemcpyHostToDevice));
  SUCCEEDS(launch_add_one(device, 2));
  SUCCEEDS(hipMemcpy(values, device, sizeof values, hipMemcpyDeviceToHost));
  cr_assert(all(eq(int, values[0], 4), eq(int, values[1], 10)));
}

// A call in three parts has its configuration where <<<>>> has it.
Test(runtime_register, a_kernel_is_launched_in_three_calls) {
  int n = 1, value = 3, *device = device_allocation(sizeof value);
  dim3 grid, block;
  size_t lds;
  hipStream_t stream;
  register_program(NULL);
  SUCCEEDS(hipMemcpy(device, &value, sizeof value, hipMemcpyHostToDevice));
  for (int pushed = 0; pushed < 2; pushed++) {
    SUCCEEDS(pushed ? __hipPushCallConfiguration(one, one, 0, NULL)
                    : hipConfigureCall(one, one, 0, NULL));
    SUCCEEDS(hipSetupArgument(&device, sizeof device, 0));
    SUCCEEDS(hipSetupArgument(&n, sizeof n, sizeof device));
    SUCCEEDS(hipLaunchByPtr(&add_one));
  }
  SUCCEEDS(hipMemcpy(&value, device, sizeof value, hipMemcpyDeviceToHost));
  cr_assert(eq(int, value, 5));
  GIVES(hipErrorMissingConfiguration, hipLaunchByPtr(&add_one));
  SUCCEEDS(hipConfigureCall((dim3){16, 8, 1}, one, 1024, NULL));
  SUCCEEDS(__hipPopCallConfiguration(&grid, &block, &lds, &stream));
  cr_assert(all(eq(u32, grid.y, 8), eq(sz, lds, 1024)));
  SUCCEEDS(hipConfigureCall(one, one, 0, NULL));
  GIVES(hipErrorInvalidDeviceFunction, hipLaunchByPtr(NULL));
}

Test(runtime_register, configurations_nest) {
  dim3 grid, block;
  size_t lds;
  hipStream_t stream;
  SUCCEEDS(__hipPushCallConfiguration((dim3){1, 2, 3}, one, 7, NULL));
  SUCCEEDS(__hipPushCallConfiguration((dim3){4, 5, 6}, one, 8, hipStreamPerThread));
  SUCCEEDS(__hipPopCallConfiguration(&grid, &block, &lds, &stream));
  cr_assert(all(eq(u32, grid.z, 6), eq(sz, lds, 8), eq(ptr, stream, hipStreamPerThread)));
  SUCCEEDS(__hipPopCallConfiguration(&grid, &block, &lds, &stream));
  cr_assert(all(eq(u32, grid.z, 3), eq(sz, lds, 7), eq(ptr, stream, NULL)));
  GIVES(hipErrorMissingConfiguration, __hipPopCallConfiguration(&grid, &block, &lds, &stream));
}

Test(runtime_register, variables_are_copied_in_part_and_whole) {
  double four[4] = {0}, half[2] = {20, 30};
  void *address;
  size_t size;
  register_program(NULL);
  SUCCEEDS(hipMemcpyToSymbol(&factors, half, sizeof half, 8, hipMemcpyHostToDevice));
  GIVES(hipErrorInvalidMemcpyDirection,
        hipMemcpyToSymbol(&factors, half, sizeof half, 8, hipMemcpyDeviceToHost));
  GIVES(hipErrorInvalidMemcpyDirection,
        hipMemcpyFromSymbol(four, &factors, sizeof four, 0, hipMemcpyHostToDevice));
  SUCCEEDS(hipMemcpyFromSymbol(four, &factors, sizeof four, 0, hipMemcpyDeviceToHost));
  cr_assert(
      all(eq(dbl, four[0], 1), eq(dbl, four[1], 20), eq(dbl, four[2], 30), eq(dbl, four[3], 4)));
  SUCCEEDS(hipGetSymbolSize(&size, &factors));
  cr_assert(eq(sz, size, 32));
  SUCCEEDS(hipGetSymbolAddress(&address, &counter));
  SUCCEEDS(hipMemset(address, 0, 4));
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue,
        hipMemcpyToSymbol(&factors, half, sizeof half, 17, hipMemcpyHostToDevice));
  GIVES(hipErrorInvalidValue,
        hipMemcpyToSymbol(&factors, half, sizeof half, SIZE_MAX - 4, hipMemcpyHostToDevice));
  GIVES(hipErrorInvalidSymbol,
        hipMemcpyToSymbol(&absent, half, sizeof half, 0, hipMemcpyHostToDevice));
  GIVES(hipErrorInvalidSymbol, hipGetSymbolAddress(&address, NULL));
  SAYS(said(), "16 bytes at offset 17 exceed the variable's 32 bytes");
}

Test(runtime_register, managed_variables_are_one_memory) {
  int initial = 5;
  void **module = register_program(NULL);
  __hipRegisterManagedVar(module, (void **)&managed, &initial, "managed", sizeof initial, 4);
  cr_assert(eq(int, *managed, 5));
  *managed = 10;
  SUCCEEDS(hipLaunchKernel(&count_managed, one, one, NULL, 0, NULL));
  SUCCEEDS(hipDeviceSynchronize());
  cr_assert(eq(int, *managed, 11));
}

Test(runtime_register, a_program_without_gfx90a_code_says_which_flag_to_add) {
  int *device = device_allocation(4);
  cr_redirect_stderr();
  register_program(retarget); // no error before the first use
  SUCCEEDS(hipDeviceSynchronize());
  GIVES(hipErrorNoBinaryForGpu, launch_add_one(device, 1));
  GIVES(hipErrorNoBinaryForGpu, hipGetLastError());
  GIVES(hipErrorNoBinaryForGpu, launch_add_one(device, 1));
  SAYS(said(), "--offload-arch=gfx90a");
}

static void corrupt(char *bytes, size_t size) {
  for (char *at = bytes; at + 4 < bytes + size; at++)
    if (memcmp(at, "\177ELF", 4) == 0)
      at[0] = 'X';
}

Test(runtime_register, corrupt_code_is_an_invalid_image) {
  int *device = device_allocation(4);
  cr_redirect_stderr();
  register_program(corrupt);
  GIVES(hipErrorInvalidImage, launch_add_one(device, 1));
  SAYS(said(), "emulator: hipLaunchKernel: ");
}

Test(runtime_register, unknown_kernels_and_wrappers) {
  hipFuncAttributes attributes;
  struct {
    uint32_t magic, version;
  } wrong = {1, 1};
  cr_redirect_stderr();
  cr_assert(eq(ptr, __hipRegisterFatBinary(&wrong), NULL));
  __hipRegisterFunction(NULL, &absent, "_Z6absenti", "_Z6absenti", -1, NULL, NULL, NULL, NULL,
                        NULL);
  GIVES(hipErrorInvalidDeviceFunction, hipLaunchKernel(&absent, one, one, NULL, 0, NULL));
  void **module = register_program(NULL);
  GIVES(hipErrorInvalidDeviceFunction, hipLaunchKernel(&absent, one, one, NULL, 0, NULL));
  GIVES(hipErrorInvalidDeviceFunction, hipLaunchKernel(&counter, one, one, NULL, 0, NULL));
  GIVES(hipErrorInvalidDeviceFunction, hipFuncGetAttributes(&attributes, &counter));
  __hipRegisterVar(module, &absent, "hidden", "_ZN12_GLOBAL__N_16hiddenE", 0, 4, 0, 0);
  GIVES(hipErrorInvalidSymbol, hipMemcpyToSymbol(&absent, &one, 4, 0, hipMemcpyHostToDevice));
  const char *text = said();
  SAYS(text, "holds no variable (anonymous namespace)::hidden. Compilers leave out what stands");
  SAYS(text, "magic 0x1 and version 1");
  SAYS(text, "is not the address of a __global__ function");
  SAYS(text, "holds no kernel absent(int)");
}

Test(runtime_register, attributes_and_occupancy_by_host_address) {
  hipFuncAttributes attributes;
  int blocks = 0, grid, block;
  register_program(NULL);
  SUCCEEDS(hipFuncGetAttributes(&attributes, &add_one));
  cr_assert(
      all(eq(int, attributes.maxThreadsPerBlock, 1024), zero(sz, attributes.sharedSizeBytes)));
  SUCCEEDS(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &add_one, 1024, 0));
  cr_assert(eq(int, blocks, 2));
  SUCCEEDS(hipOccupancyMaxPotentialBlockSize(&grid, &block, &add_one, 0, 0));
  cr_assert(eq(int, block, 1024));
}

// hipLaunchAttribute and hipLaunchConfig_t of 6.5.
typedef struct {
  int id;
  union {
    char bytes[64];
    unsigned cluster[3];
  } __attribute__((aligned(8))) value;
} LaunchAttribute;
typedef struct {
  dim3 grid, block;
  size_t lds;
  hipStream_t stream;
  const LaunchAttribute *attributes;
  unsigned count;
} LaunchConfiguration;
hipError_t hipOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                               const LaunchConfiguration *configuration);
hipError_t hipOccupancyMaxActiveClusters(int *clusters, const void *function,
                                         const LaunchConfiguration *configuration);

// As clr's hip_platform.cpp has it for devices whose largest cluster is one block.
Test(runtime_register, a_cluster_is_one_block) {
  enum { CLUSTER = 4, INVALID_CLUSTER = 1054, MOST_OF_AN_ENGINE = 15, ENGINES = 8, CUS = 13 };
  LaunchAttribute cluster = {.id = CLUSTER, .value.cluster = {1, 1, 1}};
  LaunchConfiguration launch = {{8, 1, 1}, {1024, 1, 1}, 0, NULL, &cluster, 1};
  int size = 9, clusters = 9;
  register_program(NULL);
  SUCCEEDS(hipOccupancyMaxPotentialClusterSize(&size, &add_one, &launch));
  SUCCEEDS(hipOccupancyMaxActiveClusters(&clusters, &add_one, &launch));
  cr_assert(all(eq(int, size, 1), eq(int, clusters, MOST_OF_AN_ENGINE *ENGINES)));
  launch.lds = 65536; // one block a compute unit
  SUCCEEDS(hipOccupancyMaxPotentialClusterSize(&size, &add_one, &launch));
  SUCCEEDS(hipOccupancyMaxActiveClusters(&clusters, &add_one, &launch));
  cr_assert(all(eq(int, size, 1), eq(int, clusters, CUS *ENGINES)));
  launch.lds = 65537; // none
  SUCCEEDS(hipOccupancyMaxPotentialClusterSize(&size, &add_one, &launch));
  SUCCEEDS(hipOccupancyMaxActiveClusters(&clusters, &add_one, &launch));
  cr_assert(all(zero(int, size), zero(int, clusters)));
  launch.lds = 0, launch.block.x = 1025;
  GIVES(hipErrorInvalidValue, hipOccupancyMaxPotentialClusterSize(&size, &add_one, &launch));
  GIVES(hipErrorInvalidValue, hipOccupancyMaxActiveClusters(&clusters, &add_one, &launch));
  launch.block.x = 64, cluster.value.cluster[1] = 2;
  cr_assert(
      eq(int, (int)hipOccupancyMaxActiveClusters(&clusters, &add_one, &launch), INVALID_CLUSTER));
  launch.count = 0; // of which nothing is said
  cr_assert(
      eq(int, (int)hipOccupancyMaxActiveClusters(&clusters, &add_one, &launch), INVALID_CLUSTER));
  cr_assert(eq(int, (int)hipGetLastError(), INVALID_CLUSTER));
  GIVES(hipErrorInvalidDeviceFunction,
        hipOccupancyMaxPotentialClusterSize(&size, &counter, &launch));
  GIVES(hipErrorInvalidDeviceFunction, hipOccupancyMaxActiveClusters(&size, &counter, &launch));
  GIVES(hipErrorInvalidValue, hipOccupancyMaxActiveClusters(NULL, &add_one, &launch));
  GIVES(hipErrorInvalidValue, hipOccupancyMaxPotentialClusterSize(&size, &add_one, NULL));
}

Test(runtime_register, launches_on_several_devices_know_two_flags) {
  hipStream_t stream = NULL;
  int *device = device_allocation(4), count = 1, value = 0;
  void *arguments[] = {&device, &count};
  register_program(NULL);
  SUCCEEDS(hipStreamCreate(&stream));
  SUCCEEDS(hipMemset(device, 0, 4));
  hipLaunchParams one = {.func = (void *)&add_one,
                         .gridDim = {1, 1, 1},
                         .blockDim = {64, 1, 1},
                         .args = arguments,
                         .stream = stream};
  SUCCEEDS(hipExtLaunchMultiKernelMultiDevice(&one, 1, 3));
  GIVES(hipErrorInvalidValue, hipExtLaunchMultiKernelMultiDevice(&one, 1, 4));
  GIVES(hipErrorInvalidValue, hipLaunchCooperativeKernelMultiDevice(&one, 1, 999));
  SUCCEEDS(hipStreamSynchronize(stream));
  SUCCEEDS(hipMemcpy(&value, device, 4, hipMemcpyDeviceToHost));
  cr_assert(eq(int, value, 1), "launched once");
}

// With HIP_TEMPLATE_KERNEL_LAUNCH: the stream says where, whose kernel has the same address of the host.
Test(runtime_register, a_template_is_launched_on_the_streams_device) {
  extern void launch_template(uintptr_t, const dim3 *, const dim3 *, uint32_t, hipStream_t,
                              void **) __asm__("_ZN8hip_impl22hipLaunchKernelGGLImplEmRK"
                                               "4dim3S2_jP12ihipStream_tPPv");
  setenv("EMULATOR_DEVICES", "2", 1);
  hipStream_t there;
  int value = 3;
  register_program(NULL);
  SUCCEEDS(hipSetDevice(1));
  SUCCEEDS(hipStreamCreate(&there));
  struct {
    int *values;
    int n;
  } packed = {device_allocation(4), 1};
  size_t size = sizeof packed;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  SUCCEEDS(hipMemcpy(packed.values, &value, 4, hipMemcpyHostToDevice));
  SUCCEEDS(hipSetDevice(0));
  launch_template((uintptr_t)&add_one, &one, &one, 0, there, extra);
  SUCCEEDS(hipGetLastError());
  SUCCEEDS(hipMemcpy(&value, packed.values, 4, hipMemcpyDeviceToHost));
  cr_assert(eq(int, value, 4));
}

Test(runtime_register, cooperative_launches_with_more_lds_than_there_is_are_too_large) {
  int *device = device_allocation(4), n = 1;
  void *arguments[] = {&device, &n};
  register_program(NULL);
  cr_redirect_stderr();
  GIVES(hipErrorCooperativeLaunchTooLarge,
        hipLaunchCooperativeKernel(&add_one, one, one, arguments, 65537, NULL));
  GIVES(hipErrorInvalidValue, hipLaunchKernel(&add_one, one, one, arguments, 65537, NULL));
  SAYS(said(), "hipLaunchCooperativeKernel: launch of add_one: 65537 bytes of dynamic");
}

// But for streams and arguments they are one launch.
Test(runtime_register, launches_on_several_devices_are_alike) {
  setenv("EMULATOR_DEVICES", "2", 1);
  cr_redirect_stderr();
  int *memory[2], n = 1;
  void *arguments[2][2] = {{&memory[0], &n}, {&memory[1], &n}};
  hipLaunchParams list[2], other;
  register_program(NULL);
  for (int i = 0; i < 2; i++) {
    list[i] = (hipLaunchParams){
        .func = (void *)&add_one, .gridDim = one, .blockDim = {64, 1, 1}, .args = arguments[i]};
    SUCCEEDS(hipSetDevice(i));
    SUCCEEDS(hipStreamCreate(&list[i].stream));
    memory[i] = device_allocation(4);
  }
  SUCCEEDS(hipExtLaunchMultiKernelMultiDevice(list, 2, 0));
  SUCCEEDS(hipLaunchCooperativeKernelMultiDevice(list, 2, 0));
  GIVES(hipErrorInvalidValue, hipLaunchCooperativeKernelMultiDevice(list, 3, 0));
  other = list[1];
#define DIFFERENT(...)                                                                             \
  list[1] = other, list[1].__VA_ARGS__;                                                            \
  GIVES(hipErrorInvalidValue, hipExtLaunchMultiKernelMultiDevice(list, 2, 0));                     \
  GIVES(hipErrorInvalidValue, hipLaunchCooperativeKernelMultiDevice(list, 2, 0))
  DIFFERENT(func = (void *)&count_managed);
  DIFFERENT(gridDim.z = 2);
  DIFFERENT(blockDim.y = 2);
  DIFFERENT(sharedMem = 4);
#undef DIFFERENT
  SAYS(said(), "differs from the first in its kernel, grid, block or LDS");
  list[1] = other;
  SUCCEEDS(hipStreamBeginCapture(list[0].stream, hipStreamCaptureModeRelaxed));
  GIVES(hipErrorStreamCaptureUnsupported, hipLaunchCooperativeKernelMultiDevice(list, 2, 0));
  hipGraph_t graph;
  (void)hipStreamEndCapture(list[0].stream, &graph);
  list[1].stream = list[0].stream; // is told before
  GIVES(hipErrorInvalidDevice, hipExtLaunchMultiKernelMultiDevice(list, 2, 0));
}

// Of a copy to or from a variable an executable graph keeps the direction and the devices.
Test(runtime_register, executable_graphs_copy_variables_as_they_did) {
  setenv("EMULATOR_DEVICES", "2", 1);
  const hipMemcpyKind kind = hipMemcpyDefault;
  int *memory[2], *beside, value = 5;
  hipGraph_t graph;
  hipGraphNode_t to, from;
  hipGraphExec_t exec;
  register_program(NULL);
  beside = device_allocation(4);
  for (int i = 1; i >= 0; i--) {
    SUCCEEDS(hipSetDevice(i));
    memory[i] = device_allocation(4);
  }
  SUCCEEDS(hipMemcpy(beside, &value, 4, hipMemcpyHostToDevice));
  SUCCEEDS(hipGraphCreate(&graph, 0));
  SUCCEEDS(hipGraphAddMemcpyNodeToSymbol(&to, graph, NULL, 0, &counter, memory[0], 4, 0, kind));
  SUCCEEDS(hipGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, memory[0], &counter, 4, 0, kind));
  SUCCEEDS(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  for (int i = 0; i < 2; i++) {
    int *there = memory[i];
    const hipMemcpyKind then = i == 0 ? hipMemcpyDeviceToDevice : kind;
    GIVES(hipErrorInvalidValue,
          hipGraphExecMemcpyNodeSetParamsToSymbol(exec, to, &counter, there, 4, 0, then));
    GIVES(hipErrorInvalidValue,
          hipGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, there, &counter, 4, 0, then));
  }
  SUCCEEDS(hipGraphExecMemcpyNodeSetParamsToSymbol(exec, to, &counter, beside, 4, 0, kind));
  SUCCEEDS(hipGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, &value, &counter, 4, 0, kind));
  value = 0;
  SUCCEEDS(hipGraphLaunch(exec, NULL));
  SUCCEEDS(hipStreamSynchronize(NULL));
  cr_assert(eq(int, value, 5));
}

static void *launch_until_it_ends(void *device) {
  while (launch_add_one(device, 1) == hipSuccess) {
  }
  return NULL;
}

// As exit() does while another thread is at work.
Test(runtime_register, a_thread_launches_while_the_program_ends, .timeout = 60) {
  setenv("EMULATOR_MODEL", "0", 1);
  int *device = device_allocation(4);
  cr_redirect_stderr();
  for (int round = 0; round < 50; round++) {
    pthread_t thread;
    void **module = register_program(NULL);
    cr_assert(pthread_create(&thread, NULL, launch_until_it_ends, device) == 0);
    usleep(500);
    __hipUnregisterFatBinary(module);
    cr_assert(pthread_join(thread, NULL) == 0);
  }
}

// Two libraries that use a kernel or variable of one header register its one address.
Test(runtime_register, of_programs_with_one_address_the_first_has_it_until_it_ends) {
  int value = 77, *device = device_allocation(4);
  void **program[4];
  for (int i = 0; i < 4; i++)
    program[i] = register_program(NULL);
  SUCCEEDS(hipMemcpyToSymbol(&counter, &value, 4, 0, hipMemcpyHostToDevice));
  __hipUnregisterFatBinary(program[1]);
  SUCCEEDS(hipMemcpyFromSymbol(&value, &counter, 4, 0, hipMemcpyDeviceToHost));
  cr_assert(eq(int, value, 77));
  __hipUnregisterFatBinary(program[0]);
  SUCCEEDS(hipMemcpyFromSymbol(&value, &counter, 4, 0, hipMemcpyDeviceToHost));
  cr_assert(ne(int, value, 77), "another program's own");
  __hipUnregisterFatBinary(program[3]);
  SUCCEEDS(launch_add_one(device, 1));
  __hipUnregisterFatBinary(program[2]);
  GIVES(hipErrorInvalidDeviceFunction, launch_add_one(device, 1));
}

Test(runtime_register, an_unregistered_program_is_forgotten) {
  int *device = device_allocation(4);
  void **module = register_program(NULL);
  SUCCEEDS(launch_add_one(device, 1));
  __hipUnregisterFatBinary(module);
  cr_redirect_stderr();
  GIVES(hipErrorInvalidDeviceFunction, launch_add_one(device, 1));
  SAYS(said(), "has ended: a destructor or a thread that goes on launches it");
  __hipUnregisterFatBinary(module);
  __hipUnregisterFatBinary(NULL);
  register_program(NULL);
  SUCCEEDS(launch_add_one(device, 1));
}
