// What is told of programs whose kernels run long: when, of which launch, and that it can be switched off.
#include "runtime_test.h"

#include <time.h>
#include <unistd.h>

static void repeat_nothing(void) {
  setenv("EMULATOR_REUSE", "0", 1);
} // what is repeated takes no time
TestSuite(runtime_running_time, .init = repeat_nothing);

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Launches of some hundredths of a second, for so long.
static void run_for(double length, hipStream_t stream) {
  hipFunction_t draws = kernel_named("draws");
  unsigned *values = device_allocation(64 * sizeof *values);
  int n = 2000000;
  void *arguments[] = {&values, &n};
  for (const double begin = seconds(); seconds() - begin < length;) {
    SUCCEEDS(hipModuleLaunchKernel(draws, 4, 1, 1, 64, 1, 1, 0, stream, arguments, NULL));
    SUCCEEDS(hipStreamSynchronize(stream));
  }
}

static int count(const char *text, const char *part) {
  int found = 0;
  for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
    found++;
  return found;
}

#define NOTE "emulator: note: kernels have run for "

Test(runtime_running_time, of_many_launches_is_told_whenever_it_has_doubled, .timeout = 60) {
  static char text[4096];
  setenv("EMULATOR_PROGRESS", "1", 1);
  cr_redirect_stderr();
  while (count(text, NOTE) < 2) {
    run_for(0.5, NULL);
    strncat(text, said(), sizeof text - strlen(text) - 1);
  }
  SAYS(text, NOTE "1 s on this computer, in ");
  cr_assert_eq(count(text, NOTE "1 s"), 1, "%s", text);
  cr_assert_eq(count(text, "Now draws runs"), 2, "%s", text);
  cr_assert_eq(count(text, "choose a smaller size"), 1, "advice is told once: %s", text);
  cr_assert_eq(count(text, "EMULATOR_MODEL=0"), 1, "%s", text);
  cr_assert_eq(count(text, "workgroups have begun"), 0, "of launches that take no time: %s", text);
}

Test(runtime_running_time, of_one_launch_comes_with_how_far_it_is) {
  setenv("EMULATOR_PROGRESS", "1", 1);
  setenv("EMULATOR_MODEL", "0", 1);
  cr_redirect_stderr();
  unsigned *values = device_allocation(64 * sizeof *values);
  int n = 10000;
  void *arguments[] = {&values, &n};
  const unsigned grid = 1 << 20; // more than anybody waits for
  SUCCEEDS(launch(kernel_named("draws"), grid, 64, 0, arguments));
  sleep(3);
  const char *text = said();
  SAYS(text, NOTE "1 s on this computer, in 1 launch. Now draws runs, and ");
  SAYS(text,
       " of its 1048576 workgroups have begun in 1 s. If this takes too long, choose a smaller "
       "size or fewer repetitions. EMULATOR_PROGRESS=SECONDS in the environment");
  _exit(0); // nor does this test
}

Test(runtime_running_time, is_not_told_where_it_is_switched_off) {
  setenv("EMULATOR_PROGRESS", "0", 1);
  cr_redirect_stderr();
  run_for(0.1, NULL);
  cr_assert_eq(count(said(), NOTE), 0);
}

// The time of those that run in place of a kernel that waits is told once.
Test(runtime_running_time, of_a_kernel_that_steps_aside_is_its_own) {
  setenv("EMULATOR_PROGRESS", "3", 1);
  cr_redirect_stderr();
  int *target = device_allocation(sizeof *target);
  void *volatile *mailbox;
  hipStream_t waiting, running;
  SUCCEEDS(hipHostMalloc((void **)&mailbox, sizeof *mailbox, 0));
  SUCCEEDS(hipStreamCreateWithFlags(&waiting, hipStreamNonBlocking));
  SUCCEEDS(hipStreamCreateWithFlags(&running, hipStreamNonBlocking));
  *mailbox = NULL;
  void *arguments[] = {&mailbox};
  SUCCEEDS(hipModuleLaunchKernel(kernel_named("fill_mailed"), 1, 1, 1, 1, 1, 1, 0, waiting,
                                 arguments, NULL));
  run_for(2, running);
  *mailbox = target;
  SUCCEEDS(hipStreamSynchronize(waiting));
  cr_assert_eq(count(said(), NOTE), 0, "%s", "2 s are no 3 s");
}
