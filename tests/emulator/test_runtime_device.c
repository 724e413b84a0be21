// Errors, device properties, contexts and unserved calls of the HIP runtime.
#define _GNU_SOURCE
#include "runtime_test.h"

#include "emulator.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#define REAL_LIBRARY "/usr/lib/x86_64-linux-gnu/libamdhip64.so.5"

Test(runtime_error, names_and_texts_are_those_of_rocm) {
  void *real = dlmopen(LM_ID_NEWLM, REAL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!real)
    cr_skip_test("%s is not installed", REAL_LIBRARY);
  const char *(*name)(hipError_t) = (const char *(*)(hipError_t))dlsym(real, "hipGetErrorName");
  const char *(*text)(hipError_t) = (const char *(*)(hipError_t))dlsym(real, "hipGetErrorString");
  for (int code = -1; code < 1200; code++) {
    cr_assert(eq(str, (char *)hipGetErrorName(code), (char *)name(code)));
    cr_assert(eq(str, (char *)hipGetErrorString(code), (char *)text(code)));
  }
}

Test(runtime_error, the_last_error_is_that_of_the_last_call) {
  int device = 7;
  GIVES(hipErrorInvalidDevice, hipSetDevice(7));
  GIVES(hipErrorInvalidDevice, hipPeekAtLastError());
  GIVES(hipErrorInvalidDevice, hipGetLastError());
  SUCCEEDS(hipGetLastError());
  GIVES(hipErrorInvalidDevice, hipSetDevice(7));
  SUCCEEDS(hipGetDevice(&device)); // ROCm 5.2 lets a success overwrite an error
  SUCCEEDS(hipGetLastError());
  cr_assert(zero(int, device));
}

Test(runtime_device, is_one_die_of_an_mi250x) {
  hipDeviceProp_t p;
  int count = 0;
  SUCCEEDS(hipGetDeviceCount(&count));
  cr_assert(eq(int, count, 1));
  SUCCEEDS(hipGetDeviceProperties(&p, 0));
  cr_assert(eq(str, p.name, "AMD Instinct MI250X (emulated)"));
  cr_assert(eq(str, p.gcnArchName, "gfx90a:sramecc+:xnack-"));
  cr_assert(all(eq(int, p.multiProcessorCount, 110), eq(int, p.warpSize, 64),
                eq(int, p.l2CacheSize, 8 << 20)));
  cr_assert(all(eq(sz, p.sharedMemPerBlock, 65536), eq(int, p.maxThreadsPerBlock, 1024)));
  cr_assert(eq(int, p.maxThreadsPerMultiProcessor, 2048));
  cr_assert(all(eq(int, p.clockRate, 1700000), eq(int, p.memoryClockRate, 1600000),
                eq(int, p.memoryBusWidth, 4096), eq(sz, p.totalGlobalMem, (size_t)64 << 30)));
  GIVES(hipErrorInvalidDevice, hipGetDeviceProperties(&p, 1));
  GIVES(hipErrorInvalidDevice, hipGetDeviceProperties(&p, -1));
  GIVES(hipErrorInvalidValue, hipGetDeviceProperties(NULL, 0));
}

Test(runtime_device, attributes_agree_with_properties) {
  int value = 0;
  SUCCEEDS(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
  cr_assert(eq(int, value, 110));
  SUCCEEDS(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxSharedMemoryPerBlock, 0));
  cr_assert(eq(int, value, 65536));
  SUCCEEDS(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxBlockDimZ, 0));
  cr_assert(eq(int, value, 1024));
  SUCCEEDS(hipDeviceGetAttribute(&value, hipDeviceAttributeManagedMemory, 0));
  cr_assert(eq(int, value, 1));
  value = 0;
  SUCCEEDS(hipDeviceGetAttribute(&value, hipDeviceAttributeHostNativeAtomicSupported, 0));
  cr_assert(eq(int, value, 1));
  GIVES(hipErrorInvalidValue, hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)9998, 0));
  GIVES(hipErrorInvalidDevice, hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 1));
}

