// What the program around the device does to its process: limits of address space, stacks and file descriptors, how it
// computes, threads that it cancels, processes that it forks.
#define _GNU_SOURCE // pthread_setattr_default_np, feenableexcept
#include "other_process.h"
#include "runtime_test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

enum { BLOCKS = 1 << 14 };

static void add_one(void) {
  int *values = device_allocation(256 * sizeof *values), n = 256;
  void *arguments[] = {&values, &n};
  SUCCEEDS(launch(kernel_named("add_one"), 4, 64, 0, arguments));
  SUCCEEDS(hipDeviceSynchronize());
}

static uint64_t address_space(void) { // in use, bytes
  unsigned long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  cr_assert(file && fscanf(file, "%llu", &pages) == 1);
  fclose(file);
  return 4096 * pages;
}

// With the largest power of two that fits for device memory nothing would be left for LLVM.
Test(runtime_surroundings, half_of_a_limited_address_space_is_left) {
  const rlim_t bytes = address_space() + (4ull << 30) + (32ull << 20);
  cr_assert(zero(int, setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes})));
  add_one();
  const uint64_t used = address_space();
  cr_assert(lt(u64, used, bytes - (1ull << 30)));
}

Test(runtime_surroundings, addresses_that_a_limit_leaves_run_out_with_its_name) {
  const rlim_t bytes = address_space() + (1ull << 30);
  void *address;
  int made = 0;
  cr_redirect_stderr();
  cr_assert(zero(int, setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes})));
  (void)device_allocation(1); // while it is live
  while (made < 4096 && hipMalloc(&address, 4 + made) == hipSuccess &&
         hipFree(address) == hipSuccess)
    made++;
  cr_assert(lt(int, made, 4096));
  const char *text = said();
  SAYS(text, "hipMalloc: no addresses for");
  SAYS(text, "ulimit -v leaves the process but");
}

Test(runtime_surroundings, what_never_fits_into_a_limit_is_told_with_its_name) {
  const rlim_t bytes = address_space() + (1ull << 30);
  void *address;
  cr_redirect_stderr();
  cr_assert(zero(int, setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes})));
  EXPECT(hipErrorOutOfMemory, hipMalloc(&address, 1ull << 30));
  const char *text = said();
  SAYS(text, "hipMalloc: no addresses for 1073741824 bytes: ulimit -v leaves the process but");
  SAYS(text, "raise it. Or choose a smaller size.");
}

// So little that LLVM would not find what it needs to translate: then nothing is.
static void add_in_so_little_room(rlim_t bytes) {
  const rlim_t all = address_space() + bytes;
  int *values = NULL, n = BLOCKS * 64;
  hipModule_t module;
  hipFunction_t add_one;
  void *arguments[] = {&values, &n};
  setrlimit(RLIMIT_AS, &(struct rlimit){all, all});
  EXPECT(hipSuccess, hipMalloc((void **)&values, (size_t)n * sizeof *values));
  EXPECT(hipSuccess, hipModuleLoad(&module, RUNTIME_KERNELS));
  EXPECT(hipSuccess, hipModuleGetFunction(&add_one, module, "add_one"));
  for (int i = 0; i < 4; i++)
    EXPECT(hipSuccess,
           hipModuleLaunchKernel(add_one, BLOCKS, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
  EXPECT(hipSuccess, hipDeviceSynchronize());
  _exit(0);
}

Test(runtime_surroundings, little_address_space_ends_no_program, .timeout = 60) {
  setenv("EMULATOR_MODEL", "0", 1); // the model wants much memory
  for (rlim_t mib = 150; mib <= 450; mib += 50) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
      add_in_so_little_room(mib << 20);
    cr_assert(eq(int, waitpid(child, &status, 0), child));
    cr_assert(zero(int, status), "%d MiB", (int)mib);
  }
}

// What pthread_create takes where ulimit -s is small.
Test(runtime_surroundings, stacks_are_our_own) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
  cr_assert(zero(int, pthread_setattr_default_np(&small)));
  add_one();
}

