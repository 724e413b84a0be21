// Launches of the HIP runtime: arguments, every check before a launch, and what follows a fault in
// a kernel.
#include "runtime_test.h"

#include <malloc.h>

#include <stdlib.h>

Test(runtime_launch, arguments_of_every_size_arrive) {
  uint64_t got[7] = {0}, *out = device_allocation(sizeof got);
  char c = 'x';
  short s = 1234;
  int i = 567890;
  double d = 1e15;
  float f = 65536;
  void *arguments[] = {&out, &c, &s, &i, &d, &f};
  SUCCEEDS(hipModuleLaunchKernel(kernel_named("pack"), 3, 2, 4, 5, 6, 7, 0, NULL, arguments, NULL));
  SUCCEEDS(hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost));
  const uint64_t expected[7] = {'x', 1234, 567890, 1000000000000000, 65536, 30204, 50607};
  for (int k = 0; k < 7; k++)
    cr_assert(eq(u64, got[k], expected[k]), "value %d", k);
}

Test(runtime_launch, arguments_in_one_buffer) {
  int values[3] = {5, 6, 7}, *device = device_allocation(sizeof values);
  SUCCEEDS(hipMemcpy(device, values, sizeof values, hipMemcpyHostToDevice));
  struct {
    int *values;
    int n;
  } buffer = {device, 2};
  size_t size = sizeof buffer;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &buffer, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  hipFunction_t add_one = kernel_named("add_one");
  SUCCEEDS(hipModuleLaunchKernel(add_one, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
  SUCCEEDS(hipMemcpy(values, device, sizeof values, hipMemcpyDeviceToHost));
  cr_assert(all(eq(int, values[0], 6), eq(int, values[1], 7), eq(int, values[2], 7)));

  void *parameters[] = {&device, &buffer.n};
  GIVES(hipErrorInvalidValue,
        hipModuleLaunchKernel(add_one, 1, 1, 1, 64, 1, 1, 0, NULL, parameters, extra));
  size = 11;
  GIVES(hipErrorInvalidValue,
        hipModuleLaunchKernel(add_one, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
  extra[2] = NULL;
  GIVES(hipErrorInvalidValue,
        hipModuleLaunchKernel(add_one, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
}

Test(runtime_launch, missing_arguments) {
  int *device = device_allocation(4);
  void *one_of_two[] = {&device, NULL};
  cr_redirect_stderr();
  hipFunction_t add_one = kernel_named("add_one");
  GIVES(hipErrorInvalidValue, launch(add_one, 1, 64, 0, one_of_two));
  GIVES(hipErrorInvalidValue, launch(add_one, 1, 64, 0, NULL));
  SAYS(said(), "no value for argument 2 of 2");
}

Test(runtime_launch, blocks_over_the_device_limit) {
  int *device = device_allocation(8192), n = 0;
  void *arguments[] = {&device, &n};
  hipFunction_t add_one = kernel_named("add_one");
  cr_redirect_stderr();
  SUCCEEDS(launch(add_one, 1, 1024, 0, arguments));
  GIVES(hipErrorInvalidValue, launch(add_one, 1, 1025, 0, arguments));
  GIVES(hipErrorInvalidValue,
        hipModuleLaunchKernel(add_one, 1, 1, 1, 32, 32, 2, 0, NULL, arguments, NULL));
  // 65536 * 65536 work-items are 0 in 32 bits, 2^22 * 2^22 * 2^20 are 0 in 64 bits.
  GIVES(hipErrorInvalidValue,
        hipModuleLaunchKernel(add_one, 1, 1, 1, 65536, 65536, 1, 0, NULL, arguments, NULL));
  GIVES(hipErrorInvalidValue, hipModuleLaunchKernel(add_one, 1, 1, 1, 1 << 22, 1 << 22, 1 << 20, 0,
                                                    NULL, arguments, NULL));
  SAYS(said(), "block 32 x 32 x 2 has 2048 work-items; the device takes at most 1024");
}

Test(runtime_launch, blocks_over_the_launch_bound) {
  int *device = device_allocation(4 * 128);
  void *arguments[] = {&device};
  hipFunction_t bounded = kernel_named("bounded");
  cr_redirect_stderr();
  SUCCEEDS(launch(bounded, 1, 128, 0, arguments));
  GIVES(hipErrorLaunchFailure, launch(bounded, 1, 129, 0, arguments));
  SAYS(said(), "compiled for at most 128 (__launch_bounds__)");
  SUCCEEDS(hipDeviceSynchronize()); // refused, not faulted: the device lives on
}

Test(runtime_launch, empty_grids_and_blocks) {
  int *device = device_allocation(4), n = 1;
  void *arguments[] = {&device, &n};
  hipFunction_t add_one = kernel_named("add_one");
  GIVES(hipErrorInvalidValue, launch(add_one, 0, 64, 0, arguments));
  GIVES(hipErrorInvalidValue, launch(add_one, 1, 0, 0, arguments));
  GIVES(hipErrorInvalidValue,
        hipModuleLaunchKernel(add_one, 1, 1, 0, 64, 1, 1, 0, NULL, arguments, NULL));
}

Test(runtime_launch, grids_that_do_not_fit_the_packet) {
  int *device = device_allocation(4), n = 1;
  void *arguments[] = {&device, &n};
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue, launch(kernel_named("add_one"), 1u << 26, 64, 0, arguments));
  SAYS(said(), "67108864 blocks of 64 work-items in x are 4294967296 work-items");
}

Test(runtime_launch, negative_grids) {
  int *device = device_allocation(4), n = 1;
  void *arguments[] = {&device, &n};
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue, launch(kernel_named("add_one"), -1u, 1, 0, arguments));
  GIVES(hipErrorInvalidValue, hipModuleLaunchKernel(kernel_named("add_one"), 1, 1, 1u << 31, 1, 1,
                                                    1, 0, NULL, arguments, NULL));
  SAYS(said(), "4294967295 blocks in x, which is -1 as an int");
}

Test(runtime_launch, more_lds_than_a_compute_unit_has) {
  int values[64], *device = device_allocation(sizeof values);
  void *arguments[] = {&device};
  hipFunction_t static_lds = kernel_named("static_lds");
  for (int i = 0; i < 64; i++)
    values[i] = i;
  SUCCEEDS(hipMemcpy(device, values, sizeof values, hipMemcpyHostToDevice));
  cr_redirect_stderr();
  SUCCEEDS(launch(static_lds, 1, 64, 32768, arguments));
  GIVES(hipErrorInvalidValue, launch(static_lds, 1, 64, 32769, arguments));
  GIVES(hipErrorInvalidValue, launch(static_lds, 1, 64, UINT32_MAX, arguments));
  SAYS(said(), "32769 bytes of dynamic and 32768 bytes of static LDS exceed the 65536 bytes");
  SUCCEEDS(hipMemcpy(values, device, sizeof values, hipMemcpyDeviceToHost));
  cr_assert(eq(int, values[0], 63), "only the first launch ran");
}

Test(runtime_launch, unknown_functions_and_streams) {
  int here = 0, *device = device_allocation(4), n = 1;
  void *arguments[] = {&device, &n};
  hipFunction_t add_one = kernel_named("add_one");
  GIVES(hipErrorInvalidHandle, launch(NULL, 1, 64, 0, arguments));
  GIVES(hipErrorInvalidHandle, launch((hipFunction_t)&here, 1, 64, 0, arguments));
  GIVES(hipErrorInvalidDeviceFunction,
        hipLaunchKernel(&here, (dim3){1, 1, 1}, (dim3){64, 1, 1}, arguments, 0, NULL));
  GIVES(hipErrorContextIsDestroyed,
        hipModuleLaunchKernel(add_one, 1, 1, 1, 64, 1, 1, 0, (hipStream_t)&here, arguments, NULL));
  GIVES(hipErrorInvalidValue,
        hipLaunchKernel(&here, (dim3){1, 1, 1}, (dim3){64, 1, 1}, arguments, 0, (hipStream_t)&n));
}

// HIP_LAUNCH_CONFIG of ROCm 6.5.
typedef struct {
  unsigned grid[3], block[3], lds;
  hipStream_t stream;
  const void *attributes;
  unsigned count;
} Configuration;
hipError_t hipDrvLaunchKernelEx(const Configuration *configuration, hipFunction_t function,
                                void **parameters, void **extra);

Test(runtime_launch, wrong_configurations_and_wrong_values) {
  int *device = device_allocation(4), n = 1;
  void *arguments[] = {&device, &n};
  hipFunction_t add_one = kernel_named("add_one");
  Configuration c = {.grid = {1, 0, 1}, .block = {64, 1, 1}};
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue,
        hipModuleLaunchKernel(add_one, 1, 0, 1, 64, 1, 1, 0, NULL, arguments, NULL));
  GIVES(hipErrorInvalidConfiguration, hipDrvLaunchKernelEx(&c, add_one, arguments, NULL));
}

Test(runtime_launch, functions_of_an_unloaded_module) {
  hipModule_t module;
  hipFunction_t function;
  int *device = device_allocation(4), n = 1;
  void *arguments[] = {&device, &n};
  SUCCEEDS(hipModuleLoad(&module, RUNTIME_KERNELS));
  SUCCEEDS(hipModuleGetFunction(&function, module, "add_one"));
  SUCCEEDS(hipModuleUnload(module));
  GIVES(hipErrorInvalidHandle, launch(function, 1, 64, 0, arguments));
}

// A fault shows from the next call on, sticks, and is gone after hipDeviceReset.
static void expect_fault(const char *kernel, void **arguments, hipError_t code) {
  int host = 0, *device = device_allocation(sizeof host);
  hipFunction_t function = kernel_named(kernel);
  SUCCEEDS(launch(function, 1, 1, 0, arguments));
  GIVES(code, hipDeviceSynchronize());
  GIVES(code, hipGetLastError());
  GIVES(code, hipPeekAtLastError());
  GIVES(code, hipMemcpy(&host, device, sizeof host, hipMemcpyDeviceToHost));
  GIVES(code, launch(function, 1, 1, 0, arguments));
  GIVES(code, hipFree(device));
  SUCCEEDS(hipDeviceReset());
  SUCCEEDS(hipDeviceSynchronize());
  SUCCEEDS(hipGetLastError());
}

// Waves so long that they are looked at, on two threads of the host, of which one ends with its launch.
Test(runtime_launch, host_threads_leave_no_memory_behind, .timeout = 60) {
  enum { BLOCKS = 8, LAUNCHES = 32, DRAWS = 20000, FEW = 1 << 20 };
  setenv("EMULATOR_THREADS", "2", 1);
  setenv("EMULATOR_TRANSLATE", "0", 1);
  hipFunction_t kernel = kernel_named("draws");
  void *values = device_allocation(64 * 4);
  int draws = DRAWS;
  size_t held[2] = {0};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < LAUNCHES; k++)
      SUCCEEDS(launch(kernel, BLOCKS, 64, 0, (void *[]){&values, &draws}));
    SUCCEEDS(hipDeviceSynchronize());
    const struct mallinfo2 now = mallinfo2();
    held[i] = now.uordblks + now.hblkhd;
  }
  cr_assert(lt(sz, held[1], held[0] + FEW));
}

Test(runtime_launch, an_illegal_address_sticks) {
  int *inside = device_allocation(16), *outside = inside + 4096; // on no page of its own
  void *arguments[] = {&outside};
  cr_redirect_stderr();
  expect_fault("stray", arguments, hipErrorIllegalAddress);
  const char *text = said();
  SAYS(text, "kernel stray");
  SAYS(text, "hipErrorIllegalAddress until hipDeviceReset()");
}

Test(runtime_launch, an_endless_loop_times_out, .timeout = 60) {
  setenv("EMULATOR_INSTRUCTION_BUDGET", "100000", 1);
  int *device = device_allocation(4);
  void *arguments[] = {&device};
  cr_redirect_stderr();
  expect_fault("endless", arguments, hipErrorLaunchTimeOut);
}

Test(runtime_launch, a_trap_is_a_launch_failure) {
  cr_redirect_stderr();
  setenv("HIP_SKIP_ABORT_ON_GPU_ERROR", "1", 1); // else it ends the process
  expect_fault("trap", NULL, hipErrorLaunchFailure);
}

// Source: hip-tests, module/hipModuleLaunchCooperativeKernel.cc.
Test(runtime_launch, cooperative_launches_of_modules_know_wrong_values) {
  extern hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t, unsigned, unsigned, unsigned,
                                                     unsigned, unsigned, unsigned, unsigned,
                                                     hipStream_t, void **);
  hipFunction_t function = kernel_named("trap");
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue,
        hipModuleLaunchCooperativeKernel(function, 0, 1, 1, 1, 1, 1, 0, NULL, NULL));
  GIVES(hipErrorInvalidValue,
        hipModuleLaunchCooperativeKernel(function, 1, 1, 1, 1, 1, 0, 0, NULL, NULL));
  GIVES(hipErrorInvalidValue,
        hipModuleLaunchCooperativeKernel(function, 1, 1, 1, 1025, 1, 1, 0, NULL, NULL));
  GIVES(hipErrorInvalidValue,
        hipModuleLaunchCooperativeKernel(function, 1, 1, 1, 1, 1, 1, 65537, NULL, NULL));
  GIVES(hipErrorCooperativeLaunchTooLarge,
        hipModuleLaunchCooperativeKernel(function, 1 << 20, 1, 1, 1, 1, 1, 65536, NULL, NULL));
  const char *text = said();
  SAYS(text, "65537 bytes of dynamic and 0 bytes of static LDS exceed the 65536 bytes");
  SAYS(text, "all blocks must be resident at once");
}

