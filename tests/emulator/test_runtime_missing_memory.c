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