Test(runtime_surroundings, no_descriptor_is_told) {
  extern void **__hipRegisterFatBinary(const void *wrapper);
  extern void __hipRegisterFunction(void **module, const void *host, char *host_name, char *name,
                                    unsigned limit, void *tid, void *bid, dim3 *block, dim3 *grid,
                                    int *wave_size);
  static const char code[] = "__CLANG_OFFLOAD_BUNDLE__";
  const struct {
    uint32_t magic, version;
    const void *binary;
    void *unused;
  } wrapper = {0x48495046, 1, code, NULL};
  const dim3 one = {1, 1, 1};
  device_allocation(4);
  cr_redirect_stderr();
  void **module = __hipRegisterFatBinary(&wrapper);
  __hipRegisterFunction(module, &code, "f", "f", -1, NULL, NULL, NULL, NULL, NULL);
  while (open("/dev/null", O_RDONLY) >= 0)
    ;
  GIVES(hipErrorInvalidImage, hipLaunchKernel(&code, one, one, NULL, 0, NULL));
  SAYS(said(), "/proc/thread-self/maps: Too many open files.");
}

// A daemon closes what it inherited, and has files of its own under these numbers.
static bool leaves_files_alone(void) {
  enum { FILES = 16 };
  int *values = device_allocation(4), value = 0;
  FILE *file[FILES];
  bool alone = true;
  add_one();
  for (int i = 3; i < 256; i++)
    close(i);
  for (int i = 0; i < FILES; i++)
    file[i] = tmpfile();
  SUCCEEDS(hipMemcpy(values, &value, 4, hipMemcpyHostToDevice));
  add_one();
  SUCCEEDS(hipMemcpy(&value, values, 4, hipMemcpyDeviceToHost));
  for (int i = 0; i < FILES; i++)
    alone = alone && file[i] && lseek(fileno(file[i]), 0, SEEK_END) == 0;
  return alone;
}

Test(runtime_surroundings, files_under_closed_descriptors_are_left_alone) {
  int status;
  const pid_t child = fork(); // the test has descriptors of its own
  if (child == 0)
    _exit(leaves_files_alone() ? 0 : 1);
  cr_assert(eq(int, waitpid(child, &status, 0), child));
  cr_assert(zero(int, status));
}

// ---- how the program computes ----

// Half an odd denormal: 0 without denormals, one more if it is rounded up, inexact and too small for whoever traps that.
static void halve_a_denormal(hipFunction_t halve) {
  uint32_t *values = device_allocation(64 * sizeof *values), value = 0x00400001;
  void *arguments[] = {&values};
  SUCCEEDS(hipMemcpy(values, &value, sizeof value, hipMemcpyHostToDevice));
  SUCCEEDS(launch(halve, 1, 64, 0, arguments));
  SUCCEEDS(hipMemcpy(&value, values, sizeof value, hipMemcpyDeviceToHost));
  cr_assert(eq(u32, value, 0x00200000));
}

Test(runtime_surroundings, kernels_have_denormals_in_a_program_without) {
  const unsigned none = _mm_getcsr() | 0x8040;
  _mm_setcsr(none);
  halve_a_denormal(kernel_named("halve"));
  cr_assert(eq(uint, _mm_getcsr(), none));
}

Test(runtime_surroundings, kernels_round_to_nearest_in_a_program_that_rounds_up) {
  fesetround(FE_UPWARD);
  halve_a_denormal(kernel_named("halve"));
  cr_assert(eq(int, fegetround(), FE_UPWARD));
}

Test(runtime_surroundings, kernels_trap_nothing_in_a_program_that_traps) {
  feenableexcept(FE_INVALID | FE_INEXACT | FE_UNDERFLOW | FE_OVERFLOW | FE_DIVBYZERO);
  halve_a_denormal(kernel_named("halve"));
  cr_assert(eq(int, fedisableexcept(FE_ALL_EXCEPT),
               FE_INVALID | FE_INEXACT | FE_UNDERFLOW | FE_OVERFLOW | FE_DIVBYZERO));
}

// Where the system gives no threads the device works on the caller's.
Test(runtime_surroundings, the_callers_thread_computes_as_threads_do) {
  const struct rlimit none = {0, 0};
  hipFunction_t halve = kernel_named("halve");
  cr_assert(zero(int, setrlimit(RLIMIT_NPROC, &none)));
  cr_assert(geteuid() != 0 || setuid(65534) == 0); // root has no such limit
  fesetround(FE_UPWARD);
  halve_a_denormal(halve);
  cr_assert(eq(int, fegetround(), FE_UPWARD));
}

// ---- what the program allocates with ----

// Operators new and delete of the program, by their names in C: LLVM, in threads of the emulator, has its own.
static int allocated;
void *_Znwm(size_t size);
void *_Znam(size_t size);
void _ZdlPv(void *memory);
void *_Znwm(size_t size) {
  allocated++;
  return malloc(size);
}
void *_Znam(size_t size) { return _Znwm(size); }
void _ZdlPv(void *memory) { free(memory); }