Test(runtime_device, names_and_versions) {
  char name[8], bus[32];
  int version = 0, device = 5;
  size_t bytes = 0;
  SUCCEEDS(hipInit(0));
  SUCCEEDS(hipDeviceGetName(name, sizeof name, 0));
  cr_assert(eq(str, name, "AMD Ins"));
  SUCCEEDS(hipDeviceGetPCIBusId(bus, sizeof bus, 0));
  SUCCEEDS(hipDeviceGetByPCIBusId(&device, bus));
  cr_assert(zero(int, device));
  SUCCEEDS(hipRuntimeGetVersion(&version));
  cr_assert(eq(int, version, HIP_VERSION));
  SUCCEEDS(hipDeviceTotalMem(&bytes, 0));
  cr_assert(eq(sz, bytes, (size_t)64 << 30));
  SUCCEEDS(hipDeviceGetLimit(&bytes, hipLimitMallocHeapSize));
  GIVES(hipErrorInvalidValue, hipDeviceGetName(name, 0, 0));
  GIVES(hipErrorInvalidValue, hipInit(1));
}

static void expect_hidden(const char *variable, const char *list) {
  int count = 5;
  void *address;
  char sentence[80];
  cr_redirect_stderr();
  setenv(variable, list, 1);
  GIVES(hipErrorNoDevice, hipGetDeviceCount(&count));
  cr_assert(zero(int, count));
  GIVES(hipErrorNoDevice, hipMalloc(&address, 8));
  GIVES(hipErrorNoDevice, hipSetDevice(0));
  snprintf(sentence, sizeof sentence, "note: %s=%s leaves no device", variable, list);
  SAYS(said(), sentence);
}

Test(runtime_device, one_that_is_not_there) {
  cr_redirect_stderr();
  GIVES(hipErrorInvalidDevice, hipSetDevice(1));
  SAYS(said(), "there is no device 1: 1 is emulated");
}

Test(runtime_device, hidden_by_minus_one) { expect_hidden("HIP_VISIBLE_DEVICES", "-1"); }
Test(runtime_device, hidden_by_an_empty_list) { expect_hidden("ROCR_VISIBLE_DEVICES", ""); }
Test(runtime_device, hidden_by_another_device) { expect_hidden("HIP_VISIBLE_DEVICES", "1"); }
Test(runtime_device, hidden_as_in_cuda) {
  setenv("EMULATOR_DEVICES", "2", 1);
  expect_hidden("CUDA_VISIBLE_DEVICES", "-1");
}
Test(runtime_device, not_hidden_by_a_list_of_other_gpus) {
  int count;
  setenv("CUDA_VISIBLE_DEVICES", "3", 1);
  SUCCEEDS(hipGetDeviceCount(&count));
}
Test(runtime_device, visible_by_number) {
  int count;
  setenv("HIP_VISIBLE_DEVICES", "0", 1);
  setenv("EMULATOR_DEVICES", "2", 1);
  setenv("CUDA_VISIBLE_DEVICES", "-1", 1); // counts where the other is not set
  setenv("ROCR_VISIBLE_DEVICES", "0,1", 1);
  SUCCEEDS(hipGetDeviceCount(&count));
}

// ROCm keeps a set of numbers, and ends at what is none.
static void expect_devices(const char *list, int expected) {
  int count = 0;
  setenv("HIP_VISIBLE_DEVICES", list, 1);
  setenv("EMULATOR_DEVICES", "3", 1);
  SUCCEEDS(hipGetDeviceCount(&count));
  cr_assert(eq(int, count, expected), "%s", list);
}
Test(runtime_device, visible_once_each) { expect_devices("0,2,0,2", 2); }
Test(runtime_device, visible_in_quotes) { expect_devices("\"1,0\"", 2); }
Test(runtime_device, visible_up_to_no_number) { expect_devices("0,1x,2", 1); }
Test(runtime_device, visible_up_to_a_blank) { expect_devices("2, 1", 1); }

