// Streams, events, capture and graphs of the HIP runtime.
#include "runtime_test.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static hipStream_t new_stream(void) {
  hipStream_t stream = NULL;
  SUCCEEDS(hipStreamCreate(&stream));
  return stream;
}

static hipEvent_t new_event(unsigned flags) {
  hipEvent_t event = NULL;
  SUCCEEDS(hipEventCreateWithFlags(&event, flags));
  return event;
}

Test(runtime_stream, life_of_a_stream) {
  hipStream_t stream;
  unsigned flags = 9;
  int priority = 9;
  SUCCEEDS(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, -5));
  SUCCEEDS(hipStreamGetFlags(stream, &flags));
  SUCCEEDS(hipStreamGetPriority(stream, &priority));
  cr_assert(all(eq(u32, flags, hipStreamNonBlocking), eq(int, priority, -1)));
  SUCCEEDS(hipStreamQuery(stream));
  SUCCEEDS(hipStreamSynchronize(stream));
  SUCCEEDS(hipStreamDestroy(stream));
  GIVES(hipErrorContextIsDestroyed, hipStreamSynchronize(stream));
  GIVES(hipErrorContextIsDestroyed, hipStreamDestroy(stream));
  SUCCEEDS(hipStreamSynchronize(NULL));
  SUCCEEDS(hipStreamSynchronize(hipStreamPerThread));
  GIVES(hipErrorInvalidHandle, hipStreamDestroy(NULL));
  GIVES(hipErrorInvalidResourceHandle, hipStreamDestroy(hipStreamPerThread));
  GIVES(hipErrorInvalidValue, hipStreamCreate(NULL));
  GIVES(hipErrorInvalidValue, hipStreamCreateWithFlags(&stream, 77));
}

Test(runtime_stream, one_that_is_not_there_is_told_once_in_a_row) {
  hipStream_t stream = new_stream();
  SUCCEEDS(hipStreamDestroy(stream));
  cr_redirect_stderr();
  for (int i = 0; i < 2; i++)
    GIVES(hipErrorContextIsDestroyed, hipStreamSynchronize(stream));
  static const char begin[] = "emulator: hipStreamSynchronize: the stream ";
  const char *sentence = strstr(said(), begin);
  cr_assert(ne(ptr, (void *)sentence, NULL));
  cr_assert(eq(ptr, (void *)strstr(sentence + strlen(begin), "the stream "), NULL));
}

Test(runtime_stream, events_measure_time) {
  hipEvent_t start = new_event(0), stop = new_event(0);
  float milliseconds = -1;
  SUCCEEDS(hipEventRecord(start, NULL));
  SUCCEEDS(hipEventSynchronize(start)); // a busy host may record it later
  usleep(20000);
  SUCCEEDS(hipEventRecord(stop, new_stream()));
  SUCCEEDS(hipEventSynchronize(stop));
  SUCCEEDS(hipEventElapsedTime(&milliseconds, start, stop));
  cr_assert(all(ge(flt, milliseconds, 20), lt(flt, milliseconds, 2000)));
  SUCCEEDS(hipEventElapsedTime(&milliseconds, stop, start));
  cr_assert(le(flt, milliseconds, -20));
  usleep(1030000); // more than a second
  SUCCEEDS(hipEventRecord(stop, NULL));
  SUCCEEDS(hipEventSynchronize(stop));
  SUCCEEDS(hipEventElapsedTime(&milliseconds, start, stop));
  cr_assert(all(ge(flt, milliseconds, 1050), lt(flt, milliseconds, 4000)));
  SUCCEEDS(hipEventElapsedTime(&milliseconds, stop, stop));
  cr_assert(zero(flt, milliseconds));
}

Test(runtime_stream, time_between_events_without_a_launch_is_told_to_be_the_hosts) {
  hipEvent_t start = new_event(0), stop = new_event(0);
  float milliseconds = -1;
  cr_redirect_stderr();
  SUCCEEDS(hipEventRecord(start, NULL));
  SUCCEEDS(hipEventRecord(stop, NULL));
  SUCCEEDS(hipEventSynchronize(stop));
  SUCCEEDS(hipEventElapsedTime(&milliseconds, start, start));
  cr_assert(eq(str, (char *)said(), ""));
  for (int i = 0; i < 2; i++) // it is told once
    SUCCEEDS(hipEventElapsedTime(&milliseconds, start, stop));
  const char *note = strstr(said(), "what this computer took, and says nothing of a GPU");
  cr_assert(ne(ptr, (void *)note, NULL));
  cr_assert(eq(ptr, (void *)strstr(note + 1, "what this computer took"), NULL));
}