// The stream's device is looked at before the arguments.
Test(runtime_launch, a_module_runs_where_it_was_loaded) {
  setenv("EMULATOR_DEVICES", "2", 1);
  cr_redirect_stderr();
  hipFunction_t here = kernel_named("add_one");
  hipStream_t there;
  SUCCEEDS(hipSetDevice(1));
  SUCCEEDS(hipStreamCreate(&there));
  hipFunction_t beside = kernel_named("add_one");
  int n = 1, value = 4, *memory = device_allocation(4);
  void *none[5] = {NULL}, *arguments[] = {&memory, &n};
  SUCCEEDS(hipMemcpy(memory, &value, 4, hipMemcpyHostToDevice));
  SUCCEEDS(hipSetDevice(0));
  GIVES(hipErrorInvalidHandle, hipModuleLaunchKernel(here, 1, 1, 1, 1, 1, 1, 0, there, NULL, none));
  GIVES(hipErrorInvalidValue,
        hipModuleLaunchKernel(beside, 1, 1, 1, 1, 1, 1, 0, there, NULL, none));
  SUCCEEDS(hipModuleLaunchKernel(beside, 1, 1, 1, 1, 1, 1, 0, there, arguments, NULL));
  SUCCEEDS(hipMemcpy(&value, memory, 4, hipMemcpyDeviceToHost));
  cr_assert(eq(int, value, 5));
  SAYS(said(), "its module was loaded on device 0, and the stream is of device 1");
}

