// Several host threads that use the device at once, each with a stream, memory, events, callbacks and a graph of
// its own: their work stays apart, and under ThreadSanitizer (make races) nothing meets unguarded.
#include "other_process.h"
#include "runtime_test.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 10, BLOCK = 64, BLOCKS = 64, COUNT = BLOCK * BLOCKS };

typedef struct {
  hipFunction_t add_one, times_two;
  hipStream_t stream;
  hipEvent_t event;
  int *pinned, called;
} Work;

static void on(Work *work, hipFunction_t function, int *memory) {
  int count = COUNT;
  void *arguments[] = {&memory, &count};
  SUCCEEDS(
      hipModuleLaunchKernel(function, BLOCKS, 1, 1, BLOCK, 1, 1, 0, work->stream, arguments, NULL));
}

static void call(void *called) { *(int *)called += 1; }

static hipGraphExec_t doubling(Work *work, int *memory) {
  hipGraph_t graph = NULL;
  hipGraphExec_t exec = NULL;
  SUCCEEDS(hipStreamBeginCapture(work->stream, hipStreamCaptureModeThreadLocal));
  on(work, work->times_two, memory);
  SUCCEEDS(hipLaunchHostFunc(work->stream, call, &work->called));
  SUCCEEDS(hipStreamEndCapture(work->stream, &graph));
  SUCCEEDS(hipGraphInstantiateWithFlags(&exec, graph, 0));
  SUCCEEDS(hipGraphDestroy(graph));
  return exec;
}

// (round + 1) * 2 in every element.
static void one_round(Work *work, int round) {
  const size_t bytes = COUNT * sizeof(int);
  void *memory = NULL;
  SUCCEEDS(hipMallocAsync(&memory, bytes, work->stream));
  SUCCEEDS(hipMemsetD32Async(memory, round, COUNT, work->stream));
  on(work, work->add_one, memory);
  hipGraphExec_t exec = doubling(work, memory);
  SUCCEEDS(hipGraphLaunch(exec, work->stream));
  SUCCEEDS(hipMemcpyAsync(work->pinned, memory, bytes, hipMemcpyDeviceToHost, work->stream));
  SUCCEEDS(hipEventRecord(work->event, work->stream));
  SUCCEEDS(hipFreeAsync(memory, work->stream));
  while (hipEventQuery(work->event) == hipErrorNotReady)
    SUCCEEDS(hipFree(device_allocation(bytes)));
  for (int i = 0; i < COUNT; i++)
    cr_assert(eq(int, work->pinned[i], 2 * (round + 1)));
  cr_assert(eq(int, work->called, round + 1));
  SUCCEEDS(hipGraphExecDestroy(exec));
}

static void *rounds(void *unused) {
  (void)unused;
  Work work = {.add_one = kernel_named("add_one"), .times_two = kernel_named("times_two")};
  SUCCEEDS(hipStreamCreateWithFlags(&work.stream, hipStreamNonBlocking));
  SUCCEEDS(hipEventCreateWithFlags(&work.event, hipEventDisableTiming));
  SUCCEEDS(hipHostMalloc((void **)&work.pinned, COUNT * sizeof(int), 0));
  for (int round = 0; round < ROUNDS; round++)
    one_round(&work, round);
  SUCCEEDS(hipStreamDestroy(work.stream));
  SUCCEEDS(hipEventDestroy(work.event));
  SUCCEEDS(hipHostFree(work.pinned));
  return NULL;
}

static void run_threads(void) {
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++)
    cr_assert(zero(int, pthread_create(&thread[i], NULL, rounds, NULL)));
  for (int i = 0; i < THREADS; i++)
    cr_assert(zero(int, pthread_join(thread[i], NULL)));
}

Test(runtime_threads, work_apart_from_each_other, .timeout = 60) {
  run_threads();
  SUCCEEDS(hipDeviceReset());
}

Test(runtime_threads, work_apart_while_blocks_are_translated, .timeout = 60) {
  setenv("EMULATOR_TRANSLATE", "500", 1);
  setenv("EMULATOR_THREADS", "4", 1);
  run_threads();
}