Test(runtime_stream, events_that_cannot_be_measured) {
  hipEvent_t start = new_event(0), stop = new_event(0), untimed = new_event(hipEventDisableTiming);
  float milliseconds;
  cr_redirect_stderr();
  SUCCEEDS(hipEventRecord(start, NULL));
  SUCCEEDS(hipEventRecord(untimed, NULL));
  SUCCEEDS(hipEventQuery(stop));
  GIVES(hipErrorInvalidHandle, hipEventElapsedTime(&milliseconds, start, stop));
  GIVES(hipErrorInvalidHandle, hipEventElapsedTime(&milliseconds, start, untimed));
  GIVES(hipErrorInvalidHandle, hipEventElapsedTime(&milliseconds, NULL, start));
  GIVES(hipErrorInvalidValue, hipEventElapsedTime(NULL, start, start));
  SUCCEEDS(hipEventDestroy(start));
  GIVES(hipErrorInvalidHandle, hipEventDestroy(start));
  GIVES(hipErrorInvalidHandle, hipEventRecord(start, NULL));
  GIVES(hipErrorInvalidHandle, hipEventDestroy(NULL));
  GIVES(hipErrorInvalidValue, hipEventCreateWithFlags(&start, 0xff00));
  SAYS(said(), "the stop event was never recorded");
}

static void count_call(hipStream_t stream, hipError_t status, void *data) {
  cr_assert(eq(int, status, hipSuccess));
  (void)stream;
  ++*(int *)data;
}

Test(runtime_stream, callbacks_run) {
  int calls = 0;
  hipStream_t stream = new_stream();
  SUCCEEDS(hipStreamAddCallback(stream, count_call, &calls, 0));
  SUCCEEDS(hipStreamSynchronize(stream));
  cr_assert(eq(int, calls, 1));
  GIVES(hipErrorInvalidValue, hipStreamAddCallback(NULL, NULL, &calls, 0));
  GIVES(hipErrorInvalidValue, hipStreamAddCallback(NULL, count_call, &calls, 1));
}

Test(runtime_stream, values_in_memory) {
  uint32_t *word = device_allocation(4);
  SUCCEEDS(hipStreamWriteValue32(NULL, word, 6, 0));
  SUCCEEDS(hipStreamWaitValue32(NULL, word, 6, hipStreamWaitValueEq, UINT32_MAX));
  SUCCEEDS(hipStreamWaitValue32(NULL, word, 5, hipStreamWaitValueGte, UINT32_MAX));
  SUCCEEDS(hipStreamWaitValue32(NULL, word, 2, hipStreamWaitValueAnd, UINT32_MAX));
  GIVES(hipErrorInvalidValue, hipStreamWaitValue32(NULL, word, 7, 9, UINT32_MAX));
  GIVES(hipErrorInvalidValue, hipStreamWriteValue64(NULL, word, 6, 0));
}

// Bytes that the mask leaves out, and the upper half of 32 bits, must not count.
Test(runtime_stream, a_wait_is_over_when_its_condition_says_so_and_not_before, .timeout = 60) {
  static const struct {
    unsigned condition;
    uint64_t value, mask, not_yet, at_last;
  } waits[] = {{hipStreamWaitValueGte, 5, 0xff, 0x104, 0x105},
               {hipStreamWaitValueEq, 5, 7, 4, 0xd},
               {hipStreamWaitValueAnd, 6, 3, 0xd, 2},
               {hipStreamWaitValueNor, 5, 7, 2, 0xa0}};
  uint64_t *word;
  SUCCEEDS(hipHostMalloc((void **)&word, sizeof *word, 0));
  hipStream_t stream = new_stream();
  for (size_t n = 0; n < sizeof waits / sizeof *waits; n++)
    for (int bits = 32; bits <= 64; bits += 32) {
      const int shift = bits - 32; // of 64 bits the upper half is looked at
      const uint64_t above = bits == 32 ? 0xffull << 32 : 0;
      const uint64_t value = waits[n].value << shift, mask = waits[n].mask << shift;
      __atomic_store_n(word, above | waits[n].not_yet << shift, __ATOMIC_RELEASE);
      if (bits == 32)
        SUCCEEDS(hipStreamWaitValue32(stream, word, (uint32_t)value, waits[n].condition,
                                      (uint32_t)mask));
      else
        SUCCEEDS(hipStreamWaitValue64(stream, word, value, waits[n].condition, mask));
      usleep(20000);
      GIVES(hipErrorNotReady, hipStreamQuery(stream));
      __atomic_store_n(word, above | waits[n].at_last << shift, __ATOMIC_RELEASE);
      SUCCEEDS(hipStreamSynchronize(stream));
    }
}