// By PCI bus and UUID: programs of several processes tell by them whether two share a device.
static void expect_identity(int device, int bus, const char *uuid) {
  hipDeviceProp_t properties;
  hipUUID own;
  char id[16], by_number[16];
  int found = -1;
  snprintf(by_number, sizeof by_number, "0000:%02x:00.0", (unsigned)bus);
  SUCCEEDS(hipGetDeviceProperties(&properties, device));
  SUCCEEDS(hipDeviceGetPCIBusId(id, sizeof id, device));
  SUCCEEDS(hipDeviceGetByPCIBusId(&found, id));
  SUCCEEDS(hipDeviceGetUuid(&own, device));
  cr_assert(all(eq(int, properties.pciBusID, bus), eq(int, found, device)));
  cr_assert(eq(str, id, by_number));
  cr_assert(zero(int, memcmp(own.bytes, uuid, sizeof own.bytes)));
}
Test(runtime_device, visible_ones_stay_themselves) {
  expect_devices("GPU-90a0e30000000003,1", 2); // HIP keeps the order of the computer
  expect_identity(0, 1, "90a0e30000000002");
  expect_identity(1, 2, "90a0e30000000003");
}
Test(runtime_device, visible_in_the_order_that_rocr_is_told) {
  setenv("ROCR_VISIBLE_DEVICES", "2,0", 1);
  expect_devices("0,1", 2);
  expect_identity(0, 2, "90a0e30000000003");
  expect_identity(1, 0, "90a0e30000000001");
}

Test(runtime_device, what_rocm_ignores_is_ignored) {
  setenv("HSA_XNACK", "on", 1);
  SUCCEEDS(hipSetDevice(0));
}

// ---- another device ----

static int attribute(hipDeviceAttribute_t attribute) {
  int value = -1;
  SUCCEEDS(hipDeviceGetAttribute(&value, attribute, 0));
  return value;
}

Test(runtime_device, another_is_found_by_name) {
  hipDeviceProp_t p;
  char name[64];
  setenv("EMULATOR_DEVICE", "mi210", 1);
  SUCCEEDS(hipGetDeviceProperties(&p, 0));
  cr_assert(eq(str, p.name, "AMD Instinct MI210 (emulated)"));
  cr_assert(eq(int, p.multiProcessorCount, 104));
  cr_assert(eq(str, p.gcnArchName, "gfx90a:sramecc+:xnack-"));
  SUCCEEDS(hipDeviceGetName(name, sizeof name, 0));
  cr_assert(eq(str, name, "AMD Instinct MI210 (emulated)"));
}

Test(runtime_device, every_query_knows_the_parameters) {
  uint32_t mask[4];
  size_t unused, bytes;
  int grid, block, blocks;
  cr_redirect_stderr(); // hipMalloc says why
  setenv("EMULATOR_SET",
         "compute_units=100 waves_per_simd=4 engine_mhz=1000 hbm_mhz=900 hbm_bus_bits=2048 "
         "hbm_bytes=1073741824 l2_bytes=4194304",
         1);
  cr_assert(all(eq(int, attribute(hipDeviceAttributeMultiprocessorCount), 100),
                eq(int, attribute(hipDeviceAttributeMaxThreadsPerMultiProcessor), 1024),
                eq(int, attribute(hipDeviceAttributeClockRate), 1000000),
                eq(int, attribute(hipDeviceAttributeMemoryClockRate), 900000),
                eq(int, attribute(hipDeviceAttributeMemoryBusWidth), 2048),
                eq(int, attribute(hipDeviceAttributeL2CacheSize), 4194304)));
  SUCCEEDS(hipDeviceTotalMem(&bytes, 0));
  cr_assert(eq(sz, bytes, 1073741824));
  SUCCEEDS(hipMemGetInfo(&unused, &bytes));
  cr_assert(all(eq(sz, bytes, 1073741824), eq(sz, unused, 1073741824)));
  void *address;
  GIVES(hipErrorOutOfMemory, hipMalloc(&address, 1073741825));
  SUCCEEDS(hipExtStreamGetCUMask(NULL, 4, mask));
  cr_assert(all(eq(u32, mask[2], UINT32_MAX), eq(u32, mask[3], 15)), "100 bits");
  hipFunction_t add_one = kernel_named("add_one");
  SUCCEEDS(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_one, 256, 0));
  cr_assert(eq(int, blocks, 4), "16 waves in blocks of 4");
  SUCCEEDS(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, add_one, 0, 0));
  cr_assert(eq(int, grid, 100));
}