// A launch on several threads of the host that adds one to each element.
static bool adds_one(hipFunction_t add_one, int *memory, int from) {
  int count = COUNT, values[COUNT];
  void *arguments[] = {&memory, &count};
  if (hipMemsetD32(memory, from, COUNT) != hipSuccess ||
      launch(add_one, BLOCKS, BLOCK, 0, arguments) != hipSuccess ||
      hipMemcpy(values, memory, sizeof values, hipMemcpyDeviceToHost) != hipSuccess)
    return false;
  bool right = true;
  for (int i = 0; i < COUNT; i++)
    right = right && values[i] == from + 1;
  return right;
}

Test(runtime_threads, are_there_again_in_a_process_that_fork_made, .timeout = 60) {
  setenv("EMULATOR_THREADS", "4", 1);
  hipFunction_t add_one = kernel_named("add_one");
  int *memory = device_allocation(COUNT * sizeof(int)), status;
  cr_assert(adds_one(add_one, memory, 5) && adds_one(add_one, memory, 7));
  const pid_t child = fork();
  if (child == 0)
    _exit(adds_one(add_one, memory, 11) && adds_one(add_one, memory, 13) ? 0 : 1);
  cr_assert(eq(int, waitpid(child, &status, 0), child));
  cr_assert(eq(int, status, 0));
  cr_assert(adds_one(add_one, memory, 17));
}

static void *launch_again_and_again(void *stop) {
  const hipFunction_t add_one = kernel_named("add_one");
  int *memory = device_allocation(COUNT * sizeof *memory);
  while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED)) {
    for (int i = 0; i < 20; i++)
      SUCCEEDS(launch(add_one, 1, BLOCK, 0, (void *[]){&memory, &(int){BLOCK}}));
    SUCCEEDS(hipStreamSynchronize(NULL));
  }
  return NULL;
}

// Another thread may ask the stream for something between the wait for it and the copy.
Test(runtime_threads, copy_within_the_call_what_no_call_knows, .timeout = 60) {
  enum { WORDS = 256, COPIES = 3000 };
  bool stop = false;
  pthread_t other;
  int *memory = device_allocation(WORDS * sizeof *memory), wrong = 0;
  cr_assert(zero(int, pthread_create(&other, NULL, launch_again_and_again, &stop)));
  for (int n = 1; n <= COPIES; n++) {
    int from[WORDS], to[WORDS];
    for (int i = 0; i < WORDS; i++)
      from[i] = n;
    SUCCEEDS(hipMemcpyAsync(memory, from, sizeof from, hipMemcpyHostToDevice, NULL));
    memset(from, 0xee, sizeof from);
    memset(to, 0, sizeof to);
    SUCCEEDS(hipMemcpy2DAsync(to, sizeof to, memory, sizeof to, sizeof to, 1, hipMemcpyDeviceToHost,
                              NULL));
    wrong += to[0] != n || to[WORDS - 1] != n;
  }
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  cr_assert(zero(int, pthread_join(other, NULL)));
  cr_assert(eq(int, wrong, 0));
}

// What was not registered: that takes no time, so most of it is to wait.
static void *give_back_again_and_again(void *stop) {
  while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED))
    GIVES(hipErrorHostMemoryNotRegistered, hipHostUnregister(stop));
  return NULL;
}

// What is given back waits for the kernel, which waits for what this thread does after its next call.
Test(runtime_threads, give_back_while_a_kernel_waits_for_another_thread, .timeout = 60) {
  enum { KERNELS = 300, OTHERS = 6 };
  bool stop = false;
  pthread_t other[OTHERS];
  hipEvent_t event;
  int *flag;
  const hipFunction_t wait_for = kernel_named("wait_for");
  SUCCEEDS(hipHostMalloc((void **)&flag, sizeof *flag, 0));
  SUCCEEDS(hipEventCreate(&event));
  for (int i = 0; i < OTHERS; i++)
    cr_assert(zero(int, pthread_create(&other[i], NULL, give_back_again_and_again, &stop)));
  for (int n = 0; n < KERNELS; n++) {
    *(volatile int *)flag = 0;
    SUCCEEDS(launch(wait_for, 1, 1, 0, (void *[]){&flag}));
    SUCCEEDS(hipEventRecord(event, NULL));
    *(volatile int *)flag = 1;
    SUCCEEDS(hipStreamSynchronize(NULL));
  }
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  for (int i = 0; i < OTHERS; i++)
    cr_assert(zero(int, pthread_join(other[i], NULL)));
}

