// Modules, kernel attributes and occupancy of the HIP runtime.
#define _GNU_SOURCE // memmem
#include "runtime_test.h"

#include "emulator.h"

#include <sys/stat.h>
#include <unistd.h>

static hipModule_t kernels(void) {
  hipModule_t module = NULL;
  SUCCEEDS(hipModuleLoad(&module, RUNTIME_KERNELS));
  return module;
}

Test(runtime_module, from_a_file_and_from_memory) {
  size_t size;
  hipModule_t module;
  hipFunction_t function;
  char *bytes = kernel_file(&size);
  SUCCEEDS(hipModuleLoadData(&module, bytes));
  free(bytes); // the module keeps no reference
  SUCCEEDS(hipModuleGetFunction(&function, module, "add_one"));
  SUCCEEDS(hipModuleGetFunction(&function, kernels(), "add_one"));
  GIVES(hipErrorNotFound, hipModuleGetFunction(&function, module, "no_such_kernel"));
  GIVES(hipErrorNotFound, hipModuleGetFunction(&function, module, ""));
  GIVES(hipErrorInvalidValue, hipModuleGetFunction(NULL, module, "add_one"));
  GIVES(hipErrorNotFound, hipModuleGetFunction(&function, (hipModule_t)8, "add_one"));
  GIVES(hipErrorNotFound, hipModuleGetFunction(&function, NULL, "add_one"));
  SUCCEEDS(hipModuleUnload(module));
  GIVES(hipErrorNotFound, hipModuleUnload(module));
  GIVES(hipErrorInvalidHandle, hipModuleUnload(NULL));
  GIVES(hipErrorNotFound, hipModuleGetFunction(&function, module, "add_one"));
}