static void refuses_setting(const char *variable, const char *value) {
  setenv(variable, value, 1);
  int count;
  cr_redirect_stderr();
  GIVES(hipErrorNotInitialized, hipGetDeviceCount(&count));
  GIVES(hipErrorNotInitialized, hipSetDevice(0));
  char sentence[128];
  snprintf(sentence, sizeof sentence, "%s=%s is not a whole number from", variable, value);
  SAYS(said(), sentence);
}

Test(runtime_device, refuses_threads_that_are_no_number) {
  refuses_setting("EMULATOR_THREADS", "abc");
}
Test(runtime_device, refuses_no_threads) { refuses_setting("EMULATOR_THREADS", "0"); }
Test(runtime_device, refuses_another_model) { refuses_setting("EMULATOR_MODEL", "2"); }
Test(runtime_device, refuses_half_a_thread) { refuses_setting("EMULATOR_THREADS", "1.5"); }
Test(runtime_device, refuses_negative_budgets) {
  refuses_setting("EMULATOR_INSTRUCTION_BUDGET", "-1");
}
Test(runtime_device, refuses_budgets_beyond_64_bits) {
  refuses_setting("EMULATOR_INSTRUCTION_BUDGET", "18446744073709551616");
}
Test(runtime_device, refuses_translation_after_a_negative_number) {
  refuses_setting("EMULATOR_TRANSLATE", "-1");
}
Test(runtime_device, refuses_sanitize_that_is_no_switch) {
  refuses_setting("EMULATOR_SANITIZE", "3");
}

Test(runtime_device, tells_of_a_setting_that_is_none_and_of_no_other) {
  setenv("EMULATOR_TRANSALTE", "0", 1);
  setenv("EMULATOR_TRANSLATE", "0", 1);
  setenv("EMULATOR_LINES", "/dev/null", 1);
  cr_redirect_stderr();
  SUCCEEDS(hipSetDevice(0));
  const char *text = said();
  SAYS(text,
       "emulator: note: EMULATOR_TRANSALTE is in the environment, but no setting has this name");
  cr_assert(eq(ptr, strstr(text, "EMULATOR_TRANSLATE is in"), NULL));
  cr_assert(eq(ptr, strstr(text, "EMULATOR_LINES is in"), NULL));
}
Test(runtime_device, goes_on_without_any_environment) {
  clearenv();
  SUCCEEDS(hipSetDevice(0));
}

Test(runtime_device, parameters_that_are_refused_are_said_once_and_end_every_call) {
  hipDeviceProp_t p;
  void *address;
  setenv("EMULATOR_DEVICE", "mi211", 1);
  cr_redirect_stderr();
  GIVES(hipErrorNotInitialized, hipGetDeviceProperties(&p, 0));
  GIVES(hipErrorNotInitialized, hipMalloc(&address, 8));
  GIVES(hipErrorNotInitialized, hipDeviceSynchronize());
  const char *text = said();
  SAYS(text, "emulator: hipGetDeviceProperties: EMULATOR_DEVICE=mi211 is neither a device that is "
             "built in (");
  cr_assert(eq(ptr, strstr(strchr(text, '\n'), "emulator:"), NULL), "said twice");
}

// ---- counters of a launch ----

static void add_one_to(int *values, int n) {
  SUCCEEDS(launch(kernel_named("add_one"), (unsigned)(n + 1023) / 1024, 1024, 0,
                  (void *[]){&values, &n}));
}

static double counter(const char *name) {
  const EmulatorCounter *counters;
  for (size_t left = emulator_counters(&counters); left > 0; left--, counters++)
    if (strcmp(counters->name, name) == 0)
      return counters->value;
  cr_fail("there is no counter %s", name);
  return NAN;
}

// Twice the compute units fill up to the same share and no further. Where the test's own memory lies
// differs from run to run, and with it the addresses and the share, by some percent.
Test(runtime_counters, no_share_is_beyond_100_percent_on_a_larger_device) {
  static const char *const shares[] = {"OccupancyPercent", "MemUnitBusy",     "VALUBusy",
                                       "SALUBusy",         "LDSBankConflict", "L2CacheHit",
                                       "VALUUtilization"};
  enum { N = 16 << 20 }; // in workgroups of 16 waves, which are dispatched and begin fast enough
  setenv("EMULATOR_SET", "compute_units=220 wave_start_clk=100", 1);
  add_one_to(device_allocation(N * sizeof(int)), N);
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
    cr_expect(counter(shares[i]) >= 0 && counter(shares[i]) <= 100, "%s is %g", shares[i],
              counter(shares[i]));
  cr_assert(lt(dbl, 50, counter("OccupancyPercent")));
  cr_assert(
      epsilon_eq(dbl, counter("MeanOccupancyPerCU"), counter("OccupancyPercent") * 0.32, 1e-9));
}