// Programs call hipFree(0) to begin, from any thread.
Test(runtime_threads, wait_for_nothing_where_nothing_is_given_back, .timeout = 60) {
  const hipFunction_t wait_for = kernel_named("wait_for");
  int *flag;
  SUCCEEDS(hipHostMalloc((void **)&flag, sizeof *flag, 0));
  *(volatile int *)flag = 0;
  SUCCEEDS(launch(wait_for, 1, 1, 0, (void *[]){&flag}));
  SUCCEEDS(hipFree(NULL));
  SUCCEEDS(hipHostFree(NULL));
  SUCCEEDS(hipDestroyTextureObject(NULL));
  GIVES(hipErrorInvalidValue, hipFreeArray(NULL));
  GIVES(hipErrorInvalidValue, hipHostUnregister(NULL));
  GIVES(hipErrorNotReady, hipStreamQuery(NULL));
  *(volatile int *)flag = 1;
  SUCCEEDS(hipStreamSynchronize(NULL));
}

// The device's thread copies from an array while this one makes and ends what handles stand for.
Test(runtime_threads, arrays_are_copied_while_handles_come_and_go, .timeout = 60) {
  enum { EVENTS = 64 };
  const hipChannelFormatDesc words = {32, 0, 0, 0, hipChannelFormatKindSigned};
  const hipFunction_t add_one = kernel_named("add_one");
  int *memory = device_allocation(COUNT * sizeof *memory), *pinned = NULL, count = COUNT;
  void *arguments[] = {&memory, &count};
  hipEvent_t event[EVENTS];
  hipArray *array;
  SUCCEEDS(hipHostMalloc((void **)&pinned, COUNT * sizeof *pinned, 0));
  SUCCEEDS(hipMallocArray(&array, &words, COUNT, 0, 0));
  for (int round = 1; round <= 50; round++) {
    SUCCEEDS(hipModuleLaunchKernel(add_one, BLOCKS, 1, 1, BLOCK, 1, 1, 0, NULL, arguments, NULL));
    SUCCEEDS(hipMemcpy3DAsync(&(hipMemcpy3DParms){.srcPtr = {memory, COUNT * 4, COUNT * 4, 1},
                                                  .dstArray = array,
                                                  .extent = {COUNT, 1, 1},
                                                  .kind = hipMemcpyDefault},
                              NULL));
    SUCCEEDS(hipMemcpy3DAsync(&(hipMemcpy3DParms){.srcArray = array,
                                                  .dstPtr = {pinned, COUNT * 4, COUNT * 4, 1},
                                                  .extent = {COUNT, 1, 1},
                                                  .kind = hipMemcpyDefault},
                              NULL));
    for (int i = 0; i < EVENTS; i++)
      SUCCEEDS(hipEventCreate(&event[i]));
    for (int i = 0; i < EVENTS; i++)
      SUCCEEDS(hipEventDestroy(event[i]));
    SUCCEEDS(hipStreamSynchronize(NULL));
    for (int i = 0; i < COUNT; i++)
      cr_assert(eq(int, pinned[i], round));
  }
  SUCCEEDS(hipFreeArray(array));
  SUCCEEDS(hipHostFree(pinned));
}

// Code that was just loaded is decoded, and what it prints is written, while the process is copied.
static bool load_and_print(void) {
  hipModule_t module;
  hipFunction_t print;
  return hipModuleLoad(&module, RUNTIME_KERNELS) == hipSuccess &&
         hipModuleGetFunction(&print, module, "print_a_half") == hipSuccess &&
         hipModuleLaunchKernel(print, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) == hipSuccess &&
         hipStreamSynchronize(NULL) == hipSuccess && hipModuleUnload(module) == hipSuccess;
}

static void *load_again_and_again(void *stop) {
  while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED))
    cr_assert(load_and_print());
  return NULL;
}