Test(runtime_surroundings, operator_new_is_the_programs) {
  if (dlopen("libLLVM-15.so.1", RTLD_NOW | RTLD_NOLOAD))
    cr_skip("LLVM's archives are not installed, and its shared library takes the program's");
  setenv("EMULATOR_TRANSLATE", "1", 1);
  add_one();
  cr_assert(zero(int, allocated));
}

// ---- threads and processes of the program ----

static void *nothing(void *unused) { return unused; }

// The library's thread-local memory lies on the stack of every thread of the program.
Test(runtime_surroundings, threads_with_the_smallest_stack_begin) {
  pthread_attr_t smallest;
  pthread_t thread;
  pthread_attr_init(&smallest);
  cr_assert(zero(int, pthread_attr_setstacksize(&smallest, PTHREAD_STACK_MIN)));
  cr_assert(zero(int, pthread_create(&thread, &smallest, nothing, NULL)));
  pthread_join(thread, NULL);
}

static void *use_device(void *unused) {
  hipFunction_t function = kernel_named("add_one");
  int n = 0;
  for (int i = 0;; i++) {
    int *values = NULL;
    void *arguments[] = {&values, &n};
    hipMalloc((void **)&values, 256);
    hipModuleLaunchKernel(function, 64, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL);
    hipFree(values);
  }
  return unused;
}

Test(runtime_surroundings, a_cancelled_thread_leaves_no_lock_behind, .timeout = 60) {
  for (int i = 0; i < 20; i++) {
    pthread_t thread;
    cr_assert(zero(int, pthread_create(&thread, NULL, use_device, NULL)));
    usleep(5000 + 100 * (useconds_t)i);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    add_one();
  }
}

Test(runtime_surroundings, helpers_forked_beside_calls_come_to_their_end, .timeout = 60) {
  pthread_t thread[3];
  add_one();
  for (int i = 0; i < 3; i++)
    cr_assert(zero(int, pthread_create(&thread[i], NULL, use_device, NULL)));
  for (int i = 0; i < 100; i++) {
    int status;
    const pid_t child = fork();
    if (child == 0) {
      alarm(5);
      hipSetDevice(0);
      _exit(0);
    }
    cr_assert(eq(int, waitpid(child, &status, 0), child));
    cr_assert(zero(int, status), "helper %d hangs", i);
  }
  for (int i = 0; i < 3; i++)
    pthread_cancel(thread[i]), pthread_join(thread[i], NULL);
}

static void *raise_late(void *flag) {
  sleep(10);
  *(volatile int *)flag = 1;
  return NULL;
}

static int *pinned_flag(void) {
  int *flag = NULL;
  SUCCEEDS(hipHostMalloc((void **)&flag, sizeof *flag, 0));
  *flag = 0;
  return flag;
}

static void forget_handlers(void) { // of the test's own
  signal(SIGALRM, SIG_DFL);
  for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
    signal(s, SIG_DFL);
  for (int i = 0; i < 4; i++)
    signal((const int[]){SIGVTALRM, SIGUSR1, SIGUSR2, SIGIO}[i], SIG_DFL);
}

// A producer that waits for a disk or a user, while the thread that launched waits for the device.
Test(runtime_surroundings, a_kernel_may_wait_long_for_another_thread, .timeout = 60) {
  int *flag = pinned_flag();
  void *arguments[] = {&flag};
  pthread_t thread;
  forget_handlers();
  cr_assert(zero(int, pthread_create(&thread, NULL, raise_late, flag)));
  SUCCEEDS(launch(kernel_named("wait_for"), 1, 1, 0, arguments));
  SUCCEEDS(hipDeviceSynchronize());
  pthread_join(thread, NULL);
}

static int *awaited;
static void raise_flag(int unused) {
  (void)unused;
  *(volatile int *)awaited = 1;
}

static bool waits_for_handler(void) {
  awaited = pinned_flag();
  void *arguments[] = {&awaited};
  signal(SIGALRM, raise_flag);
  alarm(10);
  return launch(kernel_named("wait_for"), 1, 1, 0, arguments) == hipSuccess &&
         hipDeviceSynchronize() == hipSuccess;
}

