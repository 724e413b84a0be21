// Memory of the host that the program has freed, unmapped or protected when kernels and copies come to it: sentences and errors in place
// of signals, which stay the program's where the mistake is its own.
#include "runtime_test.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GONE = 16 << 10 }; // bytes

static int *registered_memory(void) {
  int *memory = mmap(NULL, GONE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert(ne(ptr, memory, MAP_FAILED));
  SUCCEEDS(hipHostRegister(memory, GONE, 0));
  return memory;
}

static hipError_t add_one_to(int *memory) {
  int count = GONE / 4;
  void *arguments[] = {&memory, &count};
  SUCCEEDS(launch(kernel_named("add_one"), GONE / 4 / 64, 64, 0, arguments));
  return hipDeviceSynchronize();
}

Test(runtime_missing_memory, what_the_program_has_unmapped_or_protected_ends_the_kernel) {
  cr_redirect_stderr();
  int *memory = registered_memory();
  SUCCEEDS(add_one_to(memory));
  munmap(memory, GONE);
  GIVES(hipErrorIllegalAddress, add_one_to(memory));
  SUCCEEDS(hipDeviceReset());
  SUCCEEDS(hipHostUnregister(memory));
  memory = registered_memory();
  SUCCEEDS(add_one_to(memory));
  mprotect(memory, GONE, PROT_READ);
  GIVES(hipErrorIllegalAddress, add_one_to(memory));
  const char *text = said();
  SAYS(text, "kernel add_one, block (0, 0, 0), wave 0");
  SAYS(text, "0 bytes into the registered host memory of 16384 bytes");
  SAYS(text, "hipHostUnregister, before free()");
  SUCCEEDS(hipDeviceReset());
  SUCCEEDS(add_one_to(registered_memory()));
}

Test(runtime_missing_memory, what_cannot_be_copied_from_or_to_is_told) {
  static const int constant[GONE / 4] = {1};
  int *device = device_allocation(GONE), *memory = registered_memory();
  cr_redirect_stderr();
  SUCCEEDS(hipMemcpy(device, constant, GONE, hipMemcpyHostToDevice));
  GIVES(hipErrorIllegalAddress, hipMemcpy((void *)constant, device, GONE, hipMemcpyDeviceToHost));
  SUCCEEDS(hipDeviceReset());
  device = device_allocation(GONE);
  mprotect(memory + 1024, 4096, PROT_NONE);
  GIVES(hipErrorIllegalAddress,
        hipMemcpy2D(device, 4096, memory, 4096, 4096, 4, hipMemcpyHostToDevice));
  const char *text = said();
  SAYS(text, "of the destination cannot be written. The memory is read-only");
  SAYS(text, "of the source cannot be read. The memory is freed, unmapped or protected");
}

Test(runtime_missing_memory, what_cannot_be_read_is_refused_before_it_is_copied) {
  int *device = device_allocation(GONE);
  void *closed = mmap(NULL, GONE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue, hipMemcpy(device, closed, GONE, hipMemcpyHostToDevice));
  SUCCEEDS(hipDeviceSynchronize());
  SAYS(said(), "are neither HIP memory nor mapped host memory");
}

Test(runtime_missing_memory, what_cannot_be_filled_is_told) {
  int *memory = registered_memory();
  cr_redirect_stderr();
  SUCCEEDS(hipMemset(memory, 1, GONE));
  mprotect(memory, GONE, PROT_READ);
  GIVES(hipErrorIllegalAddress, hipMemset(memory, 2, GONE));
  SUCCEEDS(hipDeviceReset());
  GIVES(hipErrorIllegalAddress, hipMemset2D(memory, 4096, 3, 64, 4));
  SUCCEEDS(hipDeviceReset());
  GIVES(hipErrorIllegalAddress, hipMemsetD32Async(memory, 4, GONE / 4, NULL));
  SUCCEEDS(hipDeviceReset());
  munmap(memory, GONE);
  GIVES(hipErrorIllegalAddress, hipMemset(memory, 0, GONE));
  SAYS(said(), "a fill of 16384 bytes from ");
}

Test(runtime_missing_memory, values_of_streams_that_are_gone_are_told) {
  int *memory = registered_memory();
  cr_redirect_stderr();
  SUCCEEDS(hipStreamWriteValue32(NULL, memory, 1, 0));
  munmap(memory, GONE);
  SUCCEEDS(hipStreamWriteValue32(NULL, memory, 2, 0));
  GIVES(hipErrorIllegalAddress, hipDeviceSynchronize());
  SUCCEEDS(hipDeviceReset());
  SUCCEEDS(hipStreamWaitValue64(NULL, memory, 2, hipStreamWaitValueEq, 15));
  GIVES(hipErrorIllegalAddress, hipDeviceSynchronize());
  const char *text = said();
  SAYS(text, "a stream writes the value of 4 bytes at");
  SAYS(text, "a stream waits for the value of 8 bytes at");
}

static char *guarded;
static int opened;
static void open_guarded(int signal) {
  (void)signal;
  opened++;
  mprotect(guarded, GONE, PROT_READ | PROT_WRITE);
}

// As garbage collectors do that want to know what is written.
Test(runtime_missing_memory, handlers_may_let_the_host_copy) {
  char *device = (char *)device_allocation(GONE);
  guarded = mmap(NULL, GONE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert(ne(ptr, guarded, MAP_FAILED));
  signal(SIGSEGV, open_guarded);
  SUCCEEDS(hipMemset(device, 7, GONE));
  SUCCEEDS(hipMemcpy(guarded, device, GONE, hipMemcpyDeviceToHost));
  cr_assert(all(eq(int, opened, 1), eq(int, guarded[GONE - 1], 7)));
}

// Pages that are filled when somebody first comes to them.
Test(runtime_missing_memory, handlers_may_open_what_cannot_be_read) {
  char *device = (char *)device_allocation(GONE);
  guarded = mmap(NULL, GONE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert(ne(ptr, guarded, MAP_FAILED));
  signal(SIGSEGV, open_guarded);
  SUCCEEDS(hipMemset(device, 7, GONE));
  SUCCEEDS(hipMemcpy(guarded, device, GONE, hipMemcpyDeviceToHost));
  mprotect(guarded, GONE, PROT_NONE);
  SUCCEEDS(hipMemcpy(device, guarded, GONE, hipMemcpyHostToDevice));
  cr_assert(all(eq(int, opened, 2), eq(int, guarded[GONE - 1], 7)));
}

static void do_nothing(int signal) { (void)signal; }
Test(runtime_missing_memory, handlers_that_do_not_help_are_asked_once) {
  char *device = (char *)device_allocation(GONE);
  void *closed = mmap(NULL, GONE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  signal(SIGSEGV, do_nothing);
  cr_redirect_stderr();
  GIVES(hipErrorIllegalAddress, hipMemcpy(closed, device, GONE, hipMemcpyDeviceToHost));
  SAYS(said(), "of the destination cannot be written");
}

static void told_of_signal(int signal) {
  static const char text[] = "the program's own handler\n";
  (void)signal;
  _exit(write(2, text, sizeof text - 1) > 0 ? 0 : 1);
}

// Its own mistakes go to the handler that it has set, before or after its first call; the device's do not.
static int ends_with(bool late, bool by_device) {
  int status;
  const pid_t child = fork();
  if (child == 0) {
    alarm(10); // a fault that nobody ends comes again and again
    if (!late)
      signal(SIGSEGV, told_of_signal);
    int *memory = registered_memory();
    SUCCEEDS(add_one_to(memory));
    if (late)
      signal(SIGSEGV, told_of_signal);
    munmap(memory, GONE);
    if (by_device)
      _exit(add_one_to(memory) == hipErrorIllegalAddress ? 3 : 4);
    *(volatile int *)memory = 1;
    _exit(2);
  }
  cr_assert(eq(int, waitpid(child, &status, 0), child));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A handler that jumps out of its signal, as interpreters do.
static sigjmp_buf survived;
static void survive(int signal) { siglongjmp(survived, signal); }

static int ends_after(void (*use)(int *memory)) {
  int status;
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    use(registered_memory());
    _exit(0);
  }
  cr_assert(eq(int, waitpid(child, &status, 0), child));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void survive_faults(int *memory) {
  signal(SIGSEGV, survive);
  SUCCEEDS(add_one_to(memory));
  munmap(memory, GONE);
  for (volatile int i = 0; i < 100; i++)
    if (sigsetjmp(survived, 1) == 0)
      *(volatile int *)memory = 1;
}

Test(runtime_missing_memory, handlers_may_jump_out_of_their_signal) {
  cr_assert(eq(int, ends_after(survive_faults), 0));
}

Test(runtime_missing_memory, signals_of_the_program_go_to_its_handler) {
  cr_assert(eq(int, ends_with(false, false), 0));
  cr_assert(eq(int, ends_with(true, false), 0));
  cr_assert(eq(int, ends_with(false, true), 3));
  cr_assert(eq(int, ends_with(true, true), 3));
}

// Has a kernel run until release() lets it end.
static int *held;
static void hold(void) {
  void *arguments[] = {&held};
  SUCCEEDS(hipHostMalloc((void **)&held, sizeof *held, 0));
  *held = 0;
  SUCCEEDS(launch(kernel_named("wait_for"), 1, 1, 0, arguments));
  usleep(50000); // it has begun
}
static void release(void) {
  *(volatile int *)held = 1;
  SUCCEEDS(hipDeviceSynchronize());
}

static struct sigaction found_before;
static int calls;
static void hand_on(int signal, siginfo_t *info, void *context) {
  if (++calls > 1)
    _exit(5);
  if (found_before.sa_flags & SA_SIGINFO) {
    found_before.sa_sigaction(signal, info, context);
    return;
  }
  sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
  raise(signal);
}
static void set_handler(void) {
  sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO},
            &found_before);
}
static void fail(void) { *(volatile int *)16 = 1; }

static void fail_between_calls(int *memory) {
  SUCCEEDS(add_one_to(memory));
  set_handler();
  SUCCEEDS(add_one_to(memory));
  fail();
}
static void fail_beside_a_kernel(int *memory) {
  (void)memory;
  hold();
  set_handler();
  release();
  hold();
  fail();
}
static void fail_after_a_kernel(int *memory) {
  (void)memory;
  hold();
  set_handler();
  release();
  fail();
}

Test(runtime_missing_memory, handlers_that_hand_on_what_they_get_are_called_once) {
  cr_assert(eq(int, ends_after(fail_between_calls), -SIGSEGV));
  cr_assert(eq(int, ends_after(fail_beside_a_kernel), -SIGSEGV));
  cr_assert(eq(int, ends_after(fail_after_a_kernel), -SIGSEGV));
}

static void send(int *memory) {
  SUCCEEDS(add_one_to(memory));
  raise(SIGSEGV);
}
static void send_beside_a_kernel(int *memory) {
  (void)memory;
  hold();
  raise(SIGBUS);
}
static void ignore_what_is_sent(int *memory) {
  (void)memory;
  signal(SIGSEGV, SIG_IGN);
  for (int i = 0; i < 2; i++) {
    hold();
    raise(SIGSEGV);
    raise(SIGSEGV);
    release();
    raise(SIGSEGV);
  }
}

Test(runtime_missing_memory, signals_that_are_sent_do_what_they_do_without_a_device) {
  cr_assert(eq(int, ends_after(send), -SIGSEGV));
  cr_assert(eq(int, ends_after(send_beside_a_kernel), -SIGBUS));
  cr_assert(eq(int, ends_after(ignore_what_is_sent), 0));
}

static void blocks_and_comes_once(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  if (++calls > 1 || !sigismember(&blocked, SIGUSR1) || !sigismember(&blocked, signal))
    _exit(5);
}
static void fail_with_flags(int *memory) {
  struct sigaction once = {.sa_handler = blocks_and_comes_once, .sa_flags = (int)SA_RESETHAND};
  (void)memory;
  sigaddset(&once.sa_mask, SIGUSR1);
  sigaction(SIGSEGV, &once, NULL);
  hold();
  fail();
}
static void ask_for_the_handler(int *memory) {
  struct sigaction found;
  SUCCEEDS(add_one_to(memory));
  sigaction(SIGSEGV, NULL, &found);
  _exit(found.sa_handler == SIG_DFL ? 3 : 4);
}

Test(runtime_missing_memory, handlers_are_called_as_they_were_set) {
  cr_assert(eq(int, ends_after(fail_with_flags), -SIGSEGV));
  cr_assert(eq(int, ends_after(ask_for_the_handler), 3));
}