Test(runtime_launch, older_calls_count_the_grid_in_work_items) {
  // C++ names in the library; declared here under the symbols that C++ programs import.
  extern hipError_t launch_items(
      hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t,
      hipStream_t, void **, void **, hipEvent_t, hipEvent_t,
      uint32_t) __asm__("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_"
                        "tPPvS4_P11ihipEvent_tS6_j");
  int values[130] = {0}, n = 130, *device = device_allocation(sizeof values);
  void *arguments[] = {&device, &n};
  hipEvent_t start, stop;
  float milliseconds = -1;
  SUCCEEDS(hipEventCreate(&start));
  SUCCEEDS(hipEventCreate(&stop));
  SUCCEEDS(launch_items(kernel_named("add_one"), 128, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL,
                        start, stop, 0));
  SUCCEEDS(hipMemcpy(values, device, sizeof values, hipMemcpyDeviceToHost));
  cr_assert(all(eq(int, values[127], 1), eq(int, values[128], 0)));
  SUCCEEDS(hipEventSynchronize(stop));
  SUCCEEDS(hipEventElapsedTime(&milliseconds, start, stop));
  cr_assert(lt(flt, 0, milliseconds));
  GIVES(hipErrorInvalidValue, launch_items(kernel_named("add_one"), 0, 1, 1, 64, 1, 1, 0, NULL,
                                           arguments, NULL, NULL, NULL, 0));
  GIVES(hipErrorInvalidConfiguration, launch_items(kernel_named("add_one"), 64, 1, 1, 0, 1, 1, 0,
                                                   NULL, arguments, NULL, NULL, NULL, 0));

  // The last block along x has 100 - 64 work-items, that along y 2 of 4.
  int seen[3][6][100] = {0};
  void *counts = device_allocation(sizeof seen), *other[] = {&counts};
  SUCCEEDS(launch_items(kernel_named("count_items"), 100, 6, 3, 64, 4, 1, 0, NULL, other, NULL,
                        NULL, NULL, 0));
  SUCCEEDS(hipMemcpy(seen, counts, sizeof seen, hipMemcpyDeviceToHost));
  for (int z = 0; z < 3; z++)
    for (int y = 0; y < 6; y++)
      for (int x = 0; x < 100; x++)
        cr_assert(eq(int, seen[z][y][x], 1), "work-item (%d, %d, %d)", x, y, z);
}

