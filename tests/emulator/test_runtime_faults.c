// Kernels that go wrong: what the emulated device says, and which HIP errors follow.
//
// In: build/tests/emulator/faults/faults, one case per run. A row lists what must stand in its
// output, in any order; the HIP error codes are those of the public HIP headers for the fault.
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_SIZE = 65536, MAX_PHRASES = 10 };

#ifndef FAULTS_PROGRAM
#define FAULTS_PROGRAM "build/tests/emulator/faults/faults"
#endif

// What it says, and the status that it ends with.
static int run(const char *arguments, char output[OUTPUT_SIZE]) {
  char command[512];
  snprintf(command, sizeof command, "LD_LIBRARY_PATH=build/emulator timeout 60 %s %s 2>&1",
           FAULTS_PROGRAM, arguments);
  FILE *pipe = popen(command, "r");
  cr_assert_not_null(pipe);
  size_t size = fread(output, 1, OUTPUT_SIZE - 1, pipe);
  output[size] = 0;
  return pclose(pipe);
}

static void expect_end(const char *arguments, int expected, const char *const *phrases) {
  char output[OUTPUT_SIZE];
  int status = run(arguments, output);
  cr_expect_eq(status, expected, "faults %s: ended with status %d", arguments, status);
  for (int i = 0; phrases[i]; i++)
    cr_expect_not_null(strstr(output, phrases[i]), "faults %s: \"%s\" is missing in\n%s", arguments,
                       phrases[i], output);
}

static void expect(const char *arguments, const char *const *phrases) {
  expect_end(arguments, 0, phrases);
}

static void expect_once(const char *arguments, const char *phrase) {
  char output[OUTPUT_SIZE];
  run(arguments, output);
  const char *first = strstr(output, phrase);
  cr_expect(first && !strstr(first + 1, phrase), "faults %s: not once \"%s\" in\n%s", arguments,
            phrase, output);
}

#define FAULT(NAME, ARGUMENTS, ...)                                                                \
  Test(faults, NAME) { expect(ARGUMENTS, (const char *const[]){__VA_ARGS__, NULL}); }

// What a device does not notice is told, and the launch goes on; EMULATOR_SANITIZE=1 ends it.
#define UNNOTICED(NAME, ARGUMENTS, CODES, ...)                                                     \
  FAULT(NAME, ARGUMENTS, "emulator: note: kernel", NO_ERROR, __VA_ARGS__)                          \
  Test(faults, NAME##_ends_sanitized_runs) {                                                       \
    setenv("EMULATOR_SANITIZE", "1", 1);                                                           \
    expect(ARGUMENTS, (const char *const[]){__VA_ARGS__, CODES, NULL});                            \
  }

#define ILLEGAL_ADDRESS                                                                            \
  "hipDeviceSynchronize: hipErrorIllegalAddress", "hipMalloc: hipErrorIllegalAddress"
#define LAUNCH_FAILURE                                                                             \
  "hipDeviceSynchronize: hipErrorLaunchFailure", "hipMalloc: hipErrorLaunchFailure"
#define TIME_OUT "hipDeviceSynchronize: hipErrorLaunchTimeOut", "hipMalloc: hipErrorLaunchTimeOut"
#define GAP "hipDeviceSynchronize: hipErrorNotSupported", "hipMalloc: hipErrorNotSupported"
#define NO_ERROR "hipDeviceSynchronize: hipSuccess", "hipMalloc: hipSuccess"

UNNOTICED(
    write_behind_the_end, "behind", ILLEGAL_ADDRESS,
    "kernel writes_behind_the_end(double*), block (3, 0, 0), thread (232, 0, 0): writes 8 bytes",
    "directly behind the end of the allocation of 8000 bytes", "faults.hip:16",
    "global_store_dwordx2")
// Where the device's pages end, too: what is only told, host threads tell in any order.
FAULT(lowest_block_is_named, "first",
      "emulator: kernel writes_behind_the_end(double*), block (6, 0, 0), thread (0, 0, 0)",
      ILLEGAL_ADDRESS)
FAULT(read_before_the_begin, "before", "thread (0, 0, 0): reads 8 bytes",
      "24 bytes before the begin of the allocation of 8000 bytes", "faults.hip:17", ILLEGAL_ADDRESS)
UNNOTICED(atomic_behind_the_end, "atomic-behind", ILLEGAL_ADDRESS, "updates 4 bytes",
          "directly behind the end of", "faults.hip:18")