Test(runtime_threads, work_in_a_process_that_fork_made_meanwhile, .timeout = 60) {
  enum { FORKS = 40 };
  bool stop = false;
  pthread_t thread;
  cr_assert(ne(ptr, freopen("/dev/null", "w", stdout), NULL)); // a pipe would fill
  cr_assert(load_and_print());
  cr_assert(zero(int, pthread_create(&thread, NULL, load_again_and_again, &stop)));
  for (int i = 0; i < FORKS; i++) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
      alarm(20); // where it hangs
      _exit(load_and_print() ? 0 : 1);
    }
    cr_assert(eq(int, waitpid(child, &status, 0), child));
    cr_assert(zero(int, status));
  }
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  pthread_join(thread, NULL);
}

// ---- a kernel that waits, of a program that has no other threads than these ----

enum { LATE = 9 }; // seconds: a kernel ends sooner if nobody can end it

typedef struct {
  hipFunction_t endless, add_one;
  hipStream_t waiting, other;
  int *flag; // of the device
  bool by_kernel;
} Late;

static void raise_flag(Late *late) {
  static int one = 1;
  void *arguments[] = {&late->flag, &one};
  if (late->by_kernel)
    EXPECT(hipSuccess,
           hipModuleLaunchKernel(late->add_one, 1, 1, 1, 1, 1, 1, 0, late->other, arguments, NULL));
  else
    EXPECT(hipSuccess,
           hipMemcpyAsync(late->flag, &one, sizeof one, hipMemcpyHostToDevice, late->other));
}

static void *raise_late(void *late) {
  EXPECT(hipSuccess, hipSetDevice(0)); // so that it is known to ask the device
  sleep(LATE);
  raise_flag(late);
  EXPECT(hipSuccess, hipStreamSynchronize(((Late *)late)->other));
  return NULL;
}

static void sleep_long(hipStream_t stream, hipError_t status, void *unused) {
  (void)stream, (void)status, (void)unused;
  sleep(LATE);
}

static void wait_in_this_process(bool by_kernel, bool behind_callback) {
  Late late = {.by_kernel = by_kernel};
  hipModule_t module;
  pthread_t thread;
  void *arguments[] = {&late.flag};
  EXPECT(hipSuccess, hipModuleLoad(&module, RUNTIME_KERNELS));
  EXPECT(hipSuccess, hipModuleGetFunction(&late.endless, module, "endless"));
  EXPECT(hipSuccess, hipModuleGetFunction(&late.add_one, module, "add_one"));
  EXPECT(hipSuccess, hipStreamCreateWithFlags(&late.waiting, hipStreamNonBlocking));
  EXPECT(hipSuccess, hipStreamCreateWithFlags(&late.other, hipStreamNonBlocking));
  EXPECT(hipSuccess, hipMalloc((void **)&late.flag, sizeof *late.flag));
  EXPECT(hipSuccess, hipMemset(late.flag, 0, sizeof *late.flag));
  EXPECT(hipSuccess,
         hipModuleLaunchKernel(late.endless, 1, 1, 1, 1, 1, 1, 0, late.waiting, arguments, NULL));
  if (behind_callback) {
    EXPECT(hipSuccess, hipStreamAddCallback(late.other, sleep_long, NULL, 0));
    raise_flag(&late);
  } else if (pthread_create(&thread, NULL, raise_late, &late)) {
    _exit(1);
  }
  EXPECT(hipSuccess, hipStreamSynchronize(late.waiting));
  _exit(0);
}

static void expect_an_end(bool by_kernel, bool behind_callback) {
  int status = -1;
  setenv("EMULATOR_MODEL", "0", 1);
  const pid_t child = fork();
  cr_assert(ge(int, child, 0));
  if (child == 0)
    wait_in_this_process(by_kernel, behind_callback);
  cr_assert(eq(int, waitpid(child, &status, 0), child));
  cr_assert(zero(int, status));
}

Test(runtime_threads, a_kernel_waits_for_a_late_copy, .timeout = 60) {
  expect_an_end(false, false);
}
Test(runtime_threads, a_kernel_waits_for_a_late_kernel, .timeout = 60) {
  expect_an_end(true, false);
}
Test(runtime_threads, a_kernel_waits_for_what_is_called_back, .timeout = 60) {
  expect_an_end(true, true);
}
