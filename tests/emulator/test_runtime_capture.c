// Recordings of the HIP runtime: who may record, what ends a recording, which calls none allows.
#include "runtime_test.h"

#include <pthread.h>

// Of releases after ROCm 5.2.
hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                        const hipGraphNode_t *nodes, const void *edges,
                                        size_t count, hipStreamCaptureMode mode);

static const hipStreamCaptureMode modes[] = {
    hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed};

static hipStream_t new_stream(unsigned flags) {
  hipStream_t stream = NULL;
  SUCCEEDS(hipStreamCreateWithFlags(&stream, flags));
  return stream;
}

// What is recorded on the stream sets the word to 7.
static void end_and_replay(hipStream_t stream, const int *word) {
  hipGraph_t graph = NULL;
  hipGraphExec_t exec;
  int value = 0;
  SUCCEEDS(hipStreamEndCapture(stream, &graph));
  SUCCEEDS(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  SUCCEEDS(hipGraphLaunch(exec, stream));
  SUCCEEDS(hipStreamSynchronize(stream));
  SUCCEEDS(hipMemcpy(&value, word, 4, hipMemcpyDeviceToHost));
  cr_assert(eq(int, value, 0x07070707));
}

Test(runtime_capture, the_stream_of_a_thread_records) {
  int *word = device_allocation(4);
  hipStream_t other = new_stream(hipStreamNonBlocking);
  hipEvent_t fork, join;
  hipStreamCaptureStatus status;
  SUCCEEDS(hipEventCreate(&fork));
  SUCCEEDS(hipEventCreate(&join));
  for (int i = 0; i < 3; i++) {
    SUCCEEDS(hipMemset(word, 0, 4));
    SUCCEEDS(hipStreamBeginCapture(hipStreamPerThread, modes[i]));
    GIVES(hipErrorIllegalState, hipStreamBeginCapture(hipStreamPerThread, modes[i]));
    SUCCEEDS(hipStreamIsCapturing(hipStreamPerThread, &status));
    cr_assert(eq(int, status, hipStreamCaptureStatusActive));
    SUCCEEDS(hipEventRecord(fork, hipStreamPerThread));
    SUCCEEDS(hipStreamWaitEvent(other, fork, 0));
    SUCCEEDS(hipMemsetAsync(word, 7, 4, other));
    SUCCEEDS(hipEventRecord(join, other));
    SUCCEEDS(hipStreamWaitEvent(hipStreamPerThread, join, 0));
    end_and_replay(hipStreamPerThread, word);
    SUCCEEDS(hipStreamBeginCapture(other, modes[i])); // and takes part in another's recording
    SUCCEEDS(hipEventRecord(fork, other));
    SUCCEEDS(hipStreamWaitEvent(hipStreamPerThread, fork, 0));
    SUCCEEDS(hipMemsetAsync(word, 7, 4, hipStreamPerThread));
    SUCCEEDS(hipEventRecord(join, hipStreamPerThread));
    SUCCEEDS(hipStreamWaitEvent(other, join, 0));
    end_and_replay(other, word);
  }
}

typedef struct {
  hipStream_t recording, other;
  hipEvent_t event;
  int *word;
} Calls;

typedef hipError_t Call(const Calls *calls);
static hipError_t wait_stream(const Calls *c) { return hipStreamSynchronize(c->recording); }
static hipError_t ask_stream(const Calls *c) { return hipStreamQuery(c->recording); }
static hipError_t wait_other(const Calls *c) { return hipStreamSynchronize(c->other); }
static hipError_t ask_other(const Calls *c) { return hipStreamQuery(c->other); }
static hipError_t wait_all(const Calls *c) { return c ? hipDeviceSynchronize() : hipSuccess; }
static hipError_t wait_event(const Calls *c) { return hipEventSynchronize(c->event); }
static hipError_t ask_event(const Calls *c) { return hipEventQuery(c->event); }
static hipError_t fill(const Calls *c) { return hipMemset(c->word, 0, 4); }
static hipError_t allocate(const Calls *c) {
  void *memory;
  return c ? hipHostMalloc(&memory, 4, 0) : hipSuccess;
}
static hipError_t copy(const Calls *c) {
  int value = 0;
  return hipMemcpy(c->word, &value, 4, hipMemcpyHostToDevice);
}
static hipError_t copy_to_peer(const Calls *c) { return hipMemcpyPeer(c->word, 0, c->word, 0, 4); }
static hipError_t copy_and_wait(const Calls *c) {
  int value = 0;
  return hipMemcpyWithStream(c->word, &value, 4, hipMemcpyHostToDevice, c->recording);
}
static hipError_t copy_rows(const Calls *c) {
  return hipMemcpyParam2D(&(hip_Memcpy2D){.dstDevice = c->word, .Height = 1});
}

enum { NEVER, GLOBAL, NOT_RELAXED, ALWAYS }; // in which modes a call is refused
typedef struct {
  Call *call;
  hipError_t code;
  int here, elsewhere; // when it is made by the thread that records, by another one
} Refusal;

static const Refusal refusals[] = {
    {wait_stream, hipErrorStreamCaptureUnsupported, ALWAYS, ALWAYS},
    {ask_stream, hipErrorStreamCaptureUnsupported, ALWAYS, ALWAYS},
    {wait_other, hipErrorStreamCaptureUnsupported, NOT_RELAXED, GLOBAL},
    {ask_other, hipErrorStreamCaptureUnsupported, NOT_RELAXED, GLOBAL},
    {wait_all, hipErrorStreamCaptureUnsupported, ALWAYS, ALWAYS},
    {wait_event, hipErrorCapturedEvent, ALWAYS, ALWAYS},
    {ask_event, hipErrorCapturedEvent, ALWAYS, ALWAYS},
    {allocate, hipErrorStreamCaptureUnsupported, NOT_RELAXED, GLOBAL},
    {fill, hipErrorStreamCaptureImplicit, ALWAYS, ALWAYS},
    {copy, hipErrorStreamCaptureImplicit, ALWAYS, ALWAYS},
    {copy_rows, hipErrorStreamCaptureImplicit, ALWAYS, ALWAYS},
    {copy_to_peer, hipErrorStreamCaptureImplicit, ALWAYS, ALWAYS},
    {copy_and_wait, hipErrorStreamCaptureUnsupported, ALWAYS, ALWAYS},
};

typedef struct {
  const Refusal *refusal;
  const Calls *calls;
  hipError_t code;
} Elsewhere;

static void *call_elsewhere(void *data) {
  Elsewhere *elsewhere = data;
  elsewhere->code = elsewhere->refusal->call(elsewhere->calls);
  return NULL;
}

static hipError_t from_another_thread(const Refusal *refusal, const Calls *calls) {
  Elsewhere elsewhere = {refusal, calls, hipSuccess};
  pthread_t thread;
  cr_assert(zero(int, pthread_create(&thread, NULL, call_elsewhere, &elsewhere)));
  pthread_join(thread, NULL);
  return elsewhere.code;
}

static bool refused(int when, hipStreamCaptureMode mode) {
  return when == ALWAYS || (when == NOT_RELAXED && mode != hipStreamCaptureModeRelaxed) ||
         (when == GLOBAL && mode == hipStreamCaptureModeGlobal);
}

// The recording goes on behind a call that it allows, and is lost behind one that it does not.
static void try_call(const Refusal *refusal, hipStreamCaptureMode mode, bool elsewhere) {
  Calls calls = {new_stream(0), new_stream(0), NULL, device_allocation(4)};
  const bool wrong = refused(elsewhere ? refusal->elsewhere : refusal->here, mode);
  hipGraph_t graph = NULL;
  hipStreamCaptureStatus status;
  SUCCEEDS(hipEventCreate(&calls.event));
  SUCCEEDS(hipStreamBeginCapture(calls.recording, mode));
  SUCCEEDS(hipEventRecord(calls.event, calls.recording));
  GIVES(wrong ? refusal->code : hipSuccess,
        elsewhere ? from_another_thread(refusal, &calls) : refusal->call(&calls));
  SUCCEEDS(hipStreamIsCapturing(calls.recording, &status));
  cr_assert(
      eq(int, status, wrong ? hipStreamCaptureStatusInvalidated : hipStreamCaptureStatusActive));
  GIVES(wrong ? hipErrorStreamCaptureInvalidated : hipSuccess,
        hipMemsetAsync(calls.word, 7, 4, calls.recording));
  if (!wrong) {
    end_and_replay(calls.recording, calls.word);
    return;
  }
  GIVES(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(calls.recording, &graph));
  cr_assert(eq(ptr, graph, NULL));
  SUCCEEDS(hipStreamBeginCapture(calls.recording, mode)); // and begins anew
  SUCCEEDS(hipMemsetAsync(calls.word, 7, 4, calls.recording));
  end_and_replay(calls.recording, calls.word);
}

Test(runtime_capture, calls_that_no_recording_allows_end_it) {
  cr_redirect_stderr();
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
    for (int mode = 0; mode < 3; mode++)
      for (int elsewhere = 0; elsewhere < 2; elsewhere++)
        try_call(&refusals[i], modes[mode], elsewhere);
  SAYS(said(), "emulator: hipHostMalloc: no stream may record during this call");
}

static void *end_elsewhere(void *stream) {
  hipGraph_t graph;
  const hipError_t code = hipStreamEndCapture(stream, &graph);
  return (void *)(intptr_t)code;
}

Test(runtime_capture, the_thread_that_began_ends_it) {
  int *word = device_allocation(4);
  for (int i = 0; i < 3; i++) {
    hipStream_t stream = new_stream(0);
    const bool relaxed = modes[i] == hipStreamCaptureModeRelaxed;
    pthread_t thread;
    void *code;
    SUCCEEDS(hipStreamBeginCapture(stream, modes[i]));
    SUCCEEDS(hipMemsetAsync(word, 7, 4, stream));
    cr_assert(zero(int, pthread_create(&thread, NULL, end_elsewhere, stream)));
    pthread_join(thread, &code);
    GIVES(relaxed ? hipSuccess : hipErrorStreamCaptureWrongThread, (hipError_t)(intptr_t)code);
    if (!relaxed)
      end_and_replay(stream, word);
  }
}

// What the program takes out of the stream's last nodes, nobody has to wait for.
Test(runtime_capture, released_nodes_need_no_join) {
  int *word = device_allocation(4);
  hipStream_t stream = new_stream(0), other = new_stream(0);
  hipEvent_t fork, join;
  hipGraph_t graph;
  hipGraphNode_t node;
  hipStreamCaptureStatus status;
  SUCCEEDS(hipEventCreate(&fork));
  SUCCEEDS(hipEventCreate(&join));
  SUCCEEDS(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  SUCCEEDS(hipEventRecord(fork, stream));
  SUCCEEDS(hipStreamWaitEvent(other, fork, 0));
  SUCCEEDS(hipMemsetAsync(word, 3, 4, other));
  SUCCEEDS(hipEventRecord(join, other));
  SUCCEEDS(hipStreamWaitEvent(stream, join, 0));
  SUCCEEDS(hipStreamGetCaptureInfo_v2(stream, &status, NULL, &graph, NULL, NULL));
  SUCCEEDS(hipGraphAddEmptyNode(&node, graph, NULL, 0));
  SUCCEEDS(hipStreamUpdateCaptureDependencies(stream, &node, 1, hipStreamSetCaptureDependencies));
  SUCCEEDS(hipMemsetAsync(word, 7, 4, stream));
  end_and_replay(stream, word);
}

Test(runtime_capture, a_graph_of_the_program_outlives_a_lost_recording) {
  hipStream_t stream = new_stream(0);
  hipGraph_t graph, none;
  SUCCEEDS(hipGraphCreate(&graph, 0));
  SUCCEEDS(hipStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, hipStreamCaptureModeGlobal));
  cr_redirect_stderr();
  GIVES(hipErrorStreamCaptureUnsupported, hipDeviceSynchronize());
  GIVES(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(stream, &none));
  SUCCEEDS(hipGraphDestroy(graph));
}

// Source: hip-tests, stream/hipStreamLegacy.cc.
Test(runtime_capture, of_the_null_stream_nobody_can_say_whether_it_is_recorded_with_another) {
  hipStream_t in_order = new_stream(hipStreamDefault), apart = new_stream(hipStreamNonBlocking);
  hipStreamCaptureStatus status = hipStreamCaptureStatusActive;
  unsigned long long id;
  hipGraph_t graph;
  SUCCEEDS(hipStreamBeginCapture(apart, hipStreamCaptureModeRelaxed));
  SUCCEEDS(hipStreamIsCapturing(NULL, &status));
  cr_assert(eq(int, status, hipStreamCaptureStatusNone));
  SUCCEEDS(hipStreamEndCapture(apart, &graph));
  SUCCEEDS(hipStreamBeginCapture(in_order, hipStreamCaptureModeRelaxed));
  GIVES(hipErrorStreamCaptureImplicit, hipStreamIsCapturing(NULL, &status));
  GIVES(hipErrorStreamCaptureImplicit, hipStreamGetCaptureInfo(NULL, &status, &id));
  GIVES(hipErrorStreamCaptureImplicit,
        hipStreamGetCaptureInfo_v2(NULL, &status, &id, NULL, NULL, NULL));
  SUCCEEDS(hipStreamIsCapturing(hipStreamPerThread, &status));
  SUCCEEDS(hipStreamEndCapture(in_order, &graph)); // which the questions have not broken
}