// Source: hip-tests, module/hipManagedKeyword.cc.
Test(runtime_module, managed_variables_are_memory_of_host_and_device) {
  hipModule_t module = kernels(), again = kernels();
  hipFunction_t count;
  hipDeviceptr_t number = NULL, zeros = NULL, other = NULL;
  size_t size = 0, before, after, total;
  SUCCEEDS(hipModuleGetGlobal(&number, &size, module, "common_count"));
  cr_assert(all(eq(sz, size, sizeof(int)), eq(int, *(int *)number, 10)));
  SUCCEEDS(hipModuleGetGlobal(&zeros, &size, module, "common_zeros"));
  cr_assert(all(eq(sz, size, 3 * sizeof(long)), zero(long, ((long *)zeros)[2])));
  SUCCEEDS(hipModuleGetGlobal(&other, NULL, again, "common_count"));
  SUCCEEDS(hipModuleGetFunction(&count, module, "count_common"));
  SUCCEEDS(hipModuleLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  SUCCEEDS(hipDeviceSynchronize());
  cr_assert(all(eq(int, *(int *)number, 11), eq(long, ((long *)zeros)[2], 10)));
  cr_assert(eq(int, *(int *)other, 10));
  SUCCEEDS(hipMemGetInfo(&before, &total));
  SUCCEEDS(hipModuleUnload(again));
  SUCCEEDS(hipModuleUnload(module));
  SUCCEEDS(hipMemGetInfo(&after, &total));
  cr_assert(lt(sz, before, after));
}

Test(runtime_module, of_a_module_with_managed_variables_each_kernel_may_use_them) {
  hipFunction_t count;
  cr_redirect_stderr();
  SUCCEEDS(hipModuleGetFunction(&count, kernels(), "count_common"));
  SUCCEEDS(hipModuleLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  SUCCEEDS(hipDeviceReset());
  SAYS(said(), "the program has not waited for kernel count_common, which may use managed memory");
}

Test(runtime_module, files_that_are_no_code_object, .timeout = 20) {
  hipModule_t module;
  char pipe[] = "/tmp/runtime_module_XXXXXX";
  cr_redirect_stderr();
  cr_assert(mkdtemp(pipe) && rmdir(pipe) == 0 && mkfifo(pipe, 0600) == 0);
  GIVES(hipErrorInvalidImage, hipModuleLoad(&module, pipe));
  unlink(pipe);
  GIVES(hipErrorFileNotFound, hipModuleLoad(&module, "/no/such/file.hsaco"));
  GIVES(hipErrorFileNotFound, hipModuleLoad(&module, "/"));
  GIVES(hipErrorInvalidImage, hipModuleLoad(&module, "/dev/null"));
  GIVES(hipErrorInvalidImage, hipModuleLoad(&module, "/etc/passwd"));
  GIVES(hipErrorFileNotFound, hipModuleLoad(&module, "/dev/zero"));
  GIVES(hipErrorInvalidValue, hipModuleLoad(&module, NULL));
  GIVES(hipErrorInvalidValue, hipModuleLoad(NULL, RUNTIME_KERNELS));
  GIVES(hipErrorInvalidValue, hipModuleLoadData(&module, NULL));
  SAYS(said(), "cannot read /no/such/file.hsaco: No such file or directory");
}

// Every prefix of a file is refused or, where only padding is missing, loads; none crashes.
Test(runtime_module, truncated_files, .timeout = 120) {
  char name[] = "/tmp/runtime_module_XXXXXX";
  int descriptor = mkstemp(name);
  size_t size, refused = 0, tries = 0;
  char *bytes = kernel_file(&size);
  cr_redirect_stderr();
  for (size_t length = 1; length < size; length += 1 + size / 97, tries++) {
    hipModule_t module;
    FILE *file = fopen(name, "wb");
    fwrite(bytes, 1, length, file);
    fclose(file);
    hipError_t error = hipModuleLoad(&module, name);
    cr_assert(any(eq(int, error, hipSuccess), eq(int, error, hipErrorInvalidImage)),
              "length %zu: %s", length, hipGetErrorName(error));
    refused += error != hipSuccess;
  }
  remove(name);
  cr_assert(lt(sz, tries / 2, refused));
  (void)descriptor;
}

Test(runtime_module, code_for_another_device_is_told_apart) {
  size_t size;
  hipModule_t module;
  char *bytes = kernel_file(&size);
  retarget(bytes, size);
  cr_redirect_stderr();
  GIVES(hipErrorNoBinaryForGpu, hipModuleLoadData(&module, bytes));
  const char *text = said();
  SAYS(text, "gfx803");
  SAYS(text, "--offload-arch=gfx90a");
}

Test(runtime_module, variables) {
  hipDeviceptr_t address;
  size_t size;
  int counter = 0;
  double factors[4];
  hipModule_t module = kernels();
  SUCCEEDS(hipModuleGetGlobal(&address, &size, module, "counter"));
  cr_assert(eq(sz, size, 4));
  SUCCEEDS(hipMemcpy(&counter, address, 4, hipMemcpyDeviceToHost));
  cr_assert(eq(int, counter, 7));
  SUCCEEDS(hipModuleGetGlobal(&address, &size, module, "factors"));
  cr_assert(eq(sz, size, sizeof factors));
  SUCCEEDS(hipMemcpy(factors, address, size, hipMemcpyDeviceToHost));
  cr_assert(eq(dbl, factors[3], 4));
  GIVES(hipErrorInvalidValue, hipMemcpy(factors, address, size + (1 << 24), hipMemcpyDeviceToHost));
  GIVES(hipErrorNotFound, hipModuleGetGlobal(&address, &size, module, "no_such_variable"));
}

Test(runtime_module, a_kernel_sees_a_changed_variable) {
  hipModule_t module = kernels();
  hipFunction_t scale;
  hipDeviceptr_t counter;
  size_t size;
  int eleven = 11;
  double values[2] = {1, 3}, *device = device_allocation(sizeof values);
  void *arguments[] = {&device};
  SUCCEEDS(hipModuleGetFunction(&scale, module, "scale"));
  SUCCEEDS(hipModuleGetGlobal(&counter, &size, module, "counter"));
  SUCCEEDS(hipMemcpyHtoD(counter, &eleven, size));
  SUCCEEDS(hipMemcpyHtoD(device, values, sizeof values));
  SUCCEEDS(launch(scale, 1, 2, 0, arguments));
  SUCCEEDS(hipMemcpyDtoH(values, device, sizeof values));
  cr_assert(all(eq(dbl, values[0], 22), eq(dbl, values[1], 66)));
}

Test(runtime_module, attributes_of_a_kernel) {
  int value = 0;
  SUCCEEDS(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                               kernel_named("bounded")));
  cr_assert(eq(int, value, 128));
  hipFunction_t static_lds = kernel_named("static_lds");
  SUCCEEDS(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, static_lds));
  cr_assert(eq(int, value, 32768));
  SUCCEEDS(
      hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_lds));
  cr_assert(eq(int, value, 32768));
  SUCCEEDS(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, static_lds));
  cr_assert(lt(int, 0, value));
  GIVES(hipErrorInvalidValue, hipFuncGetAttribute(NULL, HIP_FUNC_ATTRIBUTE_NUM_REGS, static_lds));
  GIVES(hipErrorInvalidValue, hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX, static_lds));
  GIVES(hipErrorInvalidHandle,
        hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, (hipFunction_t)&value));
  GIVES(hipErrorInvalidHandle, hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, NULL));
}