Test(runtime_launch, wishes_about_a_kernel_must_be_possible) {
  cr_redirect_stderr();
  GIVES(hipErrorInvalidDeviceFunction,
        hipFuncSetAttribute(NULL, hipFuncAttributePreferredSharedMemoryCarveout, 50));
  GIVES(hipErrorInvalidDeviceFunction, hipFuncSetCacheConfig(NULL, hipFuncCachePreferL1));
  GIVES(hipErrorInvalidDeviceFunction,
        hipFuncSetSharedMemConfig(NULL, hipSharedMemBankSizeFourByte));
  // Of the function ROCm knows no more here than that it is one.
  SUCCEEDS(hipFuncSetCacheConfig("any", hipFuncCachePreferEqual));
  GIVES(hipErrorInvalidValue, hipFuncSetCacheConfig("any", (hipFuncCache_t)4));
  GIVES(hipErrorInvalidValue, hipFuncSetCacheConfig("any", (hipFuncCache_t)-1));
  SUCCEEDS(hipFuncSetSharedMemConfig("any", hipSharedMemBankSizeEightByte));
  GIVES(hipErrorInvalidValue, hipFuncSetSharedMemConfig("any", (hipSharedMemConfig)3));
  GIVES(hipErrorInvalidValue, hipFuncSetSharedMemConfig("any", (hipSharedMemConfig)-1));
}