Test(runtime_counters, the_model_is_switched_by_a_call) {
  int *values = device_allocation(256 * sizeof(int));
  emulator_use_model(false);
  add_one_to(values, 256);
  cr_assert(isnan(counter("FETCH_SIZE")) && emulator_modelled_ms() == 0);
  cr_assert(eq(dbl, counter("SQ_WAVES"), 16));
  emulator_use_model(true);
  add_one_to(values, 256);
  cr_assert(counter("FETCH_SIZE") > 0 && emulator_modelled_ms() > 0);
}

// HIP's own tests launch as many.
Test(runtime_counters, kernels_with_nothing_to_do_end_at_once, .timeout = 20) {
  // hipExtModuleLaunchKernel, under the symbol that C++ programs import: its grid is in work-items.
  extern hipError_t launch_items(
      hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t,
      hipStream_t, void **, void **, hipEvent_t, hipEvent_t,
      uint32_t) __asm__("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_"
                        "tPPvS4_P11ihipEvent_tS6_j");
  emulator_use_model(false);
  SUCCEEDS(launch(kernel_named("idle"), 0x7fffffff, 1, 0, NULL));
  SUCCEEDS(hipDeviceSynchronize());
  cr_assert(eq(dbl, counter("SQ_WAVES"), (double)0x7fffffff));
  cr_assert(eq(dbl, counter("Wavefronts"), (double)0x7fffffff));
  cr_assert(eq(dbl, counter("SQ_INSTS"), (double)0x7fffffff));
  SUCCEEDS(launch_items(kernel_named("idle"), 64100, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL, NULL,
                        NULL, 0));
  SUCCEEDS(hipDeviceSynchronize());
  cr_assert(eq(dbl, counter("SQ_ITEMS"), 64100));
  emulator_use_model(true);
  SUCCEEDS(launch(kernel_named("idle"), 1000, 64, 0, NULL));
  cr_assert(lt(dbl, 0, emulator_modelled_ms()));
  const double one_round = counter("GRBM_GUI_ACTIVE");
  SUCCEEDS(launch(kernel_named("idle"), 100000, 64, 0, NULL));
  cr_assert(lt(dbl, 2 * one_round, counter("GRBM_GUI_ACTIVE")));
}

Test(runtime_counters, the_environment_decides_about_the_model) {
  int *values = device_allocation(256 * sizeof(int));
  setenv("EMULATOR_MODEL", "0", 1);
  emulator_use_model(true);
  add_one_to(values, 256);
  cr_assert(isnan(counter("FETCH_SIZE")));
  unsetenv("EMULATOR_MODEL");
  emulator_use_model(false);
  setenv("EMULATOR_COUNTERS", "/dev/null", 1); // its reader wants every launch
  add_one_to(values, 256);
  cr_assert(counter("FETCH_SIZE") > 0);
}

// HIP marks contexts as deprecated; programs that use them must still run.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
Test(runtime_context, one_context_and_no_peers) {
  hipCtx_t created, popped;
  int can = 7;
  SUCCEEDS(hipCtxCreate(&created, 0, 0));
  SUCCEEDS(hipCtxPopCurrent(&popped));
  cr_assert(eq(ptr, created, popped));
  GIVES(hipErrorInvalidContext, hipCtxPopCurrent(&popped));
  SUCCEEDS(hipCtxDestroy(created));
  GIVES(hipErrorInvalidContext, hipCtxPushCurrent(NULL));
  GIVES(hipErrorInvalidValue, hipCtxCreate(&created, 0, 1));
  SUCCEEDS(hipDeviceCanAccessPeer(&can, 0, 0));
  cr_assert(zero(int, can));
  GIVES(hipErrorInvalidDevice, hipDeviceEnablePeerAccess(1, 0));
  GIVES(hipErrorPeerAccessNotEnabled, hipDeviceDisablePeerAccess(0));
}

