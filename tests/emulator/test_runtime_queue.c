// A device that works on its own: what is queued, in which order, and what callbacks may do.
#include "runtime_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static hipStream_t new_stream(unsigned flags) {
  hipStream_t stream = NULL;
  SUCCEEDS(hipStreamCreateWithFlags(&stream, flags));
  return stream;
}

static void *pinned(size_t size) {
  void *address = NULL;
  SUCCEEDS(hipHostMalloc(&address, size, 0));
  return address;
}

// A kernel that ends when *flag is no longer 0.
static void launch_waiting(volatile int *flag, hipStream_t stream) {
  void *arguments[] = {&flag};
  SUCCEEDS(
      hipModuleLaunchKernel(kernel_named("endless"), 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
}

static hipError_t add_one(hipFunction_t function, int *values, int n, hipStream_t stream) {
  void *arguments[] = {&values, &n};
  return hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, arguments, NULL);
}

Test(runtime_queue, a_launch_returns_before_its_kernel_ends, .timeout = 60) {
  int *flag = pinned(sizeof *flag);
  hipStream_t stream = new_stream(0);
  hipEvent_t event;
  float milliseconds;
  *flag = 0;
  SUCCEEDS(hipEventCreate(&event));
  SUCCEEDS(hipEventQuery(event));
  SUCCEEDS(hipStreamQuery(stream));
  launch_waiting(flag, stream);
  SUCCEEDS(hipEventRecord(event, stream));
  GIVES(hipErrorNotReady, hipStreamQuery(stream));
  GIVES(hipErrorNotReady, hipStreamQuery(NULL));
  GIVES(hipErrorNotReady, hipEventQuery(event));
  GIVES(hipErrorNotReady, hipEventElapsedTime(&milliseconds, event, event));
  *flag = 1;
  SUCCEEDS(hipEventSynchronize(event));
  SUCCEEDS(hipEventQuery(event));
  SUCCEEDS(hipStreamSynchronize(stream));
  SUCCEEDS(hipStreamQuery(stream));
}

typedef struct {
  pthread_mutex_t lock;
  pthread_t caller;
  atomic_int calls;
  int seen, *value;
} Meeting;

static void meet(hipStream_t stream, hipError_t status, void *data) {
  Meeting *meeting = data;
  (void)stream;
  pthread_mutex_lock(&meeting->lock);
  meeting->seen = *meeting->value;
  if (status == hipSuccess && !pthread_equal(meeting->caller, pthread_self()))
    meeting->calls++;
  pthread_mutex_unlock(&meeting->lock);
}

static Meeting new_meeting(int *value) {
  return (Meeting){
      .lock = PTHREAD_MUTEX_INITIALIZER, .caller = pthread_self(), .seen = -1, .value = value};
}

Test(runtime_queue, callbacks_come_from_another_thread_in_stream_order, .timeout = 60) {
  int *value = pinned(sizeof *value), *elsewhere = device_allocation(sizeof *elsewhere), back = 0;
  *value = 5;
  hipStream_t stream = new_stream(0), other = new_stream(hipStreamNonBlocking);
  Meeting meeting = new_meeting(value);
  hipFunction_t function = kernel_named("add_one");
  pthread_mutex_lock(&meeting.lock);
  SUCCEEDS(add_one(function, value, 1, stream));
  SUCCEEDS(hipStreamAddCallback(stream, meet, &meeting, 0));
  SUCCEEDS(add_one(function, value, 1, stream));
  GIVES(hipErrorNotReady, hipStreamQuery(stream));
  usleep(50000); // the callback is being called
  device_allocation(64);
  SUCCEEDS(hipMemsetAsync(elsewhere, 0, sizeof *elsewhere, other));
  SUCCEEDS(add_one(function, elsewhere, 1, other)); // a stream of its own goes on
  SUCCEEDS(hipStreamSynchronize(other));
  SUCCEEDS(hipMemcpyAsync(&back, elsewhere, sizeof back, hipMemcpyDeviceToHost, other));
  cr_assert(eq(int, back, 1));
  cr_assert(zero(int, meeting.calls));
  pthread_mutex_unlock(&meeting.lock);
  SUCCEEDS(hipStreamSynchronize(stream));
  cr_assert(all(eq(int, meeting.calls, 1), eq(int, meeting.seen, 6), eq(int, *value, 7)));
}

Test(runtime_queue, the_null_stream_and_events_hold_work_back, .timeout = 60) {
  int *value = pinned(3 * sizeof *value);
  memset(value, 0, 3 * sizeof *value);
  hipStream_t first = new_stream(0), second = new_stream(hipStreamNonBlocking),
              third = new_stream(0);
  hipEvent_t event;
  Meeting meeting = new_meeting(value);
  hipFunction_t function = kernel_named("add_one");
  SUCCEEDS(hipEventCreate(&event));
  pthread_mutex_lock(&meeting.lock);
  SUCCEEDS(hipStreamAddCallback(first, meet, &meeting, 0));
  SUCCEEDS(hipEventRecord(event, first));
  SUCCEEDS(hipStreamWaitEvent(second, event, 0));
  SUCCEEDS(add_one(function, value, 1, second));
  SUCCEEDS(add_one(function, value + 1, 1, NULL));
  SUCCEEDS(add_one(function, value + 2, 1, third)); // behind the null stream
  usleep(50000);
  cr_assert(all(zero(int, value[0]), zero(int, value[1]), zero(int, value[2])));
  GIVES(hipErrorNotReady, hipStreamQuery(second));
  GIVES(hipErrorNotReady, hipStreamQuery(third));
  pthread_mutex_unlock(&meeting.lock);
  SUCCEEDS(hipDeviceSynchronize());
  cr_assert(all(eq(int, value[0], 1), eq(int, value[1], 1), eq(int, value[2], 1)));
}

Test(runtime_queue, copies_follow_kernels_of_their_stream, .timeout = 60) {
  int *flag = pinned(4 * sizeof *flag), *value = flag + 1, *copy = flag + 2, pageable = 0;
  memset(flag, 0, 4 * sizeof *flag);
  hipStream_t stream = new_stream(0);
  hipFunction_t function = kernel_named("add_one");
  launch_waiting(flag, stream);
  SUCCEEDS(add_one(function, value, 1, stream));
  *flag = 1;
  SUCCEEDS(hipMemcpyAsync(copy, value, sizeof *copy, hipMemcpyDefault, stream));
  SUCCEEDS(hipMemsetAsync(value, 0x11, sizeof *value, stream));
  SUCCEEDS(hipMemcpyAsync(&pageable, value, sizeof pageable, hipMemcpyDefault, stream));
  cr_assert(eq(int, pageable, 0x11111111), "memory that HIP does not know is copied in the call");
  cr_assert(eq(int, *copy, 1));
}

static void slowly(hipStream_t stream, hipError_t status, void *data) {
  (void)stream, (void)status;
  usleep(50000);
  ++*(int *)data;
}

Test(runtime_queue, some_copies_end_within_the_call, .timeout = 60) {
  int *value = pinned(2 * sizeof *value), *copy = value + 1,
      *elsewhere = device_allocation(sizeof *elsewhere);
  memset(value, 0, 2 * sizeof *value);
  hipStream_t stream = new_stream(hipStreamNonBlocking);
  SUCCEEDS(hipStreamAddCallback(stream, slowly, value, 0));
  SUCCEEDS(hipMemcpyWithStream(elsewhere, value, sizeof *value, hipMemcpyHostToDevice, stream));
  SUCCEEDS(hipStreamQuery(stream));
  SUCCEEDS(hipStreamAddCallback(stream, slowly, value, 0));
  SUCCEEDS(hipMemcpyWithStream(copy, elsewhere, sizeof *copy, hipMemcpyDeviceToHost, stream));
  cr_assert(all(eq(int, *value, 2), eq(int, *copy, 1)));
  SUCCEEDS(hipStreamAddCallback(stream, slowly, value, 0));
  SUCCEEDS(hipMemcpyAsync(copy, value, sizeof *copy, hipMemcpyDefault, stream));
  cr_assert(eq(int, *copy, 3), "from memory of the host to memory of the host");
}

// Boxes of memory that the device reaches are copied and filled in the order of the stream, later.
Test(runtime_queue, boxes_are_copied_and_filled_later, .timeout = 60) {
  enum { WIDTH = 4, ROWS = 3, SIZE = WIDTH * ROWS };
  uint8_t *host = pinned(3 * SIZE), *flat = host + SIZE, *deep = flat + SIZE,
          *box = device_allocation(2 * SIZE), pageable[SIZE];
  const hipExtent extent = {WIDTH, ROWS, 1};
  int blocker = 0;
  memset(host, 1, 3 * SIZE);
  hipStream_t stream = new_stream(hipStreamNonBlocking);
  SUCCEEDS(hipStreamAddCallback(stream, slowly, &blocker, 0));
  SUCCEEDS(hipMemset2DAsync(box, WIDTH, 7, WIDTH, ROWS, stream));
  SUCCEEDS(hipMemset3DAsync((hipPitchedPtr){box + SIZE, WIDTH, WIDTH, ROWS}, 9, extent, stream));
  SUCCEEDS(hipMemcpy2DAsync(flat, WIDTH, box, WIDTH, WIDTH, ROWS, hipMemcpyDefault, stream));
  SUCCEEDS(hipMemcpy3DAsync(&(hipMemcpy3DParms){.srcPtr = {box + SIZE, WIDTH, WIDTH, ROWS},
                                                .dstPtr = {deep, WIDTH, WIDTH, ROWS},
                                                .extent = extent,
                                                .kind = hipMemcpyDefault},
                            stream));
  GIVES(hipErrorInvalidPitchValue,
        hipMemcpy2DAsync(flat, WIDTH - 1, box, WIDTH, WIDTH, ROWS, hipMemcpyDefault, stream));
  GIVES(hipErrorInvalidPitchValue,
        hipMemcpy2DAsync(flat, WIDTH, box, 0, WIDTH, ROWS, hipMemcpyDefault, stream));
  GIVES(hipErrorInvalidValue, hipMemset2DAsync(box, WIDTH - 1, 7, WIDTH, ROWS, stream));
  GIVES(hipErrorNotReady, hipStreamQuery(stream));
  cr_assert(all(eq(u8, flat[0], 1), eq(u8, deep[0], 1)));
  SUCCEEDS(hipMemcpy2DAsync(pageable, WIDTH, box, WIDTH, WIDTH, ROWS, hipMemcpyDefault, stream));
  cr_assert(all(eq(u8, flat[SIZE - 1], 7), eq(u8, deep[SIZE - 1], 9), eq(u8, pageable[0], 7)));
}

static void many(hipStream_t stream, hipError_t status, void *data) {
  (void)stream, (void)status;
  int **next = data;
  **next = *(*next - 1) + 1;
  ++*next;
}

Test(runtime_queue, thousands_of_launches_and_callbacks_keep_their_order, .timeout = 60) {
  enum { N = 2000 };
  static int order[N + 1];
  int *next = order + 1, *value = pinned(sizeof *value);
  hipStream_t stream = new_stream(0);
  hipFunction_t function = kernel_named("add_one");
  int n = 1;
  void *arguments[] = {&value, &n};
  *value = 0;
  for (int i = 0; i < N; i++) {
    SUCCEEDS(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
    SUCCEEDS(hipStreamAddCallback(stream, many, &next, 0));
  }
  SUCCEEDS(hipStreamSynchronize(stream));
  cr_assert(all(eq(int, *value, N), eq(int, order[N], N)));
}

// A stream that waits for another one, of which thousands of launches come first, and thousands of its own behind.
Test(runtime_queue, thousands_of_launches_wait_for_thousands, .timeout = 60) {
  enum { N = 20000 };
  setenv("EMULATOR_MODEL", "0", 1);
  int *flag = pinned(sizeof *flag), *value = device_allocation(sizeof *value), n = 1, found;
  hipStream_t first = new_stream(hipStreamNonBlocking), second = new_stream(hipStreamNonBlocking);
  hipFunction_t add_one = kernel_named("add_one");
  hipEvent_t event;
  *flag = 0;
  SUCCEEDS(hipMemset(value, 0, sizeof *value));
  SUCCEEDS(hipEventCreate(&event));
  launch_waiting(flag, first);
  for (int i = 0; i < 2 * N; i++) {
    if (i == N) {
      SUCCEEDS(hipEventRecord(event, first));
      SUCCEEDS(hipStreamWaitEvent(second, event, 0));
    }
    SUCCEEDS(hipModuleLaunchKernel(add_one, 1, 1, 1, 1, 1, 1, 0, i < N ? first : second,
                                   (void *[]){&value, &n}, NULL));
  }
  *(volatile int *)flag = 1;
  SUCCEEDS(hipDeviceSynchronize());
  SUCCEEDS(hipMemcpy(&found, value, sizeof found, hipMemcpyDeviceToHost));
  cr_assert(eq(int, found, 2 * N));
}

static int *told, at_call[50];
static void note_told(void *place) { *(int *)place = *told; }

// Host functions of many streams, which the device's own work does not keep from being early.
Test(runtime_queue, many_streams_keep_their_order, .timeout = 60) {
  enum { STREAMS = sizeof at_call / sizeof *at_call };
  int *flag = pinned(sizeof *flag);
  hipStream_t first = new_stream(hipStreamNonBlocking), stream[STREAMS];
  hipEvent_t event;
  told = pinned(sizeof *told);
  *flag = *told = 0;
  SUCCEEDS(hipEventCreate(&event));
  launch_waiting(flag, first);
  SUCCEEDS(hipMemsetD32Async(told, 7, 1, first));
  SUCCEEDS(hipEventRecord(event, first));
  for (int i = 0; i < STREAMS; i++) {
    stream[i] = new_stream(hipStreamNonBlocking);
    SUCCEEDS(hipStreamWaitEvent(stream[i], event, 0));
    SUCCEEDS(hipLaunchHostFunc(stream[i], note_told, &at_call[i]));
  }
  usleep(20000); // for those that do not wait
  *(volatile int *)flag = 1;
  SUCCEEDS(hipDeviceSynchronize());
  for (int i = 0; i < STREAMS; i++)
    cr_assert(eq(int, at_call[i], 7));
}

static void meet_in_graph(void *data) { meet(NULL, hipSuccess, data); }

// As a kernel that works until the host tells it to end, and is given work meanwhile.
Test(runtime_queue, memory_code_and_copies_come_while_a_kernel_runs, .timeout = 60) {
  int **mailbox = pinned(sizeof *mailbox), *flag = pinned(sizeof *flag), set = 1, back = 0;
  *mailbox = NULL;
  *flag = 0;
  hipStream_t busy = new_stream(hipStreamNonBlocking);
  void *arguments[] = {&mailbox};
  SUCCEEDS(hipModuleLaunchKernel(kernel_named("fill_mailed"), 1, 1, 1, 1, 1, 1, 0, busy, arguments,
                                 NULL));
  launch_waiting(flag, busy);
  usleep(20000); // the first runs
  int *fresh = device_allocation(3 << 20);
  hipStream_t stream = new_stream(hipStreamNonBlocking);
  hipEvent_t event;
  SUCCEEDS(hipMemsetAsync(fresh, 0, sizeof *fresh, stream));
  kernel_named("add_one");
  SUCCEEDS(hipEventCreate(&event));
  SUCCEEDS(hipEventRecord(event, stream));
  SUCCEEDS(hipEventSynchronize(event));
  GIVES(hipErrorNotReady, hipStreamQuery(busy));
  SUCCEEDS(hipHostRegister(&back, sizeof back, 0));
  *(int *volatile *)mailbox = fresh;
  SUCCEEDS(hipMemcpyAsync(flag, &set, sizeof set, hipMemcpyDefault, stream));
  SUCCEEDS(hipStreamSynchronize(busy));
  SUCCEEDS(hipMemcpy(&back, fresh, sizeof back, hipMemcpyDefault));
  cr_assert(eq(int, back, 5), "what a kernel stored into memory that came after its begin");
}

Test(runtime_queue, graphs_are_queued_with_their_host_functions, .timeout = 60) {
  int *value = pinned(sizeof *value);
  *value = 5;
  hipStream_t stream = new_stream(0);
  Meeting meeting = new_meeting(value);
  hipHostNodeParams host = {meet_in_graph, &meeting};
  hipMemsetParams set = {.dst = value, .elementSize = 4, .height = 1, .value = 7, .width = 1};
  hipGraph_t graph;
  hipGraphExec_t exec;
  hipGraphNode_t first, second;
  SUCCEEDS(hipGraphCreate(&graph, 0));
  SUCCEEDS(hipGraphAddHostNode(&first, graph, NULL, 0, &host));
  SUCCEEDS(hipGraphAddMemsetNode(&second, graph, &first, 1, &set));
  SUCCEEDS(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  pthread_mutex_lock(&meeting.lock); // the graph has to wait, and this thread goes on
  SUCCEEDS(hipGraphLaunch(exec, stream));
  GIVES(hipErrorNotReady, hipStreamQuery(stream));
  SUCCEEDS(hipGraphExecDestroy(exec));
  SUCCEEDS(hipGraphDestroy(graph));
  usleep(50000); // the function is being called
  device_allocation(64);
  cr_assert(eq(int, *value, 5));
  pthread_mutex_unlock(&meeting.lock);
  SUCCEEDS(hipStreamSynchronize(stream));
  cr_assert(all(eq(int, meeting.calls, 1), eq(int, meeting.seen, 5), eq(int, *value, 7)));
}

Test(runtime_queue, a_fault_skips_what_is_queued_behind_it, .timeout = 60) {
  int *value = pinned(sizeof *value), *stray = NULL;
  void *arguments[] = {&stray};
  *value = 0;
  cr_redirect_stderr();
  hipFunction_t strays = kernel_named("stray"), function = kernel_named("add_one");
  hipStream_t stream = new_stream(0);
  Meeting meeting = new_meeting(value);
  pthread_mutex_lock(&meeting.lock);
  SUCCEEDS(hipStreamAddCallback(stream, meet, &meeting, 0));
  SUCCEEDS(hipModuleLaunchKernel(strays, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
  SUCCEEDS(add_one(function, value, 1, stream));
  pthread_mutex_unlock(&meeting.lock);
  GIVES(hipErrorIllegalAddress, hipStreamSynchronize(stream));
  SUCCEEDS(hipDeviceReset());
  cr_assert(zero(int, *value));
}

static void *raise_flag_later(void *flag) {
  usleep(50000);
  *(volatile int *)flag = 1;
  return NULL;
}

// ROCm's wait for a stream that goes, and for a thread's own one as the thread ends.
Test(runtime_queue, events_go_without_their_work_and_streams_with_it, .timeout = 60) {
  int *flag = pinned(sizeof *flag), *values = pinned(4 * sizeof *values);
  hipStream_t stream = new_stream(hipStreamNonBlocking);
  pthread_t later;
  hipEvent_t event;
  *flag = 0;
  memset(values, 0, 4 * sizeof *values);
  SUCCEEDS(hipEventCreate(&event));
  launch_waiting(flag, stream);
  SUCCEEDS(hipEventRecord(event, stream));
  SUCCEEDS(add_one(kernel_named("add_one"), values, 4, stream));
  SUCCEEDS(hipEventDestroy(event));
  GIVES(hipErrorInvalidHandle, hipEventQuery(event));
  cr_assert(zero(int, pthread_create(&later, NULL, raise_flag_later, flag)));
  SUCCEEDS(hipStreamDestroy(stream));
  cr_assert(eq(int, values[3], 1));
  GIVES(hipErrorContextIsDestroyed, hipStreamQuery(stream));
  pthread_join(later, NULL);
}

static void *work_and_end(void *values) {
  int *flag = pinned(sizeof *flag);
  pthread_t later;
  *flag = 0;
  launch_waiting(flag, hipStreamPerThread);
  SUCCEEDS(add_one(kernel_named("add_one"), values, 4, hipStreamPerThread));
  cr_assert(zero(int, pthread_create(&later, NULL, raise_flag_later, flag)));
  pthread_detach(later);
  return NULL;
}

Test(runtime_queue, threads_end_behind_the_work_of_their_stream, .timeout = 60) {
  int *values = pinned(4 * sizeof *values);
  pthread_t thread;
  memset(values, 0, 4 * sizeof *values);
  cr_assert(zero(int, pthread_create(&thread, NULL, work_and_end, values)));
  pthread_join(thread, NULL);
  cr_assert(eq(int, values[3], 1));
}

// It would wait for the null stream, but has nothing to do.
Test(runtime_queue, a_stream_without_work_is_ready_whatever_the_null_stream_does, .timeout = 60) {
  int *flag = pinned(sizeof *flag);
  hipStream_t stream = new_stream(0);
  *flag = 0;
  launch_waiting(flag, NULL);
  SUCCEEDS(hipStreamQuery(stream));
  GIVES(hipErrorNotReady, hipStreamQuery(NULL));
  *flag = 1;
  SUCCEEDS(hipDeviceSynchronize());
}

// Of the whole process, by the host's processors: no wall time, which others take part in.
Test(runtime_queue, a_small_launch_takes_microseconds, .timeout = 60) {
  enum { LAUNCHES = 20000, MOST = 12 }; // ticks of clock() each, which are microseconds
  setenv("EMULATOR_MODEL", "0", 1);
  hipFunction_t function = kernel_named("add_one");
  int *value = device_allocation(sizeof *value), seen = 0;
  SUCCEEDS(hipMemset(value, 0, sizeof *value));
  SUCCEEDS(add_one(function, value, 1, NULL)); // the first reads the code
  SUCCEEDS(hipDeviceSynchronize());
  const clock_t begin = clock();
  for (int i = 0; i < LAUNCHES; i++)
    SUCCEEDS(add_one(function, value, 1, NULL));
  SUCCEEDS(hipDeviceSynchronize());
  const double each = (double)(clock() - begin) / LAUNCHES;
  SUCCEEDS(hipMemcpy(&seen, value, sizeof seen, hipMemcpyDeviceToHost));
  cr_assert(eq(int, seen, LAUNCHES + 1));
  cr_assert(lt(dbl, each, MOST));
}

static void *raise_later(void *flag) {
  usleep(100000);
  *(volatile int *)flag = 1;
  return NULL;
}

// The null stream of a device knows nothing of another one's, unless memory of that one is copied or filled.
Test(runtime_queue, work_of_another_device_is_not_waited_for, .timeout = 60) {
  enum { BYTES = 4096 };
  pthread_t thread;
  int answer = 0;
  setenv("EMULATOR_DEVICES", "2", 1);
  int *flag = pinned(sizeof *flag);
  int *near = device_allocation(BYTES), *rows = device_allocation(BYTES);
  SUCCEEDS(hipSetDevice(1));
  int *far = device_allocation(BYTES);
  *flag = 0;
  launch_waiting(flag, NULL);
  SUCCEEDS(hipSetDevice(0));
  SUCCEEDS(hipMemset(near, 1, BYTES));
  SUCCEEDS(hipMemset2D(rows, 64, 1, 32, 4));
  SUCCEEDS(hipMemsetD32((hipDeviceptr_t)near, 7, 1));
  SUCCEEDS(hipMemcpy(rows, near, BYTES, hipMemcpyDeviceToDevice));
  SUCCEEDS(hipMemcpy2D(rows, 64, near, 64, 32, 4, hipMemcpyDeviceToDevice));
  SUCCEEDS(hipMemcpyAsync(&answer, rows, sizeof answer, hipMemcpyDeviceToHost, NULL));
  SUCCEEDS(hipStreamSynchronize(NULL));
  SUCCEEDS(hipDeviceEnablePeerAccess(1, 0));
  SUCCEEDS(hipDeviceSynchronize());
  cr_assert(eq(int, answer, 7));
  SUCCEEDS(hipSetDevice(1));
  GIVES(hipErrorNotReady, hipStreamQuery(NULL));
  *flag = 1;
  SUCCEEDS(hipDeviceSynchronize());

  *flag = 0;
  SUCCEEDS(hipMemset(far, 0, BYTES));
  launch_waiting(flag, NULL);
  SUCCEEDS(add_one(kernel_named("add_one"), far, 1, NULL));
  SUCCEEDS(hipSetDevice(0));
  cr_assert(zero(int, pthread_create(&thread, NULL, raise_later, flag)));
  SUCCEEDS(hipMemcpy(&answer, far, sizeof answer, hipMemcpyDeviceToHost));
  cr_assert(eq(int, answer, 1));
  pthread_join(thread, NULL);
}