Test(runtime_module, active_blocks) {
  int blocks = -1;
  hipFunction_t add_one = kernel_named("add_one"), static_lds = kernel_named("static_lds");
  SUCCEEDS(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_one, 256, 0));
  cr_assert(eq(int, blocks, 8), "32 waves in blocks of 4");
  SUCCEEDS(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, static_lds, 256, 0));
  cr_assert(eq(int, blocks, 2), "64 KiB of LDS in blocks of 32 KiB");
  SUCCEEDS(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, static_lds, 256, 32768));
  cr_assert(eq(int, blocks, 1));
  SUCCEEDS(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, static_lds, 256,
                                                              (size_t)1 << 32));
  cr_assert(eq(int, blocks, 0));
  SUCCEEDS(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_one, 1025, 0));
  cr_assert(eq(int, blocks, 0));
  GIVES(hipErrorInvalidValue,
        hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_one, 0, 0));
  GIVES(hipErrorInvalidValue,
        hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(NULL, add_one, 64, 0));
  GIVES(hipErrorInvalidDeviceFunction,
        hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &blocks, 64, 0));
  GIVES(hipErrorInvalidDeviceFunction,
        hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, NULL, 64, 0, 0));
  blocks = -1;
  GIVES(hipErrorInvalidValue,
        hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, add_one, 64, 0, 2));
  cr_assert(eq(int, blocks, -1));
  SUCCEEDS(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, add_one, 64, 0, 1));
}

Test(runtime_module, suggested_block_sizes) {
  int grid = 0, block = 0;
  hipFunction_t add_one = kernel_named("add_one");
  SUCCEEDS(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, add_one, 0, 0));
  cr_assert(all(eq(int, block, 1024), eq(int, grid, 220)));
  SUCCEEDS(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, add_one, 0, 100));
  cr_assert(all(eq(int, block, 128), eq(int, grid, 1760)));
  SUCCEEDS(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, kernel_named("bounded"), 0, 0));
  cr_assert(eq(int, block, 128));
  SUCCEEDS(
      hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, kernel_named("bounded_oddly"), 0, 0));
  cr_assert(eq(int, block, 100));
  GIVES(hipErrorInvalidValue,
        hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, add_one, 0, 0, 2));
}

Test(runtime_module, globals_need_a_module_a_name_and_a_place_for_what_is_found) {
  hipModule_t module;
  hipDeviceptr_t address;
  size_t size;
  SUCCEEDS(hipModuleLoad(&module, RUNTIME_KERNELS));
  GIVES(hipErrorInvalidHandle, hipModuleGetGlobal(&address, &size, NULL, "table"));
  GIVES(hipErrorInvalidValue, hipModuleGetGlobal(&address, &size, module, ""));
  GIVES(hipErrorInvalidValue, hipModuleGetGlobal(NULL, NULL, module, "table"));
  GIVES(hipErrorInvalidValue, hipModuleLoad(&module, ""));
}

// ---- functions of other modules ----

enum { BLOCKS = 4, ITEMS = BLOCKS * 64 };

// A device function's address, as programs get it from a __device__ variable.
static void *function_of(hipModule_t module, const char *variable) {
  hipDeviceptr_t address;
  void *function = NULL;
  size_t size;
  SUCCEEDS(hipModuleGetGlobal(&address, &size, module, variable));
  SUCCEEDS(hipMemcpyDtoH(&function, address, sizeof function));
  return function;
}

// What a kernel of the module makes of the function.
static hipError_t apply(hipModule_t module, void *function, const int *from, int *to) {
  hipFunction_t kernel;
  SUCCEEDS(hipModuleGetFunction(&kernel, module, "apply"));
  SUCCEEDS(launch(kernel, BLOCKS, 64, 0, (void *[]){&function, &from, &to}));
  return hipDeviceSynchronize();
}

static int *sevens(void) {
  int *values = device_allocation(ITEMS * sizeof *values);
  SUCCEEDS(hipMemsetD32(values, 7, ITEMS));
  return values;
}

// Twice, so that blocks may be translated. Whose function it is makes no difference in what is counted.
static void call_functions_of_both(void) {
  enum { MOST = 256 };
  hipModule_t module[2] = {kernels(), kernels()};
  int *from = sevens(), *to = device_allocation(ITEMS * sizeof *to), results[ITEMS];
  double counted[MOST];
  for (int round = 0; round < 4; round++) {
    SUCCEEDS(hipMemset(to, 0, sizeof results));
    SUCCEEDS(apply(module[0], function_of(module[round % 2], "pointer_to_triple"), from, to));
    SUCCEEDS(hipMemcpyDtoH(results, to, sizeof results));
    for (int i = 0; i < ITEMS; i++)
      cr_assert(eq(int, results[i], 21));
    const EmulatorCounter *counters;
    const size_t count = emulator_counters(&counters);
    cr_assert(lt(sz, count, MOST));
    for (size_t i = 0; i < count; i++) {
      cr_assert(counters[i].modelled || round == 0 || counters[i].value == counted[i], "%s: %g, %g",
                counters[i].name, counters[i].value, counted[i]);
      counted[i] = counters[i].value;
    }
  }
}