// As hip-tests, hipExtGetLastError.cc, wants it.
Test(runtime_unsupported, semaphores_of_other_interfaces_are_asked_for_by_value) {
  hipExternalSemaphore_t semaphore = NULL;
  hipExternalSemaphoreSignalParams raise = {0};
  hipExternalSemaphoreWaitParams wait = {0};
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue, hipSignalExternalSemaphoresAsync(NULL, &raise, 1, NULL));
  GIVES(hipErrorInvalidValue, hipGetLastError());
  GIVES(hipErrorInvalidValue, hipWaitExternalSemaphoresAsync(NULL, &wait, 1, NULL));
  GIVES(hipErrorInvalidValue, hipWaitExternalSemaphoresAsync(&semaphore, NULL, 1, NULL));
  GIVES(hipErrorNotSupported, hipWaitExternalSemaphoresAsync(&semaphore, &wait, 1, NULL));
  SAYS(said(), "no external semaphores");
}

// As hip-tests, hipApiName.cc, wants it.
Test(runtime_device, calls_have_names_by_number) {
  cr_assert(eq(str, (char *)hipApiName(0), "unknown"));
  cr_assert(eq(str, (char *)hipApiName(6), "hipChooseDevice"));
  cr_assert(eq(str, (char *)hipApiName(UINT32_MAX), "unknown"));
}

Test(runtime_unsupported, says_so_once_and_fails) {
  cr_redirect_stderr();
  GIVES(hipErrorNotSupported, hipGraphicsUnmapResources(0, NULL, NULL));
  GIVES(hipErrorNotSupported, hipGetLastError());
  GIVES(hipErrorNotSupported, hipGraphicsUnmapResources(0, NULL, NULL));
  const char *text = said();
  SAYS(text, "emulator: hipGraphicsUnmapResources: not served by the emulated device");
  cr_assert(eq(ptr, strstr(strchr(text, '\n'), "emulator:"), NULL), "said twice");
}

hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value); // from 5.3 on

Test(runtime_device, limits_are_what_was_set) {
  size_t stack = 0, later = 0;
  const enum hipLimit_t of_stack = 0;
  SUCCEEDS(hipDeviceGetLimit(&stack, of_stack));
  SUCCEEDS(hipDeviceSetLimit(of_stack, stack + 8));
  SUCCEEDS(hipDeviceGetLimit(&later, of_stack));
  cr_assert(all(ne(sz, stack, 0), eq(sz, later, stack + 8)));
  GIVES(hipErrorUnsupportedLimit, hipDeviceGetLimit(&later, (enum hipLimit_t) - 1));
}

// hipLimit_t of 6.4, bytes: what of scratch a queue may keep for its next kernel.
enum { SCRATCH_MIN = 0x1000, SCRATCH_MAX, SCRATCH_CURRENT, NO_LIMIT };
static const size_t GIB = 1 << 30;

static void expect_scratch(size_t current) {
  size_t told[NO_LIMIT - SCRATCH_MIN] = {1, 1, 1};
  for (int limit = SCRATCH_MIN; limit < NO_LIMIT; limit++)
    SUCCEEDS(hipDeviceGetLimit(&told[limit - SCRATCH_MIN], (enum hipLimit_t)limit));
  cr_assert(all(zero(sz, told[0]), eq(sz, told[1], 4 * GIB), eq(sz, told[2], current)));
}

// An MI300X's firmware gives back what is beyond the limit, as ROCr's amd_gpu_agent.h says.
Test(runtime_device, an_mi300x_has_a_limit_of_scratch) {
  setenv("EMULATOR_DEVICE", "mi300x", 1);
  expect_scratch(3 * GIB);
  SUCCEEDS(hipDeviceSetLimit((enum hipLimit_t)SCRATCH_CURRENT, 4 * GIB));
  GIVES(hipErrorInvalidValue, hipDeviceSetLimit((enum hipLimit_t)SCRATCH_CURRENT, 4 * GIB + 1));
  expect_scratch(4 * GIB);
  SUCCEEDS(hipDeviceSetLimit((enum hipLimit_t)SCRATCH_CURRENT, 0));
  expect_scratch(0);
  GIVES(hipErrorUnsupportedLimit, hipDeviceSetLimit((enum hipLimit_t)SCRATCH_MIN, 0));
  GIVES(hipErrorUnsupportedLimit, hipDeviceSetLimit((enum hipLimit_t)SCRATCH_MAX, GIB));
}