Test(runtime_stream, a_value_is_written_in_its_width) {
  uint64_t *words;
  SUCCEEDS(hipHostMalloc((void **)&words, 2 * sizeof *words, 0));
  words[0] = words[1] = UINT64_MAX;
  SUCCEEDS(hipStreamWriteValue32(NULL, words, 6, 0));
  SUCCEEDS(hipStreamWriteValue64(NULL, words + 1, 7, 0));
  SUCCEEDS(hipStreamSynchronize(NULL));
  cr_assert(all(eq(u64, words[0], 0xffffffff00000006), eq(u64, words[1], 7)));
}

Test(runtime_stream, a_stream_waits_for_what_the_host_writes, .timeout = 60) {
  volatile uint32_t *words;
  SUCCEEDS(hipHostMalloc((void **)&words, 12, 0));
  words[0] = words[1] = words[2] = 0;
  hipStream_t first = new_stream(), second = new_stream();
  cr_redirect_stderr();
  SUCCEEDS(hipStreamWaitValue32(first, (void *)words, 5, hipStreamWaitValueEq, 7));
  SUCCEEDS(hipStreamWriteValue32(first, (void *)(words + 1), 1, 0));
  SUCCEEDS(hipStreamWaitValue32(second, (void *)(words + 1), 1, hipStreamWaitValueGte, UINT32_MAX));
  SUCCEEDS(hipStreamWriteValue32(second, (void *)(words + 2), 2, 0));
  usleep(20000);
  GIVES(hipErrorNotReady, hipStreamQuery(first));
  GIVES(hipErrorNotReady, hipStreamQuery(second));
  cr_assert(all(zero(u32, words[1]), zero(u32, words[2])));
  usleep(6000000);
  words[0] = 0xd; // 5 but for the mask
  SUCCEEDS(hipStreamSynchronize(second));
  cr_assert(all(eq(u32, words[1], 1), eq(u32, words[2], 2)));
  SAYS(said(), "a stream waits for the value at");
}

typedef struct {
  int host[4], n, *device;
} Work;

static Work new_work(void) {
  Work work = {.host = {1, 2, 3, 4}, .n = 4, .device = device_allocation(16)};
  return work;
}

static hipError_t add(Work *work, const char *kernel, hipStream_t stream) {
  void *arguments[] = {&work->device, &work->n};
  return hipModuleLaunchKernel(kernel_named(kernel), 1, 1, 1, 64, 1, 1, 0, stream, arguments, NULL);
}