UNNOTICED(read_one_behind, "one-behind", ILLEGAL_ADDRESS, "thread (255, 0, 0): reads 8 bytes",
          "directly behind the end of the allocation of 8000 bytes")
UNNOTICED(read_one_behind_a_whole_page, "one-behind-a-page", ILLEGAL_ADDRESS,
          "thread (511, 0, 0): reads 8 bytes", "directly behind the end of the allocation of 4096",
          "in a function that the kernel calls")
UNNOTICED(read_far_behind_lds, "lds-far", LAUNCH_FAILURE, "thread (0, 0, 0): reads 8 bytes",
          "which end 8 bytes beyond the 2048 bytes", "faults.hip:46")
UNNOTICED(read_behind_lds, "lds-granule", LAUNCH_FAILURE, "thread (99, 0, 0): reads 8 bytes",
          "which end 8 bytes beyond the 800 bytes")
UNNOTICED(read_at_the_end_of_the_largest_lds, "lds-nearly-zeros", LAUNCH_FAILURE,
          "thread (1, 0, 0): reads 8 bytes at LDS address 65528",
          "which end 63488 bytes beyond the 2048 bytes")
UNNOTICED(read_before_lds, "lds-negative", LAUNCH_FAILURE,
          "thread (1, 0, 0): reads 8 bytes at LDS address -2147483648",
          "by a negative index, before the 2048 bytes")

UNNOTICED(read_far_by_a_pointer, "lds-pointer", LAUNCH_FAILURE,
          "reads 8 bytes at LDS address 65536, which end 63496 bytes beyond the 2048 bytes")

// Reads where no LDS can be bring 0 by design, and are told once. The sanitizer takes them for a wrong index.
static void expect_zeros(const char *arguments) {
  unsetenv("EMULATOR_SANITIZE");
  expect(arguments, (const char *const[]){"note: kernel reads_where_no_lds_is(unsigned int)",
                                          "where no LDS is", NO_ERROR, NULL});
  expect_once(arguments, "note:");
  setenv("EMULATOR_SANITIZE", "2", 1);
  expect(arguments, (const char *const[]){"beyond the 2048 bytes", LAUNCH_FAILURE, NULL});
}
Test(faults, reads_where_no_lds_can_be_bring_zero) {
  expect_zeros("lds-zeros");
  expect_zeros("lds-first-zeros");
  expect_zeros("lds-last-zeros");
}
FAULT(misaligned_load_is_told, "misaligned-load",
      "note: kernel misaligned_load(char*, int), block (0, 0, 0), thread (0, 0, 0)",
      "no multiple of 4", "faults.hip:19", NO_ERROR)
FAULT(misaligned_scalar_load_is_told, "misaligned-scalar",
      "note: kernel scalar_read(int const*, int*)", "a scalar load of 4 bytes at address",
      "no multiple of 4", "loads from 0x", NO_ERROR)
UNNOTICED(scalar_load_over_the_end, "scalar-over-the-end", ILLEGAL_ADDRESS,
          "reads 8 bytes at address", "4 bytes too many at the end of the allocation of 4100 bytes")
FAULT(misaligned_halves_of_a_wavefront_are_told, "misaligned-halves",
      "note: kernel misaligned_halves(char*, int), block (0, 0, 0), thread (0, 0, 0)",
      "a misaligned access of 2 bytes", "no multiple of 2", NO_ERROR)
FAULT(first_misaligned_lane_is_told, "misaligned-lanes", "block (0, 0, 0), thread (37, 0, 0)",
      "a misaligned access of 4 bytes", NO_ERROR)
FAULT(first_lane_outside_is_named, "lanes-outside", "thread (37, 0, 0): writes 4 bytes",
      ILLEGAL_ADDRESS)
FAULT(
    division_by_f32_of_too_large_a_number_is_told, "divides",
    "note: kernel divides_by_f32(unsigned int, float*), block (0, 0, 0), thread (2, 0, 0): a whole "
    "number of about 16777216 is divided by way of f32",
    "a defect of LLVM up to 17", "-amdgpu-codegenprepare-disable-idiv-expansion=true",
    "faults.hip:", NO_ERROR)
Test(faults, division_by_f32_of_others_is_right) {
  char output[OUTPUT_SIZE];
  cr_expect_eq(run("divides-small", output), 0);
  cr_expect_null(strstr(output, "note:"), "%s", output);
}
FAULT(misaligned_atomic, "misaligned-atomic", "an atomic of 8 bytes", "no multiple of 8",
      "faults.hip:21", ILLEGAL_ADDRESS)
