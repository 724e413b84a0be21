// Recording of streams: see capture.h. Codes: hipamd hip_graph.cpp.
#define _GNU_SOURCE
#include "capture.h"

#include "graph.h"
#include "graph_memory_nodes.h"
#include "handle.h"
#include "runtime.h"

// What a stream takes part in from now on.
static hipError_t take_part(Stream *stream, Graph *graph, uint64_t id, hipStreamCaptureMode mode,
                            const void *recorder, const NodeList *after) {
  stream->capture = graph;
  stream->capture_id = id;
  stream->mode = mode;
  stream->recorder = recorder;
  stream->invalid = false;
  node_list_clear(&stream->after);
  node_list_clear(&stream->released);
  return node_list_add_all(&stream->after, after) ? hipSuccess : hipErrorOutOfMemory;
}

// graph NULL: a new one.
static hipError_t begin_capture(hipStream_t handle, Graph *graph, const NodeList *after,
                                hipStreamCaptureMode mode) {
  static uint64_t last_id;
  if (!stream_live(handle))
    return hipErrorContextIsDestroyed;
  if ((int)mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed)
    return hipErrorInvalidValue;
  if (stream_is_null(handle))
    return hipErrorStreamCaptureUnsupported;
  Stream *stream = stream_object(handle);
  if (!stream)
    return hipErrorOutOfMemory;
  if (stream->capture)
    return hipErrorIllegalState;
  stream->lent = graph;
  hipError_t error = graph ? hipSuccess : graph_create((hipGraph_t *)&graph);
  if (error != hipSuccess)
    return error;
  stream->origin = true;
  return take_part(stream, graph, ++last_id, mode, stream_thread(), after);
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  SERVE(begin_capture(stream, NULL, &(NodeList){NULL, 0}, mode));
}

EXPORT hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                               const hipGraphNode_t *nodes, const void *edges,
                                               size_t count, hipStreamCaptureMode mode);

// The nodes must be the graph's own.
static bool nodes_of(const Graph *graph, const hipGraphNode_t *nodes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!nodes || !handle_live(HANDLE_GRAPH_NODE, nodes[i]) ||
        ((const GraphNode *)nodes[i])->graph != graph)
      return false;
  return true;
}

static hipError_t begin_in_graph(hipStream_t stream, hipGraph_t graph, const hipGraphNode_t *nodes,
                                 size_t count, hipStreamCaptureMode mode) {
  if (!handle_live(HANDLE_GRAPH, graph) || !nodes_of((const Graph *)graph, nodes, count))
    return hipErrorInvalidValue;
  return begin_capture(stream, (Graph *)graph, &(NodeList){(GraphNode **)nodes, count}, mode);
}

hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                        const hipGraphNode_t *nodes, const void *edges,
                                        size_t count, hipStreamCaptureMode mode) {
  (void)edges; // of one kind
  SERVE(begin_in_graph(stream, graph, nodes, count, mode));
}

static bool has_successor(const GraphNode *node) {
  for (const GraphNode *other = node->graph->first; other; other = other->next)
    if (node_list_has(&other->before, node))
      return true;
  return false;
}

// Whether the stream that the recording began on waits, at the end, for what another recorded.
static bool joined(const Stream *origin, const Stream *member) {
  for (size_t i = 0; i < member->after.count; i++) {
    const GraphNode *last = member->after.node[i];
    if (handle_live(HANDLE_GRAPH_NODE, last) && !node_list_has(&origin->after, last) &&
        !node_list_has(&origin->released, last) && !has_successor(last))
      return false;
  }
  return true;
}

// Ends the recording on every stream that takes part in it.
static hipError_t leave(Stream *origin) {
  hipError_t error = origin->invalid ? hipErrorStreamCaptureInvalidated : hipSuccess;
  for (Stream *member = streams; member; member = member->next)
    if (member->capture && member->capture_id == origin->capture_id) {
      if (error == hipSuccess && !joined(origin, member))
        error = hipErrorStreamCaptureUnjoined;
      member->capture = NULL;
      member->origin = false;
    }
  return error;
}

// Of a recording in which a stream is left that nobody waits for there is no graph.
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
  if (stream->mode != hipStreamCaptureModeRelaxed && stream->recorder != stream_thread())
    return hipErrorStreamCaptureWrongThread;
  *graph = (hipGraph_t)stream->capture;
  hipError_t error = leave(stream);
  if (error == hipSuccess)
    return hipSuccess;
  if (error == hipErrorStreamCaptureUnjoined)
    runtime_say("work of another stream was recorded that stream %p does not wait for; record an "
                "event there and let this one wait for it.",
                (void *)handle);
  if (!stream->lent)
    graph_destroy((Graph *)*graph);
  *graph = NULL;
  return error;
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph) {
  SERVE(end_capture(stream, graph));
}

static hipError_t exchange_mode(hipStreamCaptureMode *mode) {
  if (!mode || (int)*mode < hipStreamCaptureModeGlobal || *mode > hipStreamCaptureModeRelaxed)
    return hipErrorInvalidValue;
  const hipStreamCaptureMode before = stream_mode;
  stream_mode = *mode;
  *mode = before;
  return hipSuccess;
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
  SERVE(exchange_mode(mode));
}

// ---- what is being recorded ----

