// Memory and events that two processes share.
#include "other_process.h"
#include "runtime_test.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 64 };

// What the first process tells the other, and when to go on.
typedef struct {
  hipIpcMemHandle_t memory, middle;
  hipIpcEventHandle_t event;
} Told;

static int down[2], up[2]; // pipes

static void send_to(int pipe, const void *data, size_t size) {
  cr_assert(eq(sz, (size_t)write(pipe, data, size), size));
}

static void receive(int pipe, void *data, size_t size) {
  cr_assert(eq(sz, (size_t)read(pipe, data, size), size));
}

static void step(int pipe) { send_to(pipe, "", 1); }
static void wait_step(int pipe) { receive(pipe, &(char){0}, 1); }

// The other process: waits for the event, works on the memory, and looks at it until it is gone.
static void work_on_it(void) {
  Told told;
  alarm(50); // it must not outlive a test that failed
  int *memory = NULL, *again = NULL, *middle = NULL, n = N;
  hipEvent_t event;
  receive(down[0], &told, sizeof told);
  EXPECT(hipSuccess, hipIpcOpenMemHandle((void **)&memory, told.memory, 0));
  EXPECT(hipSuccess, hipIpcOpenMemHandle((void **)&again, told.memory, 0));
  EXPECT(hipSuccess, hipIpcOpenMemHandle((void **)&middle, told.middle, 0));
  EXPECT(hipSuccess, hipIpcOpenEventHandle(&event, told.event));
  if (again != memory || middle != memory + N / 2)
    _exit(2);
  EXPECT(hipErrorNotReady, hipEventQuery(event));
  step(up[1]);
  EXPECT(hipSuccess, hipStreamWaitEvent(NULL, event, 0));
  hipModule_t module;
  hipFunction_t add_one;
  EXPECT(hipSuccess, hipModuleLoad(&module, RUNTIME_KERNELS));
  EXPECT(hipSuccess, hipModuleGetFunction(&add_one, module, "add_one"));
  void *arguments[] = {&memory, &n};
  EXPECT(hipSuccess, hipModuleLaunchKernel(add_one, 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL));
  EXPECT(hipSuccess, hipDeviceSynchronize());
  EXPECT(hipSuccess, hipEventSynchronize(event));
  EXPECT(hipErrorInvalidValue, hipFree(memory));
  EXPECT(hipSuccess, hipIpcCloseMemHandle(memory));
  EXPECT(hipSuccess, hipIpcCloseMemHandle(middle));
  EXPECT(hipSuccess, hipMemset(memory + 1, 0, 4)); // still open once
  EXPECT(hipSuccess, hipIpcCloseMemHandle(memory));
  EXPECT(hipErrorInvalidValue, hipMemset(memory, 0, 4));
  EXPECT(hipErrorInvalidValue, hipIpcCloseMemHandle(memory));
  step(up[1]);
  wait_step(down[0]); // freed there
  EXPECT(hipErrorInvalidDevicePointer, hipIpcOpenMemHandle((void **)&memory, told.memory, 0));
  _exit(0);
}

static pid_t other_process(void) {
  cr_assert(all(zero(int, pipe(down)), zero(int, pipe(up))));
  const pid_t other = fork();
  cr_assert(ge(int, other, 0));
  if (other == 0)
    work_on_it();
  return other;
}