FAULT(offset_into_lds, "offset-into-lds", "kernel offset_into_lds()",
      "writes 4 bytes at address 0x1000000000000, which is in LDS; but the register alone",
      ILLEGAL_ADDRESS)
FAULT(no_code, "no-code", "launch of has_no_code(double*): the kernel has no code",
      "launch: hipErrorLaunchFailure", NO_ERROR)
FAULT(null_pointer, "null", "writes 8 bytes at address 0x0, a null pointer", "faults.hip:23",
      ILLEGAL_ADDRESS)
FAULT(host_pointer, "host-memory",
      "which is host memory that the device cannot reach: copy it with hipMemcpy", ILLEGAL_ADDRESS)
FAULT(wild_pointer, "nowhere", "0x123456789000, which lies in no allocation and near none",
      ILLEGAL_ADDRESS)
FAULT(use_after_free, "freed", "0 bytes into the freed allocation of 8000 bytes", ILLEGAL_ADDRESS)
UNNOTICED(
    write_behind_a_row, "behind-a-row", ILLEGAL_ADDRESS,
    "kernel writes_in_each_row(int**, int), block (0, 0, 0), thread (0, 0, 0): writes 4 bytes",
    "directly behind the end of the allocation of 400 bytes")
FAULT(freed_row, "freed-row", "396 bytes into the freed allocation of 10000 bytes", ILLEGAL_ADDRESS)
FAULT(scalar_load, "scalar", "wave 0 (from thread (0, 0, 0) on): reads 4 bytes",
      "behind the end of", "s_load_dword", ILLEGAL_ADDRESS)
FAULT(beyond_lds, "lds", "writes 8 bytes at LDS address 6144", "4104 bytes beyond the 2048 bytes",
      "faults.hip:28", LAUNCH_FAILURE)
FAULT(endless_loop, "endless", "an endless loop: for 3 s no wave of the launch did anything",
      "nothing else is queued", "faults.hip:58", TIME_OUT)
FAULT(endless_loop_with_barriers, "endless-with-barriers",
      "an endless loop: for 3 s no workgroup of the launch did anything but come back to the same "
      "barrier",
      TIME_OUT)
FAULT(endless_loop_with_barriers_across_the_grid, "endless-grid", "kernel meets_for_ever",
      "an endless loop: for 3 s no", TIME_OUT)
FAULT(endless_loop_under_a_call, "endless-while-allocating", "an endless loop: for 3 s", TIME_OUT)
FAULT(lock_that_a_lane_of_the_wave_holds, "lock-of-lanes", "an endless loop: for 3 s no wave",
      "nothing else is queued. Lanes of this wave wait outside the loop (1)", TIME_OUT)
FAULT(a_block_that_others_wait_for, "waited-for", "block (1, 0, 0)", "writes 8 bytes",
      ILLEGAL_ADDRESS)
FAULT(sleeping_loop, "asleep", "an endless loop: for 3 s no wave", TIME_OUT)
#define IN_ITS_ORDER "what else is queued waits, too, or comes after it in the order of streams"
FAULT(waiting_for_a_later_kernel, "behind-itself", "kernel never_ends", IN_ITS_ORDER, TIME_OUT)
FAULT(waiting_with_another_stream, "both-streams-wait", "kernel never_ends", IN_ITS_ORDER, TIME_OUT)
FAULT(waiting_for_a_kernel_of_another_stream, "second-stream", NO_ERROR)
Test(faults, kernels_that_go_on_by_turns_are_no_endless_loop) {
  setenv("EMULATOR_MODEL", "0", 1);
  expect("plays-long", (const char *const[]){NO_ERROR, NULL});
}
Test(faults, grids_that_wait_for_each_other_are_no_endless_loop) {
  setenv("EMULATOR_DEVICES", "2", 1);
  setenv("EMULATOR_MODEL", "0", 1);
  expect("meets-long", (const char *const[]){NO_ERROR, NULL});
}
Test(faults, waiting_for_a_kernel_of_another_stream_in_a_sanitized_run) {
  setenv("EMULATOR_SANITIZE", "1", 1);
  expect("second-stream",
         (const char *const[]){"with EMULATOR_SANITIZE=1 kernels run one after the other", TIME_OUT,
                               NULL});
}
Test(faults, waiting_for_a_kernel_of_another_device) {
  setenv("EMULATOR_DEVICES", "2", 1);
  expect("second-device", (const char *const[]){NO_ERROR, NULL});
}
FAULT(unknown_instruction, "unknown", "the emulator does not know s_cbranch_g_fork",
      "a gap of the emulator", "offset 0x0 of the kernel", GAP)