Test(runtime_device, an_mi250x_keeps_its_scratch) {
  cr_redirect_stderr();
  expect_scratch(0);
  GIVES(hipErrorInvalidValue, hipDeviceSetLimit((enum hipLimit_t)SCRATCH_CURRENT, 0));
  expect_scratch(0);
  SAYS(said(), "a limit of scratch, 0 bytes: the device has none to set");
}

hipError_t hipInitDevice(int device, unsigned device_flags, unsigned flags); // from 7.16 on

Test(runtime_device, begins_with_flags_if_they_are_called_valid) {
  enum { VALID = 1 };
  unsigned flags = 9;
  SUCCEEDS(hipInitDevice(0, hipDeviceScheduleYield, 0));
  SUCCEEDS(hipGetDeviceFlags(&flags));
  cr_assert(zero(u32, flags));
  SUCCEEDS(hipInitDevice(0, hipDeviceScheduleYield, VALID));
  SUCCEEDS(hipGetDeviceFlags(&flags));
  cr_assert(eq(u32, flags, hipDeviceScheduleYield));
  GIVES(hipErrorInvalidValue, hipInitDevice(0, 0x1000, VALID));
  GIVES(hipErrorInvalidValue, hipInitDevice(0, 0, 2));
  GIVES(hipErrorInvalidDevice, hipInitDevice(1, 0, 0));
  GIVES(hipErrorInvalidDevice, hipInitDevice(-1, 0, 0));
}

Test(runtime_device, the_largest_stack) {
  cr_redirect_stderr();
  const enum hipLimit_t of_stack = 0;
  SUCCEEDS(hipDeviceSetLimit(of_stack, 131056));
  GIVES(hipErrorInvalidValue, hipDeviceSetLimit(of_stack, 131057));
  SAYS(said(), "a stack of 131057 bytes a thread: the device has at most 131056");
}

Test(runtime_device, flags_are_those_of_scheduling_until_a_reset) {
  unsigned flags = 9;
  SUCCEEDS(hipSetDeviceFlags(hipDeviceScheduleYield | hipDeviceMapHost));
  SUCCEEDS(hipGetDeviceFlags(&flags));
  cr_assert(eq(u32, flags, hipDeviceScheduleYield));
  SUCCEEDS(hipDeviceReset());
  SUCCEEDS(hipGetDeviceFlags(&flags));
  cr_assert(zero(u32, flags));
}

Test(runtime_device, a_reset_takes_the_devices_memory_away) {
  cr_redirect_stderr();
  void *plain = device_allocation(500), *pooled = NULL, *host = NULL;
  hipArray *array = NULL;
  hipMipmappedArray_t mipmap = NULL;
  const hipChannelFormatDesc bytes = {8, 0, 0, 0, hipChannelFormatKindUnsigned};
  SUCCEEDS(hipHostMalloc(&host, 500, 0));
  SUCCEEDS(hipMallocAsync(&pooled, 500, NULL));
  SUCCEEDS(hipFreeAsync(pooled, NULL));
  SUCCEEDS(hipMallocAsync(&pooled, 600, NULL));
  SUCCEEDS(hipMallocArray(&array, &bytes, 16, 16, 0));
  SUCCEEDS(hipMallocMipmappedArray(&mipmap, &bytes, (hipExtent){16, 16, 0}, 2, 0));
  SUCCEEDS(hipDeviceReset());
  GIVES(hipErrorInvalidValue, hipFree(plain));
  GIVES(hipErrorInvalidValue, hipFree(pooled));
  GIVES(hipErrorContextIsDestroyed, hipFreeArray(array));
  GIVES(hipErrorInvalidValue, hipFreeMipmappedArray(mipmap));
  SAYS(said(), "was already freed (500 bytes");
  memset(host, 1, 500);
  SUCCEEDS(hipHostFree(host));
  SUCCEEDS(hipMallocAsync(&pooled, 500, NULL));
  SUCCEEDS(hipMemset(pooled, 0, 500));
  SUCCEEDS(hipFreeAsync(pooled, NULL));
}