Test(runtime_ipc, another_process_works_on_the_same_memory, .timeout = 60) {
  const pid_t other = other_process();
  Told told;
  int *memory = device_allocation(N * sizeof *memory), *flag, back[N], n = N, status = -1;
  hipStream_t stream;
  hipEvent_t event;
  void *waits[] = {&flag}, *adds[] = {&memory, &n};
  SUCCEEDS(hipHostMalloc((void **)&flag, sizeof *flag, 0));
  SUCCEEDS(hipStreamCreate(&stream));
  *flag = 0;
  for (int i = 0; i < N; i++)
    back[i] = 10 * i;
  SUCCEEDS(hipMemcpy(memory, back, sizeof back, hipMemcpyHostToDevice));
  SUCCEEDS(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  SUCCEEDS(hipIpcGetMemHandle(&told.memory, memory));
  SUCCEEDS(hipIpcGetMemHandle(&told.middle, memory + N / 2));
  SUCCEEDS(hipIpcGetEventHandle(&told.event, event));
  SUCCEEDS(
      hipModuleLaunchKernel(kernel_named("endless"), 1, 1, 1, 1, 1, 1, 0, stream, waits, NULL));
  SUCCEEDS(
      hipModuleLaunchKernel(kernel_named("times_two"), 1, 1, 1, N, 1, 1, 0, stream, adds, NULL));
  SUCCEEDS(hipEventRecord(event, stream));
  send_to(down[1], &told, sizeof told);
  wait_step(up[0]); // it has the event, which is not yet reached
  *flag = 1;
  wait_step(up[0]);
  SUCCEEDS(hipMemcpy(back, memory, sizeof back, hipMemcpyDeviceToHost));
  for (int i = 0; i < N; i++)
    cr_assert(eq(int, back[i], i == 1 ? 0 : 20 * i + 1));
  SUCCEEDS(hipFree(memory));
  hipIpcMemHandle_t next;
  SUCCEEDS(hipIpcGetMemHandle(&next, device_allocation(4))); // closes what was freed
  step(down[1]);
  cr_assert(eq(int, waitpid(other, &status, 0), other));
  cr_assert(zero(int, status));
}

static void fill_with_zeroes(const hipIpcMemHandle_t *handle) {
  int *memory = NULL;
  EXPECT(hipSuccess, hipIpcOpenMemHandle((void **)&memory, *handle, 0));
  EXPECT(hipSuccess, hipMemset(memory, 0, N * sizeof *memory));
  _exit(0);
}

// The process that shares memory cannot know what others write.
Test(runtime_ipc, what_another_process_may_write_counts_as_written, .timeout = 60) {
  setenv("EMULATOR_SANITIZE", "1", 1);
  hipIpcMemHandle_t handle;
  int n = N, status = -1;
  cr_assert(zero(int, pipe(down)));
  const pid_t other = fork();
  if (other == 0) {
    receive(down[0], &handle, sizeof handle);
    fill_with_zeroes(&handle);
  }
  int *memory = device_allocation(N * sizeof *memory);
  void *adds[] = {&memory, &n};
  SUCCEEDS(hipIpcGetMemHandle(&handle, memory));
  send_to(down[1], &handle, sizeof handle);
  cr_assert(eq(int, waitpid(other, &status, 0), other));
  cr_assert(zero(int, status));
  SUCCEEDS(launch(kernel_named("add_one"), 1, N, 0, adds));
  SUCCEEDS(hipDeviceSynchronize());
}

Test(runtime_ipc, what_is_not_shared) {
  cr_redirect_stderr();
  hipIpcMemHandle_t handle;
  hipIpcEventHandle_t of_event;
  hipEvent_t event;
  void *memory = device_allocation(64), *host;
  SUCCEEDS(hipHostMalloc(&host, 64, 0));
  SUCCEEDS(hipEventCreate(&event));
  GIVES(hipErrorInvalidDevicePointer, hipIpcGetMemHandle(&handle, host));
  GIVES(hipErrorInvalidValue, hipIpcGetMemHandle(&handle, NULL));
  GIVES(hipErrorInvalidConfiguration, hipIpcGetEventHandle(&of_event, event));
  SUCCEEDS(hipIpcGetMemHandle(&handle, memory));
  GIVES(hipErrorInvalidContext, hipIpcOpenMemHandle(&host, handle, 0));
  memset(&handle, 0x5a, sizeof handle);
  GIVES(hipErrorInvalidValue, hipIpcOpenMemHandle(&host, handle, 0));
  const char *text = said();
  SAYS(text, "only such memory is shared");
  SAYS(text, "hipEventInterprocess | hipEventDisableTiming");
  SAYS(text, "the handle is this process's own");
}

// The event that a refused handle leaves is one of this process alone.
static void expect_event(hipError_t code, hipIpcEventHandle_t handle) {
  hipEvent_t event = NULL;
  GIVES(code, hipIpcOpenEventHandle(&event, handle));
  SUCCEEDS(hipEventRecord(event, NULL));
  SUCCEEDS(hipEventSynchronize(event));
  SUCCEEDS(hipEventDestroy(event));
}

Test(runtime_ipc, refused_handles_leave_an_event) {
  cr_redirect_stderr();
  hipIpcEventHandle_t none, own, gone;
  hipEvent_t event;
  SUCCEEDS(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  SUCCEEDS(hipIpcGetEventHandle(&own, event));
  memset(&none, 0, sizeof none);
  gone = own;
  const int32_t no_process = -1;
  memcpy((char *)&gone + 8, &no_process, sizeof no_process); // behind the mark
  expect_event(hipErrorInvalidValue, none);
  expect_event(hipErrorInvalidContext, own);
  expect_event(hipErrorInvalidHandle, gone);
  GIVES(hipErrorInvalidValue, hipIpcOpenEventHandle(NULL, own));
  SUCCEEDS(hipEventDestroy(event));
}

// Who waits for an event waits for what was recorded until then, not for what comes later: here that would be itself.
Test(runtime_ipc, a_stream_waits_for_the_record_before, .timeout = 20) {
  int *flag, *value;
  hipIpcEventHandle_t handle;
  hipEvent_t event;
  hipStream_t first, second;
  SUCCEEDS(hipHostMalloc((void **)&flag, sizeof *flag, 0));
  SUCCEEDS(hipHostMalloc((void **)&value, sizeof *value, 0));
  *flag = *value = 0;
  int n = 1;
  void *waits[] = {&flag}, *adds[] = {&value, &n};
  SUCCEEDS(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
  SUCCEEDS(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  SUCCEEDS(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  SUCCEEDS(hipIpcGetEventHandle(&handle, event));
  SUCCEEDS(hipModuleLaunchKernel(kernel_named("endless"), 1, 1, 1, 1, 1, 1, 0, first, waits, NULL));
  SUCCEEDS(hipEventRecord(event, first));
  SUCCEEDS(hipStreamWaitEvent(second, event, 0));
  SUCCEEDS(hipModuleLaunchKernel(kernel_named("add_one"), 1, 1, 1, 1, 1, 1, 0, second, adds, NULL));
  SUCCEEDS(hipEventRecord(event, second));
  usleep(50000);
  cr_assert(zero(int, *(volatile int *)value));
  *(volatile int *)flag = 1;
  SUCCEEDS(hipStreamSynchronize(second));
  cr_assert(eq(int, *value, 1));
}

// It has one thread, which waits: nobody else in it can end the kernel.
static void wait_for_flag(volatile int *flag) {
  void *arguments[] = {&flag};
  EXPECT(hipSuccess, hipHostRegister((void *)flag, 4096, 0));
  EXPECT(hipSuccess, hipModuleLaunchKernel(kernel_named("endless"), 1, 1, 1, 1, 1, 1, 0, NULL,
                                           arguments, NULL));
  EXPECT(hipSuccess, hipDeviceSynchronize());
  _exit(0);
}

// Longer than a kernel may wait for what nobody can write.
Test(runtime_ipc, a_kernel_may_wait_for_another_process, .timeout = 60) {
  enum { SECONDS = 9 };
  int status = -1;
  volatile int *flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  cr_assert(ne(ptr, (void *)flag, MAP_FAILED));
  const pid_t other = fork();
  cr_assert(ge(int, other, 0));
  if (other == 0)
    wait_for_flag(flag);
  sleep(SECONDS);
  *flag = 1;
  cr_assert(eq(int, waitpid(other, &status, 0), other));
  cr_assert(zero(int, status));
}
