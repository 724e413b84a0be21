// Recording of streams: see capture.h. Codes: hipamd hip_graph.cpp.
#define _GNU_SOURCE
#include "capture.h"

#include "graph.h"
#include "runtime.h"

static hipError_t begin_capture(hipStream_t handle, hipStreamCaptureMode mode) {
  static uint64_t last_id;
  if (!stream_live(handle))
    return hipErrorContextIsDestroyed;
  if (!handle || handle == hipStreamPerThread)
    return hipErrorStreamCaptureUnsupported;
  Stream *stream = (Stream *)handle;
  if (stream->capture)
    return hipErrorIllegalState;
  hipGraph_t graph;
  hipError_t error = graph_create(&graph);
  if (error != hipSuccess)
    return error;
  stream->capture = (Graph *)graph;
  stream->capture_id = ++last_id;
  stream->last = NULL;
  stream->origin = true;
  stream->global = mode == hipStreamCaptureModeGlobal;
  return hipSuccess;
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  SERVE(begin_capture(stream, mode));
}
PER_THREAD_VARIANT(hipStreamBeginCapture);

// Ends the recording on every stream that takes part in it.
static hipError_t end_capture(hipStream_t handle, hipGraph_t *graph) {
  if (!graph)
    return hipErrorInvalidValue;
  if (!stream_live(handle))
    return hipErrorContextIsDestroyed;
  Stream *stream = stream_capturing(handle);
  if (!stream)
    return hipErrorIllegalState;
  if (!stream->origin)
    return hipErrorStreamCaptureUnmatched;
  *graph = (hipGraph_t)stream->capture;
  uint64_t id = stream->capture_id;
  for (Stream *member = streams; member; member = member->next)
    if (member->capture && member->capture_id == id) {
      member->capture = NULL;
      member->origin = false;
    }
  return hipSuccess;
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph) {
  SERVE(end_capture(stream, graph));
}
PER_THREAD_VARIANT(hipStreamEndCapture);

static hipError_t capture_info(hipStream_t stream, hipStreamCaptureStatus *status,
                               unsigned long long *id) {
  if (!status)
    return hipErrorInvalidValue;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  const Stream *capturing = stream_capturing(stream);
  *status = capturing ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
  if (id && capturing)
    *id = capturing->capture_id;
  return hipSuccess;
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status) {
  SERVE(capture_info(stream, status, NULL));
}
PER_THREAD_VARIANT(hipStreamIsCapturing);
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status,
                                   unsigned long long *id) {
  SERVE(capture_info(stream, status, id));
}
PER_THREAD_VARIANT(hipStreamGetCaptureInfo);

hipError_t capture_join(Stream *stream, uint64_t capture_id, GraphNode *after) {
  if (stream->capture && stream->capture_id != capture_id)
    return hipErrorStreamCaptureMerge;
  const Stream *member = streams;
  while (member && !(member->capture && member->capture_id == capture_id))
    member = member->next;
  if (!member) // the recording has ended: nothing to wait for
    return hipSuccess;
  if (!stream->capture) {
    stream->capture = member->capture;
    stream->capture_id = capture_id;
    stream->global = member->global;
    stream->last = after;
    return hipSuccess;
  }
  // Both branches: an empty node that depends on them becomes the stream's last.
  hipGraphNode_t branches[2];
  size_t count = 0;
  if (stream->last)
    branches[count++] = (hipGraphNode_t)stream->last;
  if (after && after != stream->last)
    branches[count++] = (hipGraphNode_t)after;
  return graph_add_node(stream->capture, branches, count, (Step){.type = hipGraphNodeTypeEmpty},
                        &stream->last);
}

static hipError_t record(Stream *stream, Step step) {
  hipGraphNode_t last = (hipGraphNode_t)stream->last;
  return graph_add_node(stream->capture, &last, last ? 1 : 0, step, &stream->last);
}

hipError_t capture_launch(Stream *stream, const Launch *call) {
  Step step, source = {.type = hipGraphNodeTypeKernel, .launch = *call};
  return graph_copy_step(&step, &source) ? record(stream, step) : hipErrorOutOfMemory;
}

hipError_t capture_copy(Stream *stream, void *to, const void *from, size_t size,
                        hipMemcpyKind kind) {
  return record(stream, (Step){.type = hipGraphNodeTypeMemcpy1D, .copy = {to, from, size, kind}});
}

hipError_t capture_set(Stream *stream, void *to, uint32_t value, size_t width, size_t count) {
  hipMemsetParams set = {
      .dst = to, .elementSize = (unsigned)width, .height = 1, .value = value, .width = count};
  return record(stream, (Step){.type = hipGraphNodeTypeMemset, .set = set});
}

hipError_t capture_host(Stream *stream, hipHostFn_t function, void *data) {
  return record(stream, (Step){.type = hipGraphNodeTypeHost, .host = {function, data}});
}