// hipFunctionLaunchParams of ROCm 5.5.
typedef struct {
  hipFunction_t function;
  unsigned grid[3], block[3], lds;
  hipStream_t stream;
  void **parameters;
} FunctionParameters;
hipError_t hipModuleLaunchCooperativeKernelMultiDevice(const FunctionParameters *list,
                                                       unsigned count, unsigned flags);

Test(runtime_launch, functions_of_modules_on_several_devices) {
  setenv("EMULATOR_DEVICES", "2", 1);
  int *memory[2], n = 64, back[64];
  void *arguments[2][2] = {{&memory[0], &n}, {&memory[1], &n}};
  FunctionParameters list[2];
  cr_redirect_stderr();
  for (int i = 0; i < 2; i++) {
    SUCCEEDS(hipSetDevice(i));
    list[i] =
        (FunctionParameters){kernel_named("add_one"), {1, 1, 1}, {64, 1, 1}, 0, NULL, arguments[i]};
    SUCCEEDS(hipStreamCreate(&list[i].stream));
    memory[i] = device_allocation(sizeof back);
    SUCCEEDS(hipMemset(memory[i], 0, sizeof back));
  }
  SUCCEEDS(hipModuleLaunchCooperativeKernelMultiDevice(list, 2, 0));
  for (int i = 0; i < 2; i++) {
    SUCCEEDS(hipStreamSynchronize(list[i].stream));
    SUCCEEDS(hipMemcpy(back, memory[i], sizeof back, hipMemcpyDeviceToHost));
    cr_assert(all(eq(int, back[0], 1), eq(int, back[63], 1)));
  }
  GIVES(hipErrorInvalidValue, hipModuleLaunchCooperativeKernelMultiDevice(list, 2, 999));
  GIVES(hipErrorInvalidValue, hipModuleLaunchCooperativeKernelMultiDevice(list, 0, 0));
  GIVES(hipErrorInvalidValue, hipModuleLaunchCooperativeKernelMultiDevice(NULL, 2, 0));
  GIVES(hipErrorInvalidValue, hipModuleLaunchCooperativeKernelMultiDevice(list, 3000000000u, 0));
  list[1].function = kernel_named("times_two");
  GIVES(hipErrorInvalidValue, hipModuleLaunchCooperativeKernelMultiDevice(list, 2, 0));
  SAYS(said(), "launch 2 of 2 differs from the first in its kernel");
}