FAULT(no_instruction, "bytes", "the bytes 0xffffffff are no gfx90a instruction", LAUNCH_FAILURE)
FAULT(float_mode, "float-mode", "in which f16 or f64 lose their denormals", GAP)
FAULT(beyond_the_stack, "stack", "an access to private memory", LAUNCH_FAILURE)
FAULT(recursion_too_deep, "recursion", "an access to private memory",
      "hipDeviceSetLimit(hipLimitStackSize, bytes), which ROCm has from 5.3 on, gives threads more",
      LAUNCH_FAILURE)
FAULT(recursion_with_a_stack_for_it, "recursion-with-room", "depth reached", NO_ERROR)
FAULT(later_calls_fail, "later-calls", "later launch: hipErrorIllegalAddress",
      "hipMemcpy: hipErrorIllegalAddress", "hipFree: hipErrorIllegalAddress", ILLEGAL_ADDRESS)

// A kernel that stops itself ends the process, as up to ROCm 6; ROCm's own switch makes it an error.
#define STOPS(NAME, ARGUMENTS, PHRASE)                                                             \
  Test(faults, NAME) {                                                                             \
    expect_end(ARGUMENTS, (128 + SIGABRT) << 8, (const char *const[]){PHRASE, "SIGABRT", NULL});   \
    setenv("HIP_SKIP_ABORT_ON_GPU_ERROR", "1", 1);                                                 \
    expect(ARGUMENTS, (const char *const[]){PHRASE, LAUNCH_FAILURE, NULL});                        \
  }
STOPS(failed_assertion, "assert", "Device-side assertion `threadIdx.x < n' failed")
STOPS(trap, "trap", "the kernel stopped itself (s_trap 2)")
FAULT(a_program_may_catch_the_signal, "caught", "SIGABRT is caught", LAUNCH_FAILURE)

FAULT(a_loop_without_a_way_out, "counting",
      "note: kernel counts_for_ever(int volatile*), block (0, 0, 0)",
      "an endless loop: no way leads from here to the end of the kernel", "faults.hip:6", TIME_OUT)

// A loop that counts may end, and so may locks that go from block to block: nobody calls them endless,
// they are told, and end by time.
#define ENDS_BY_TIME(NAME, ARGUMENTS, KERNEL)                                                      \
  Test(faults, NAME) {                                                                             \
    setenv("EMULATOR_TIMEOUT", "5", 1);                                                            \
    expect(ARGUMENTS,                                                                              \
           (const char *const[]){"note: kernel " KERNEL, "EMULATOR_TIMEOUT",                       \
                                 "no workgroup has come to its end for 4 s. Its waves go on with " \
                                 "new values: it may take long, or count past its end. The "       \
                                 "launch goes on",                                                 \
                                 "no workgroup has come to its end for 5 s", TIME_OUT, NULL});     \
  }
ENDS_BY_TIME(a_loop_that_counts_is_told_and_ends_by_time, "counting-far", "counts_far")
ENDS_BY_TIME(locks_that_go_from_block_to_block_are_no_endless_loop, "locks", "locks")

FAULT(a_kernel_that_waits_for_the_host_is_told, "host-flag", "note: kernel waits_for_the_host",
      "no workgroup has come to its end for 4 s, and all that is done is to wait for what nobody "
      "changes: an endless loop? The launch goes on",
      "faults.hip:", NO_ERROR)

Test(faults, a_kernel_that_waits_may_go_on_for_ever) {
  setenv("EMULATOR_TIMEOUT", "0", 1);
  expect("host-flag",
         (const char *const[]){"The launch goes on, as long as it takes (EMULATOR_TIMEOUT=0)",
                               NO_ERROR, NULL});
}

// The budget can be changed: a wave that needs more than it gets ends there.
Test(faults, budget_is_an_option) {
  setenv("EMULATOR_INSTRUCTION_BUDGET", "5000", 1);
  expect("endless", (const char *const[]){"has issued 5000 instructions", TIME_OUT, NULL});
}