Test(runtime_graph, a_recorded_stream_replays) {
  Work work = new_work();
  int back[4] = {0};
  hipStream_t stream = new_stream();
  hipGraph_t graph;
  hipGraphExec_t exec;
  hipStreamCaptureStatus status;
  size_t nodes = 0;
  SUCCEEDS(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  SUCCEEDS(hipStreamIsCapturing(stream, &status));
  cr_assert(eq(int, status, hipStreamCaptureStatusActive));
  SUCCEEDS(hipMemcpyAsync(work.device, work.host, 16, hipMemcpyHostToDevice, stream));
  SUCCEEDS(add(&work, "add_one", stream));
  SUCCEEDS(add(&work, "times_two", stream));
  SUCCEEDS(hipMemcpyAsync(back, work.device, 16, hipMemcpyDeviceToHost, stream));
  SUCCEEDS(hipStreamEndCapture(stream, &graph));
  cr_assert(zero(int, back[0]), "nothing ran while recording");
  SUCCEEDS(hipGraphGetNodes(graph, NULL, &nodes));
  cr_assert(eq(sz, nodes, 4));
  SUCCEEDS(hipGraphGetRootNodes(graph, NULL, &nodes));
  cr_assert(eq(sz, nodes, 1));
  SUCCEEDS(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  SUCCEEDS(hipGraphDestroy(graph));
  work.host[3] = 40; // the source is read at each launch
  SUCCEEDS(hipGraphLaunch(exec, stream));
  SUCCEEDS(hipStreamSynchronize(stream));
  cr_assert(all(eq(int, back[0], 4), eq(int, back[3], 82)));
  SUCCEEDS(hipGraphExecDestroy(exec));
  GIVES(hipErrorInvalidValue, hipGraphLaunch(exec, stream));
}

Test(runtime_graph, another_stream_joins_through_events) {
  Work work = new_work();
  int back[4] = {0};
  hipStream_t first = new_stream(), second = new_stream();
  hipEvent_t fork = new_event(0), join = new_event(0);
  hipGraph_t graph;
  hipGraphExec_t exec;
  SUCCEEDS(hipStreamBeginCapture(first, hipStreamCaptureModeRelaxed));
  SUCCEEDS(hipMemcpyAsync(work.device, work.host, 16, hipMemcpyHostToDevice, first));
  SUCCEEDS(hipEventRecord(fork, first));
  SUCCEEDS(hipStreamWaitEvent(second, fork, 0));
  SUCCEEDS(add(&work, "add_one", second));
  SUCCEEDS(hipEventRecord(join, second));
  SUCCEEDS(hipMemsetAsync(work.device, 0, 4, first));
  SUCCEEDS(hipStreamWaitEvent(first, join, 0));
  SUCCEEDS(hipMemcpyAsync(back, work.device, 16, hipMemcpyDeviceToHost, first));
  GIVES(hipErrorStreamCaptureUnmatched, hipStreamEndCapture(second, &graph));
  SUCCEEDS(hipStreamEndCapture(first, &graph));
  SUCCEEDS(hipStreamSynchronize(second));
  SUCCEEDS(hipEventQuery(fork));
  SUCCEEDS(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  SUCCEEDS(hipGraphLaunch(exec, NULL));
  SUCCEEDS(hipDeviceSynchronize());
  cr_assert(eq(int, back[3], 5));
}

Test(runtime_graph, capture_out_of_order) {
  hipStream_t stream = new_stream();
  hipGraph_t graph;
  GIVES(hipErrorIllegalState, hipStreamEndCapture(stream, &graph));
  GIVES(hipErrorStreamCaptureUnsupported, hipStreamBeginCapture(NULL, hipStreamCaptureModeGlobal));
  SUCCEEDS(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  GIVES(hipErrorIllegalState, hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  GIVES(hipErrorInvalidValue, hipStreamEndCapture(stream, NULL));
  SUCCEEDS(hipStreamEndCapture(stream, &graph));
}

Test(runtime_graph, a_stream_records_again) {
  int *device = device_allocation(4);
  hipStream_t stream = new_stream();
  hipGraph_t graph;
  size_t roots;
  for (int i = 0; i < 2; i++) {
    SUCCEEDS(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    SUCCEEDS(hipMemsetAsync(device, i, 4, stream));
    SUCCEEDS(hipStreamEndCapture(stream, &graph));
    SUCCEEDS(hipGraphGetRootNodes(graph, NULL, &roots));
    cr_assert(eq(sz, roots, 1));
    SUCCEEDS(hipGraphDestroy(graph));
  }
}

static void double_it(void *data) { *(int *)data *= 2; }

Test(runtime_graph, dependencies_decide_the_order) {
  int value = 0, *device = device_allocation(4);
  hipGraph_t graph;
  hipGraphExec_t exec;
  hipGraphNode_t twice, down, fill, twice_again;
  hipGraphNodeType type;
  hipHostNodeParams host = {double_it, &value};
  hipMemsetParams set = {.dst = device, .elementSize = 4, .height = 1, .value = 21, .width = 1};
  SUCCEEDS(hipGraphCreate(&graph, 0));
  SUCCEEDS(hipGraphAddHostNode(&twice, graph, NULL, 0, &host)); // created first, runs last but one
  SUCCEEDS(
      hipGraphAddMemcpyNode1D(&down, graph, NULL, 0, &value, device, 4, hipMemcpyDeviceToHost));
  SUCCEEDS(hipGraphAddMemsetNode(&fill, graph, NULL, 0, &set));
  SUCCEEDS(hipGraphAddHostNode(&twice_again, graph, &twice, 1, &host));
  hipGraphNode_t from[] = {fill, down}, to[] = {down, twice};
  SUCCEEDS(hipGraphAddDependencies(graph, from, to, 2));
  SUCCEEDS(hipGraphNodeGetType(fill, &type));
  cr_assert(eq(int, type, hipGraphNodeTypeMemset));
  SUCCEEDS(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  SUCCEEDS(hipGraphLaunch(exec, NULL));
  SUCCEEDS(hipDeviceSynchronize());
  cr_assert(eq(int, value, 84));
  cr_redirect_stderr();
  SUCCEEDS(hipGraphAddDependencies(graph, &twice_again, &fill, 1));
  GIVES(hipErrorInvalidValue, hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  SAYS(said(), "the dependencies of the graph's 4 nodes form a cycle");
}

Test(runtime_graph, wrong_nodes) {
  hipGraph_t graph, other;
  hipGraphNode_t node, foreign;
  hipMemsetParams set = {.dst = &graph, .elementSize = 3, .height = 1, .width = 1};
  SUCCEEDS(hipGraphCreate(&graph, 0));
  SUCCEEDS(hipGraphCreate(&other, 0));
  SUCCEEDS(hipGraphAddEmptyNode(&foreign, other, NULL, 0));
  GIVES(hipErrorInvalidValue, hipGraphAddEmptyNode(&node, graph, &foreign, 1));
  GIVES(hipErrorInvalidValue, hipGraphAddMemsetNode(&node, graph, NULL, 0, &set));
  GIVES(hipErrorInvalidValue, hipGraphAddHostNode(&node, graph, NULL, 0, NULL));
  GIVES(hipErrorInvalidValue, hipGraphAddKernelNode(&node, graph, NULL, 0, NULL));
  SUCCEEDS(hipGraphDestroy(other));
  GIVES(hipErrorInvalidValue, hipGraphDestroy(other));
  GIVES(hipErrorInvalidValue, hipGraphAddEmptyNode(&node, other, NULL, 0));
}

Test(runtime_stream, a_mask_of_compute_units_is_given_back) {
  uint32_t mask[4] = {0xe, UINT32_MAX, UINT32_MAX, 0x3fff}, back[4] = {0};
  hipStream_t stream;
  SUCCEEDS(hipExtStreamCreateWithCUMask(&stream, 4, mask));
  SUCCEEDS(hipExtStreamGetCUMask(stream, 4, back));
  cr_assert(zero(int, memcmp(back, mask, sizeof mask)));
  SUCCEEDS(hipExtStreamCreateWithCUMask(&stream, 1, mask));
  SUCCEEDS(hipExtStreamGetCUMask(stream, 4, back));
  cr_assert(zero(int, memcmp(back, mask, sizeof mask)));
  SUCCEEDS(hipExtStreamCreateWithCUMask(&stream, 4, (uint32_t[4]){0})); // no unit is all of them
  SUCCEEDS(hipExtStreamGetCUMask(stream, 4, back));
  mask[0] = UINT32_MAX;
  cr_assert(zero(int, memcmp(back, mask, sizeof mask)));
}

Test(runtime_stream, flags_of_events_that_go_together) {
  hipEvent_t event;
  SUCCEEDS(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  SUCCEEDS(hipEventCreateWithFlags(&event, 0x20000000)); // without a system fence
  GIVES(hipErrorInvalidValue, hipEventCreateWithFlags(&event, hipEventInterprocess));
  GIVES(hipErrorInvalidValue, hipEventCreateWithFlags(&event, 0x08000000));
  SUCCEEDS(hipEventCreateWithFlags(&event, hipEventReleaseToSystem));
  GIVES(hipErrorInvalidValue,
        hipEventCreateWithFlags(&event, hipEventReleaseToSystem | hipEventReleaseToDevice));
  GIVES(hipErrorInvalidValue,
        hipEventCreateWithFlags(&event, hipEventReleaseToSystem | 0x20000000));
}

// hipStreamLegacy of ROCm 6.3 is the null stream.
Test(runtime_stream, the_null_stream_has_another_name) {
  const hipStream_t legacy = (hipStream_t)1;
  Work work = new_work();
  int back[4] = {0}, priority = 9;
  unsigned flags;
  hipStream_t stream;
  hipEvent_t event;
  SUCCEEDS(hipStreamCreate(&stream));
  SUCCEEDS(hipEventCreate(&event));
  SUCCEEDS(hipMemcpyAsync(work.device, work.host, 16, hipMemcpyHostToDevice, stream));
  SUCCEEDS(add(&work, "add_one", legacy));
  SUCCEEDS(hipEventRecord(event, legacy));
  SUCCEEDS(hipStreamWaitEvent(legacy, event, 0));
  SUCCEEDS(add(&work, "times_two", stream));
  SUCCEEDS(hipMemcpyAsync(back, work.device, 16, hipMemcpyDeviceToHost, legacy));
  SUCCEEDS(hipStreamSynchronize(legacy));
  SUCCEEDS(hipStreamQuery(legacy));
  cr_assert(all(eq(int, back[0], 4), eq(int, back[3], 10)), "in order with other streams");
  SUCCEEDS(hipStreamGetPriority(legacy, &priority));
  cr_assert(eq(int, priority, 0));
  GIVES(hipErrorStreamCaptureUnsupported,
        hipStreamBeginCapture(legacy, hipStreamCaptureModeGlobal));
  GIVES(hipErrorInvalidValue, hipStreamGetFlags(legacy, &flags));
  GIVES(hipErrorInvalidHandle, hipStreamDestroy(legacy));
}

// ---- -fgpu-default-stream=per-thread ----

extern hipError_t hipLaunchHostFunc_spt(hipStream_t stream, hipHostFn_t function, void *data);
extern hipError_t hipStreamSynchronize_spt(hipStream_t stream);
extern hipError_t hipStreamQuery_spt(hipStream_t stream);
extern hipError_t hipMemset_spt(void *to, int value, size_t size);
extern hipError_t hipMemcpy_spt(void *to, const void *from, size_t size, hipMemcpyKind kind);

static sem_t go_on;
static void wait_for_another(void *unused) {
  (void)unused;
  sem_wait(&go_on);
}

static void *copy_and_let_go_on(void *memory) {
  int value = 7, back = 0;
  SUCCEEDS(hipMemset_spt(memory, 0, sizeof value));
  SUCCEEDS(hipMemcpy_spt(memory, &value, sizeof value, hipMemcpyHostToDevice));
  SUCCEEDS(hipMemcpy_spt(&back, memory, sizeof back, hipMemcpyDeviceToHost));
  SUCCEEDS(hipStreamSynchronize_spt(NULL));
  cr_assert(eq(int, back, value));
  sem_post(&go_on);
  return NULL;
}

// The work of one waits for what another thread does after its own.
Test(runtime_stream, stream_0_of_each_thread_is_its_own, .timeout = 20) {
  pthread_t other;
  void *memory = device_allocation(4);
  sem_init(&go_on, 0, 0);
  SUCCEEDS(hipLaunchHostFunc_spt(NULL, wait_for_another, NULL));
  GIVES(hipErrorNotReady, hipStreamQuery_spt(NULL));
  cr_assert(zero(int, pthread_create(&other, NULL, copy_and_let_go_on, memory)));
  pthread_join(other, NULL);
  SUCCEEDS(hipStreamSynchronize_spt(NULL));
  SUCCEEDS(hipStreamQuery_spt(NULL));
}

static void sleep_a_while(void *unused) {
  (void)unused;
  usleep(100000);
}

Test(runtime_stream, calls_without_a_stream_wait_for_the_threads_own) {
  int *pinned = NULL;
  SUCCEEDS(hipHostMalloc((void **)&pinned, 4, 0));
  *pinned = 0;
  SUCCEEDS(hipLaunchHostFunc_spt(NULL, sleep_a_while, NULL));
  SUCCEEDS(hipMemset_spt(pinned, 1, 4));
  cr_assert(eq(int, *pinned, 0x01010101));
}