static hipError_t capture_info(hipStream_t stream, hipStreamCaptureStatus *status,
                               unsigned long long *id) {
  if (!status)
    return hipErrorInvalidValue;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  if (stream_is_null(stream) && stream_null_ambiguous())
    return hipErrorStreamCaptureImplicit;
  const Stream *capturing = stream_capturing(stream);
  *status = !capturing           ? hipStreamCaptureStatusNone
            : capturing->invalid ? hipStreamCaptureStatusInvalidated
                                 : hipStreamCaptureStatusActive;
  if (id && capturing)
    *id = capturing->capture_id;
  return hipSuccess;
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status) {
  SERVE(capture_info(stream, status, NULL));
}
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status,
                                   unsigned long long *id) {
  SERVE(capture_info(stream, status, id));
}

// The list of nodes stays as it is until the next call that records.
static hipError_t capture_state(hipStream_t stream, hipStreamCaptureStatus *status,
                                unsigned long long *id, hipGraph_t *graph,
                                const hipGraphNode_t **nodes, size_t *count) {
  hipError_t error = capture_info(stream, status, id);
  const Stream *capturing = error == hipSuccess ? stream_capturing(stream) : NULL;
  if (!capturing)
    return error;
  if (graph)
    *graph = (hipGraph_t)capturing->capture;
  if (nodes)
    *nodes = (const hipGraphNode_t *)capturing->after.node;
  if (count)
    *count = capturing->after.count;
  return hipSuccess;
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *status,
                                      unsigned long long *id, hipGraph_t *graph,
                                      const hipGraphNode_t **nodes, size_t *count) {
  SERVE(capture_state(stream, status, id, graph, nodes, count));
}

static hipError_t update_after(hipStream_t handle, hipGraphNode_t *nodes, size_t count,
                               unsigned flags) {
  enum { ADD, SET };
  if (!stream_live(handle))
    return hipErrorContextIsDestroyed;
  Stream *stream = stream_capturing(handle);
  if (!stream)
    return hipErrorIllegalState;
  if (flags > SET || !nodes_of(stream->capture, nodes, count))
    return hipErrorInvalidValue;
  if (flags == SET) {
    if (!node_list_add_all(&stream->released, &stream->after))
      return hipErrorOutOfMemory;
    node_list_clear(&stream->after);
  }
  return node_list_add_all(&stream->after, &(NodeList){(GraphNode **)nodes, count})
             ? hipSuccess
             : hipErrorOutOfMemory;
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t *nodes,
                                              size_t count, unsigned flags) {
  SERVE(update_after(stream, nodes, count, flags));
}

// ---- recording ----

hipError_t capture_join(Stream *stream, uint64_t capture_id, const NodeList *after) {
  if (stream->capture && stream->capture_id != capture_id)
    return hipErrorStreamCaptureMerge;
  const Stream *member = streams;
  while (member && !(member->capture && member->capture_id == capture_id))
    member = member->next;
  if (!member) // the recording has ended: nothing to wait for
    return hipSuccess;
  if (member->invalid)
    return hipErrorStreamCaptureInvalidated;
  if (!stream->capture)
    return take_part(stream, member->capture, capture_id, member->mode, member->recorder, after);
  return node_list_add_all(&stream->after, after) ? hipSuccess : hipErrorOutOfMemory;
}

static hipError_t record(Stream *stream, Step step) {
  GraphNode *added;
  if (stream->invalid) {
    step_free(&step);
    return hipErrorStreamCaptureInvalidated;
  }
  hipError_t error = graph_add_node(stream->capture, (hipGraphNode_t *)stream->after.node,
                                    stream->after.count, step, &added);
  if (error != hipSuccess)
    return error;
  stream->after.count = 0;
  return node_list_add(&stream->after, added) ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t capture_launch(Stream *stream, const Launch *launch, const void *function) {
  Step step, source = {.type = hipGraphNodeTypeKernel,
                       .kernel = {.launch = *launch, .function = function}};
  return step_copy(&step, &source) ? record(stream, step) : hipErrorOutOfMemory;
}

hipError_t capture_copy(Stream *stream, void *to, const void *from, size_t size,
                        hipMemcpyKind kind) {
  return record(stream, (Step){.type = hipGraphNodeTypeMemcpy1D, .copy = {to, from, size, kind}});
}

hipError_t capture_copy_3d(Stream *stream, const hipMemcpy3DParms *parameters) {
  return record(stream, (Step){.type = hipGraphNodeTypeMemcpy, .copy_3d = *parameters});
}

hipError_t capture_set(Stream *stream, const hipMemsetParams *parameters) {
  return record(stream, (Step){.type = hipGraphNodeTypeMemset, .set = *parameters});
}

hipError_t capture_host(Stream *stream, hipHostFn_t function, void *data) {
  return record(stream, (Step){.type = hipGraphNodeTypeHost, .host = {function, data}});
}

hipError_t capture_allocate(Stream *stream, void **address, size_t size) {
  Step step;
  hipError_t error = memory_step_allocate(&step, size, stream->device);
  if (error == hipSuccess)
    error = record(stream, step);
  if (error == hipSuccess)
    *address = step.memory.address;
  return error;
}

hipError_t capture_free(Stream *stream, void *address) {
  Step step;
  hipError_t error = memory_step_free(&step, stream->capture, address);
  return error == hipSuccess ? record(stream, step) : error;
}