Test(runtime_module, kernels_call_functions_of_other_modules) {
  setenv("EMULATOR_TRANSLATE", "0", 1);
  call_functions_of_both();
}

Test(runtime_module, kernels_call_functions_of_other_modules_in_machine_code) {
  setenv("EMULATOR_TRANSLATE", "1", 1);
  call_functions_of_both();
}

Test(runtime_module, kernels_call_functions_of_other_modules_while_sanitized) {
  setenv("EMULATOR_SANITIZE", "1", 1);
  call_functions_of_both();
}

// An offset there is from the begin of the code that the instruction is in.
Test(runtime_module, the_report_by_source_line_has_functions_of_other_modules) {
  enum { SAME = sizeof "offset +0x1000" - 1 };
  setenv("EMULATOR_LINES", "-", 1);
  cr_redirect_stderr();
  hipModule_t module = kernels();
  int *from = sevens();
  SUCCEEDS(apply(module, function_of(module, "pointer_to_triple"), from, from));
  SUCCEEDS(apply(module, function_of(kernels(), "pointer_to_triple"), from, from));
  const char *text = said(), *own = strstr(text, "offset +0x"),
             *other = own ? strstr(own + SAME, "offset +0x") : NULL;
  cr_assert(other && strncmp(own, other, SAME) == 0, "%s", text);
  SAYS(other, "flat_load_dword");
}

Test(runtime_module, faults_in_functions_of_other_modules_are_told) {
  cr_redirect_stderr();
  GIVES(hipErrorIllegalAddress,
        apply(kernels(), function_of(kernels(), "pointer_to_triple"), (const int *)4096, NULL));
  const char *text = said();
  SAYS(text, "instruction \"flat_load_dword");
  SAYS(text, "in a function that the kernel calls");
}

Test(runtime_module, functions_of_a_module_go_with_it) {
  hipModule_t module = kernels(), other = kernels();
  void *function = function_of(other, "pointer_to_triple");
  int *from = sevens();
  cr_redirect_stderr();
  SUCCEEDS(apply(module, function, from, from));
  SUCCEEDS(hipModuleUnload(other));
  GIVES(hipErrorLaunchFailure, apply(module, function, from, from));
  SAYS(said(), "leads to no instruction of code that is loaded");
}

Test(runtime_module, functions_of_other_modules_have_a_limit) {
  hipModule_t module = kernels();
  int *from = sevens();
  cr_redirect_stderr();
  SUCCEEDS(apply(module, function_of(module, "pointer_to_go_far"), from, from));
  GIVES(hipErrorNotSupported,
        apply(module, function_of(kernels(), "pointer_to_go_far"), from, from));
  SAYS(said(), "more than 2048 instructions of other modules");
}

// Bits of the ELF header's flags say for which settings code was compiled.
static void load_code_for(unsigned char features) {
  hipModule_t module;
  size_t size;
  char *bytes = kernel_file(&size), *elf = memmem(bytes, size, "\177ELF", 4);
  cr_assert(elf != NULL);
  elf[49] = (char)((elf[49] & ~0xf) | features);
  SUCCEEDS(hipModuleLoadData(&module, bytes));
  free(bytes);
}

Test(runtime_module, code_that_a_gpu_would_refuse_is_told) {
  enum { ANY = 0x5, XNACK_ON = 0x7, NO_ECC = 0x9 };
  cr_redirect_stderr();
  load_code_for(ANY);
  load_code_for(XNACK_ON);
  load_code_for(NO_ECC);
  const char *text = said();
  SAYS(text, "for :xnack+, which a GPU of this kind refuses without HSA_XNACK=1");
  cr_assert(eq(ptr, strstr(text, "sramecc-"), NULL), "told once");
}

Test(runtime_module, code_for_any_settings_is_not) {
  cr_redirect_stderr();
  load_code_for(0x5);
  cr_assert(zero(sz, strlen(said())));
}

Test(runtime_module, code_for_no_ecc_is_told) {
  enum { XNACK_ON_NO_ECC = 0xb };
  setenv("HSA_XNACK", "1", 1);
  cr_redirect_stderr();
  load_code_for(XNACK_ON_NO_ECC);
  SAYS(said(), "for :sramecc-, which a GPU of this kind refuses as its memory has ECC");
}