Test(runtime_device, a_contexts_flags_are_the_devices) {
  hipCtx_t context = NULL;
  unsigned flags = 99;
  SUCCEEDS(hipCtxCreate(&context, hipDeviceScheduleSpin | hipDeviceMapHost, 0));
  SUCCEEDS(hipGetDeviceFlags(&flags));
  cr_assert(eq(u32, flags, hipDeviceScheduleSpin | hipDeviceMapHost));
  SUCCEEDS(hipCtxDestroy(context));
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // contexts are, and served

// As hip-tests, hipCtxNotSupported.cc and hipCtxStreamCapture.cc, want them.
Test(runtime_device, calls_of_contexts_that_rocm_refuses_are_refused_with_a_sentence) {
  cr_redirect_stderr();
  unsigned flags = 99;
  int version = 99;
  hipFuncCache_t cache = hipFuncCachePreferL1;
  GIVES(hipErrorNotSupported, hipCtxSynchronize());
  SAYS(said(), "call hipDeviceSynchronize");
  GIVES(hipErrorNotSupported, hipCtxGetFlags(&flags));
  GIVES(hipErrorNotSupported, hipCtxGetApiVersion(NULL, &version));
  GIVES(hipErrorNotSupported, hipCtxGetCacheConfig(&cache));
  GIVES(hipErrorNotSupported, hipCtxSetCacheConfig(hipFuncCachePreferEqual));
  GIVES(hipErrorInvalidValue, hipCtxSetCacheConfig((hipFuncCache_t)0x100));
  GIVES(hipErrorNotSupported, hipCtxSetSharedMemConfig(hipSharedMemBankSizeFourByte));
  SUCCEEDS(hipDeviceSetCacheConfig(hipFuncCachePreferEqual));
  GIVES(hipErrorInvalidValue, hipDeviceSetCacheConfig((hipFuncCache_t)-1));
  SUCCEEDS(hipDeviceSetSharedMemConfig(hipSharedMemBankSizeEightByte));
  GIVES(hipErrorInvalidValue, hipDeviceSetSharedMemConfig((hipSharedMemConfig)-1));
  cr_assert(eq(u32, flags, 99));
  cr_assert(eq(int, version, 99));
}

Test(runtime_device, a_context_lets_any_peer_in) {
  hipCtx_t context = NULL;
  SUCCEEDS(hipDevicePrimaryCtxRetain(&context, 0));
  SUCCEEDS(hipCtxEnablePeerAccess(context, 0));
  SUCCEEDS(hipCtxDisablePeerAccess(context));
  SUCCEEDS(hipCtxEnablePeerAccess(NULL, 0));
}

Test(runtime_device, a_part_of_a_bus_id_is_none) {
  char id[13];
  SUCCEEDS(hipDeviceGetPCIBusId(id, sizeof id, 0));
  GIVES(hipErrorInvalidValue, hipDeviceGetPCIBusId(id, sizeof id - 1, 0));
}

Test(runtime_device, a_reset_leaves_other_devices_alone) {
  setenv("EMULATOR_DEVICES", "2", 1);
  hipStream_t stream[2];
  int *memory[2];
  for (int i = 0; i < 2; i++) {
    SUCCEEDS(hipSetDevice(i));
    SUCCEEDS(hipStreamCreate(&stream[i]));
    memory[i] = device_allocation(sizeof *memory[i]);
  }
  SUCCEEDS(hipSetDevice(0));
  SUCCEEDS(hipDeviceReset());
  SUCCEEDS(hipSetDevice(1));
  SUCCEEDS(hipMemsetAsync(memory[1], 0, sizeof *memory[1], stream[1]));
  SUCCEEDS(hipStreamSynchronize(stream[1]));
  SUCCEEDS(hipStreamDestroy(stream[1]));
  GIVES(hipErrorContextIsDestroyed, hipStreamSynchronize(stream[0]));
}