Test(runtime_surroundings, a_kernel_may_wait_long_for_a_handler_of_signals, .timeout = 60) {
  int status;
  const pid_t child = fork(); // without the test's own threads
  if (child == 0) {
    forget_handlers();
    _exit(waits_for_handler() ? 0 : 1);
  }
  cr_assert(eq(int, waitpid(child, &status, 0), child));
  cr_assert(zero(int, status));
}

// ---- signals and processors ----

static pthread_t handled_by;
static void note_thread(int unused) {
  (void)unused;
  handled_by = pthread_self();
}

static void call_back(void *mask) { pthread_sigmask(SIG_SETMASK, NULL, mask); }

Test(runtime_surroundings, signals_are_for_the_programs_threads) {
  sigset_t mask, pending, callback;
  signal(SIGUSR1, note_thread);
  add_one();
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &mask, NULL);
  kill(getpid(), SIGUSR1);
  usleep(100000);
  sigpending(&pending);
  cr_assert(sigismember(&pending, SIGUSR1), "a thread of the emulator took it");
  pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
  cr_assert(pthread_equal(handled_by, pthread_self()));
  SUCCEEDS(hipLaunchHostFunc(NULL, call_back, &callback));
  SUCCEEDS(hipStreamSynchronize(NULL));
  cr_assert(not(sigismember(&callback, SIGUSR1)), "callbacks are the program's");
}

static int bound_threads(void) { // to one processor
  DIR *tasks = opendir("/proc/self/task");
  int bound = 0;
  for (const struct dirent *task; (task = readdir(tasks));) {
    cpu_set_t allowed;
    if (task->d_name[0] != '.' &&
        sched_getaffinity(atoi(task->d_name), sizeof allowed, &allowed) == 0)
      bound += CPU_COUNT(&allowed) == 1;
  }
  closedir(tasks);
  return bound;
}

Test(runtime_surroundings, a_thread_that_is_bound_binds_none_of_the_device) {
  cpu_set_t all, one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  cr_assert(zero(int, sched_getaffinity(0, sizeof all, &all)));
  if (CPU_COUNT(&all) == 1)
    cr_skip("there is one processor");
  cr_assert(zero(int, sched_setaffinity(0, sizeof one, &one)));
  add_one();
  cr_assert(eq(int, bound_threads(), 1));
}

// ---- stdout ----

// A pipe that does not block, and whose reader is slow, makes a write fail. The next ones are whole.
Test(runtime_surroundings, kernels_print_on_after_a_failed_write) {
  int ends[2];
  char text[1 << 17];
  cr_assert(zero(int, pipe2(ends, O_NONBLOCK)));
  dup2(ends[1], 1);
  while (write(1, text, 4096) > 0)
    ;
  SUCCEEDS(launch(kernel_named("print_a_half"), 1, 1, 0, NULL));
  SUCCEEDS(hipDeviceSynchronize());
  fflush(stdout);
  while (read(ends[0], text, sizeof text) > 0)
    ;
  for (int i = 0; i < 2; i++)
    SUCCEEDS(launch(kernel_named("print_a_half"), 1, 1, 0, NULL));
  SUCCEEDS(hipDeviceSynchronize());
  fflush(stdout);
  const ssize_t size = read(ends[0], text, sizeof text);
  cr_assert(size >= 8 && memcmp(text + size - 8, "0.5\n0.5\n", 8) == 0, "%zd: %.*s", size,
            (int)size, text);
}

// Code that a program has in it, whose end only its mapping tells; and what a copy looks at.
static void *work_without_main(void *main_thread) {
  static char values[4096];
  void *memory;
  size_t size;
  hipModule_t module;
  pthread_join(*(pthread_t *)main_thread, NULL);
  EXPECT(hipSuccess, hipModuleLoadData(&module, kernel_file(&size)));
  EXPECT(hipSuccess, hipMalloc(&memory, sizeof values));
  EXPECT(hipSuccess, hipMemcpy(memory, values, sizeof values, hipMemcpyHostToDevice));
  EXPECT(hipErrorInvalidValue, hipMemcpy(memory, (void *)4096, 1, hipMemcpyHostToDevice));
  _exit(0);
}

Test(runtime_surroundings, main_may_end_before_other_threads, .timeout = 60) {
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    static pthread_t main_thread;
    pthread_t thread;
    main_thread = pthread_self();
    if (pthread_create(&thread, NULL, work_without_main, &main_thread) == 0)
      pthread_exit(NULL);
    _exit(1);
  }
  cr_assert(eq(int, waitpid(child, &status, 0), child));
  cr_assert(zero(int, status));
}
