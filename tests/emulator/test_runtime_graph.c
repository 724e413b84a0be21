// Graphs of the HIP runtime: what nodes tell, how graphs and executable graphs change, what streams
// record into them.
#include "graph_test.h"

// Of releases after ROCm 5.2.
hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned enabled);
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned *enabled);
hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags);
hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                        const hipGraphNode_t *nodes, const void *edges,
                                        size_t count, hipStreamCaptureMode mode);

static void run(hipGraphExec_t exec) {
  SUCCEEDS(hipGraphLaunch(exec, NULL));
  SUCCEEDS(hipDeviceSynchronize());
}

static hipGraphNode_t empty(hipGraph_t graph, hipGraphNode_t before) {
  hipGraphNode_t node = NULL;
  SUCCEEDS(hipGraphAddEmptyNode(&node, graph, &before, before ? 1 : 0));
  return node;
}

static hipMemsetParams fill_of(int *to, unsigned value) {
  return (hipMemsetParams){.dst = to, .elementSize = 4, .height = 1, .value = value, .width = 1};
}

static hipGraphNode_t fill(hipGraph_t graph, hipGraphNode_t before, int *to, unsigned value) {
  hipGraphNode_t node = NULL;
  const hipMemsetParams p = fill_of(to, value);
  SUCCEEDS(hipGraphAddMemsetNode(&node, graph, &before, before ? 1 : 0, &p));
  return node;
}

static int value_of(const int *device) {
  int value = 0;
  SUCCEEDS(hipMemcpy(&value, device, sizeof value, hipMemcpyDeviceToHost));
  return value;
}

Test(runtime_graph_shape, edges_and_neighbours) {
  hipGraph_t graph = new_graph();
  hipGraphNode_t a = empty(graph, NULL), b = empty(graph, a), c = empty(graph, a),
                 from[4] = {a, a, a, a}, to[4] = {a, a, a, a};
  SUCCEEDS(hipGraphAddDependencies(graph, &b, &c, 1));
  size_t count = 9;
  SUCCEEDS(hipGraphGetEdges(graph, NULL, NULL, &count));
  cr_assert(eq(sz, count, 3));
  count = 4;
  SUCCEEDS(hipGraphGetEdges(graph, from, to, &count));
  cr_assert(all(eq(sz, count, 3), eq(ptr, from[0], a), eq(ptr, to[0], b), eq(ptr, from[2], b),
                eq(ptr, to[2], c), eq(ptr, from[3], NULL), eq(ptr, to[3], NULL)));
  count = 2;
  SUCCEEDS(hipGraphGetEdges(graph, from, to, &count));
  cr_assert(eq(sz, count, 2), "there is room for no more");
  GIVES(hipErrorInvalidValue, hipGraphGetEdges(graph, from, NULL, &count));
  count = 2;
  SUCCEEDS(hipGraphNodeGetDependencies(c, from, &count));
  cr_assert(all(eq(sz, count, 2), eq(ptr, from[0], a), eq(ptr, from[1], b)));
  SUCCEEDS(hipGraphNodeGetDependentNodes(a, to, &count));
  cr_assert(all(eq(sz, count, 2), eq(ptr, to[0], b), eq(ptr, to[1], c)));
  SUCCEEDS(hipGraphRemoveDependencies(graph, &a, &c, 1));
  GIVES(hipErrorInvalidValue, hipGraphRemoveDependencies(graph, &a, &c, 1));
  SUCCEEDS(hipGraphDestroyNode(b));
  GIVES(hipErrorInvalidValue, hipGraphDestroyNode(b));
  SUCCEEDS(hipGraphGetEdges(graph, NULL, NULL, &count));
  cr_assert(zero(sz, count));
  SUCCEEDS(hipGraphGetNodes(graph, NULL, &count));
  cr_assert(eq(sz, count, 2));
  empty(graph, c);
}

Test(runtime_graph_shape, a_clone_goes_its_own_way) {
  int *word = device_allocation(4);
  hipGraph_t graph = new_graph(), clone = NULL;
  hipGraphNode_t first = fill(graph, NULL, word, 1), second = fill(graph, first, word, 2), found;
  SUCCEEDS(hipGraphClone(&clone, graph));
  SUCCEEDS(hipGraphNodeFindInClone(&found, second, clone));
  cr_assert(ne(ptr, found, second));
  const hipMemsetParams p = fill_of(word, 7);
  SUCCEEDS(hipGraphMemsetNodeSetParams(second, &p));
  SUCCEEDS(hipGraphDestroyNode(first));
  run(executable(clone));
  cr_assert(eq(int, value_of(word), 2));
  run(executable(graph));
  cr_assert(eq(int, value_of(word), 7));
  GIVES(hipErrorInvalidValue, hipGraphNodeFindInClone(&found, found, clone));
  GIVES(hipErrorInvalidValue, hipGraphClone(NULL, graph));
  GIVES(hipErrorInvalidValue, hipGraphClone(&clone, NULL));
}

Test(runtime_graph_nodes, a_kernel_tells_and_takes_its_parameters) {
  int *values = device_allocation(256), n = 1;
  SUCCEEDS(hipMemset(values, 0, 256));
  hipGraph_t graph = new_graph();
  void *arguments[] = {&values, &n};
  hipGraphNode_t node, other = empty(graph, NULL);
  hipKernelNodeParams told, p = {.func = kernel_named("add_one"),
                                 .gridDim = {1, 1, 1},
                                 .blockDim = {64, 1, 1},
                                 .kernelParams = arguments};
  SUCCEEDS(hipGraphAddKernelNode(&node, graph, NULL, 0, &p));
  SUCCEEDS(hipGraphKernelNodeGetParams(node, &told));
  cr_assert(all(eq(ptr, told.func, p.func), eq(u32, told.blockDim.x, 64), zero(ptr, told.extra)));
  cr_assert(all(eq(ptr, *(int **)told.kernelParams[0], values),
                eq(int, *(int *)told.kernelParams[1], 1)));
  GIVES(hipErrorInvalidValue, hipGraphKernelNodeGetParams(other, &told));
  hipGraphExec_t exec = executable(graph);
  run(exec);
  n = 64;
  SUCCEEDS(hipGraphExecKernelNodeSetParams(exec, node, &p));
  GIVES(hipErrorInvalidValue, hipGraphExecKernelNodeSetParams(exec, other, &p));
  run(exec);
  cr_assert(all(eq(int, value_of(values), 2), eq(int, value_of(values + 63), 1)));
  SUCCEEDS(hipGraphKernelNodeGetParams(node, &told));
  cr_assert(eq(int, *(int *)told.kernelParams[1], 1), "the graph is as it was");
}

// A program asks once, and sets again and again what it got with another grid.
Test(runtime_graph_nodes, a_kernel_takes_what_it_told_as_often_as_it_is_set) {
  int *values = device_allocation(256), n = 64;
  SUCCEEDS(hipMemset(values, 0, 256));
  hipGraph_t graph = new_graph();
  void *arguments[] = {&values, &n};
  hipGraphNode_t node;
  hipKernelNodeParams told, p = {.func = kernel_named("add_one"),
                                 .gridDim = {1, 1, 1},
                                 .blockDim = {64, 1, 1},
                                 .kernelParams = arguments};
  SUCCEEDS(hipGraphAddKernelNode(&node, graph, NULL, 0, &p));
  SUCCEEDS(hipGraphKernelNodeGetParams(node, &told));
  hipGraphExec_t exec = executable(graph);
  for (int i = 0; i < 3; i++) {
    told.blockDim.x = 16u << i;
    SUCCEEDS(hipGraphKernelNodeSetParams(node, &told));
    SUCCEEDS(hipGraphExecKernelNodeSetParams(exec, node, &told));
    void *other = malloc(16); // where what was freed would be
    cr_assert(all(eq(ptr, *(int **)told.kernelParams[0], values),
                  eq(int, *(int *)told.kernelParams[1], 64)));
    free(other);
    run(exec);
  }
  cr_assert(all(eq(int, value_of(values), 3), eq(int, value_of(values + 63), 1)));
}

static void set_to_five(void *data) { *(int *)data = 5; }
static void set_to_six(void *data) { *(int *)data = 6; }

Test(runtime_graph_nodes, copies_fills_and_host_functions_change) {
  int *device = device_allocation(8), host[4] = {11, 22, 0, 0}, seen = 0;
  hipGraph_t graph = new_graph();
  hipGraphNode_t up, down, call;
  hipHostNodeParams function = {set_to_five, &seen}, told;
  hipMemcpy3DParms copy;
  SUCCEEDS(hipGraphAddMemcpyNode1D(&up, graph, NULL, 0, device, host, 4, hipMemcpyHostToDevice));
  SUCCEEDS(
      hipGraphAddMemcpyNode1D(&down, graph, &up, 1, host + 2, device, 4, hipMemcpyDeviceToHost));
  SUCCEEDS(hipGraphAddHostNode(&call, graph, &down, 1, &function));
  SUCCEEDS(hipGraphMemcpyNodeGetParams(up, &copy));
  cr_assert(all(eq(ptr, copy.dstPtr.ptr, device), eq(ptr, copy.srcPtr.ptr, host),
                eq(sz, copy.extent.width, 4)));
  hipGraphExec_t exec = executable(graph);
  SUCCEEDS(hipGraphExecMemcpyNodeSetParams1D(exec, up, device, host + 1, 4, hipMemcpyHostToDevice));
  function.fn = set_to_six;
  SUCCEEDS(hipGraphExecHostNodeSetParams(exec, call, &function));
  run(exec);
  cr_assert(all(eq(int, host[2], 22), eq(int, seen, 6)));
  run(executable(graph));
  cr_assert(all(eq(int, host[2], 11), eq(int, seen, 5)), "the graph is as it was");
  copy.srcPtr.ptr = host + 1;
  SUCCEEDS(hipGraphMemcpyNodeSetParams(up, &copy));
  SUCCEEDS(hipGraphMemcpyNodeSetParams1D(down, host + 3, device, 4, hipMemcpyDeviceToHost));
  SUCCEEDS(hipGraphHostNodeSetParams(call, &function));
  SUCCEEDS(hipGraphHostNodeGetParams(call, &told));
  cr_assert(eq(ptr, (void *)told.fn, (void *)set_to_six));
  run(executable(graph));
  cr_assert(all(eq(int, host[3], 22), eq(int, seen, 6)));
  GIVES(hipErrorInvalidValue,
        hipGraphMemcpyNodeSetParams1D(call, host, device, 4, hipMemcpyDeviceToHost));
  GIVES(hipErrorInvalidValue, hipGraphExecHostNodeSetParams(exec, up, &function));
}

Test(runtime_graph_nodes, events_are_recorded_and_waited_for) {
  int *word = device_allocation(4);
  hipEvent_t begin, end, got;
  SUCCEEDS(hipEventCreate(&begin));
  SUCCEEDS(hipEventCreate(&end));
  hipGraph_t graph = new_graph();
  hipGraphNode_t first, wait, last;
  SUCCEEDS(hipGraphAddEventRecordNode(&first, graph, NULL, 0, begin));
  SUCCEEDS(hipGraphAddEventWaitNode(&wait, graph, &first, 1, begin));
  fill(graph, wait, word, 3);
  SUCCEEDS(hipGraphAddEventRecordNode(&last, graph, &wait, 1, begin));
  SUCCEEDS(hipGraphEventRecordNodeGetEvent(last, &got));
  cr_assert(eq(ptr, got, begin));
  hipGraphExec_t exec = executable(graph);
  SUCCEEDS(hipGraphExecEventRecordNodeSetEvent(exec, last, end));
  GIVES(hipErrorInvalidValue, hipGraphExecEventRecordNodeSetEvent(exec, wait, end));
  GIVES(hipErrorInvalidValue, hipGraphAddEventRecordNode(&first, graph, NULL, 0, NULL));
  float milliseconds = -1;
  GIVES(hipErrorInvalidHandle, hipEventElapsedTime(&milliseconds, begin, end));
  run(exec);
  SUCCEEDS(hipEventElapsedTime(&milliseconds, begin, end));
  cr_assert(all(ge(flt, milliseconds, 0), eq(int, value_of(word), 3)));
  SUCCEEDS(hipEventDestroy(end));
  GIVES(hipErrorInvalidHandle, hipGraphLaunch(exec, NULL));
}

Test(runtime_graph_nodes, a_graph_within_a_graph) {
  int *word = device_allocation(4);
  hipGraph_t inner = new_graph(), outer = new_graph(), within, clone, other = new_graph();
  hipGraphNode_t set = fill(inner, NULL, word, 1), child, node = NULL;
  fill(other, NULL, word, 9);
  SUCCEEDS(hipGraphAddChildGraphNode(&child, outer, NULL, 0, inner));
  const hipMemsetParams p = fill_of(word, 2);
  SUCCEEDS(hipGraphMemsetNodeSetParams(set, &p)); // the node has a copy
  SUCCEEDS(hipGraphChildGraphNodeGetGraph(child, &within));
  GIVES(hipErrorInvalidValue, hipGraphDestroy(within));
  size_t count = 1;
  SUCCEEDS(hipGraphGetNodes(within, &node, &count));
  hipGraphExec_t exec = executable(outer);
  run(exec);
  cr_assert(eq(int, value_of(word), 1));
  SUCCEEDS(hipGraphExecMemsetNodeSetParams(exec, node, &p));
  run(exec);
  cr_assert(eq(int, value_of(word), 2));
  SUCCEEDS(hipGraphExecChildGraphNodeSetParams(exec, child, other));
  run(exec);
  cr_assert(eq(int, value_of(word), 9));
  empty(other, NULL);
  GIVES(hipErrorInvalidValue, hipGraphExecChildGraphNodeSetParams(exec, child, other));
  SUCCEEDS(hipGraphClone(&clone, outer));
  SUCCEEDS(hipGraphDestroy(outer));
  GIVES(hipErrorInvalidValue, hipGraphGetNodes(within, &node, &count));
  run(executable(clone));
  cr_assert(eq(int, value_of(word), 1), "what the node had");
}

Test(runtime_graph_exec, an_update_takes_all_or_nothing) {
  int *word = device_allocation(4), host = 0;
  hipGraph_t graph = new_graph(), next = new_graph(), turned = new_graph(), copy = new_graph();
  hipGraphNode_t first = fill(graph, NULL, word, 1), different;
  fill(graph, first, word, 2);
  first = fill(next, NULL, word, 3);
  fill(next, first, word, 4);
  fill(turned, NULL, word, 5);
  fill(turned, NULL, word, 6);
  hipGraphExecUpdateResult result;
  hipGraphExec_t exec = executable(graph);
  SUCCEEDS(hipGraphExecUpdate(exec, next, &different, &result));
  cr_assert(eq(int, result, hipGraphExecUpdateSuccess));
  run(exec);
  cr_assert(eq(int, value_of(word), 4));
  GIVES(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(exec, turned, &different, &result));
  cr_assert(eq(int, result, hipGraphExecUpdateErrorTopologyChanged));
  empty(next, NULL);
  GIVES(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(exec, next, &different, &result));
  cr_assert(eq(int, result, hipGraphExecUpdateErrorTopologyChanged));
  first = fill(copy, NULL, word, 7);
  SUCCEEDS(hipGraphAddMemcpyNode1D(&first, copy, &first, 1, &host, word, 4, hipMemcpyDeviceToHost));
  GIVES(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(exec, copy, &different, &result));
  cr_assert(
      all(eq(int, result, hipGraphExecUpdateErrorNodeTypeChanged), eq(ptr, different, first)));
  run(exec);
  cr_assert(eq(int, value_of(word), 4));
  GIVES(hipErrorInvalidValue, hipGraphExecUpdate(exec, copy, NULL, &result));
}

Test(runtime_graph_exec, an_update_keeps_the_direction_of_copies) {
  int *word = device_allocation(4), host = 3;
  hipGraph_t up = new_graph(), down = new_graph();
  hipGraphNode_t node, different;
  hipGraphExecUpdateResult result;
  SUCCEEDS(hipGraphAddMemcpyNode1D(&node, up, NULL, 0, word, &host, 4, hipMemcpyHostToDevice));
  SUCCEEDS(hipGraphAddMemcpyNode1D(&node, down, NULL, 0, &host, word, 4, hipMemcpyDeviceToHost));
  hipGraphExec_t exec = executable(up);
  GIVES(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(exec, down, &different, &result));
  cr_assert(
      all(eq(int, result, hipGraphExecUpdateErrorParametersChanged), eq(ptr, different, node)));
  run(exec);
  cr_assert(eq(int, value_of(word), 3));
}

Test(runtime_graph_exec, nodes_are_switched_off) {
  int *word = device_allocation(4);
  hipGraph_t graph = new_graph();
  hipGraphNode_t first = fill(graph, NULL, word, 1), second = fill(graph, first, word, 2);
  hipGraphExec_t exec = NULL;
  unsigned enabled = 9;
  unsigned long long flags = 9;
  SUCCEEDS(hipGraphInstantiateWithFlags(&exec, graph, 1));
  SUCCEEDS(hipGraphExecGetFlags(exec, &flags));
  cr_assert(eq(u64, flags, 1));
  SUCCEEDS(hipGraphNodeSetEnabled(exec, second, 0));
  SUCCEEDS(hipGraphNodeGetEnabled(exec, second, &enabled));
  run(exec);
  cr_assert(all(zero(u32, enabled), eq(int, value_of(word), 1)));
  SUCCEEDS(hipGraphNodeSetEnabled(exec, second, 1));
  run(exec);
  cr_assert(eq(int, value_of(word), 2));
  GIVES(hipErrorInvalidValue, hipGraphNodeSetEnabled(exec, NULL, 1));
}

static void count_down(void *data) { --*(int *)data; }

Test(runtime_graph_exec, data_lives_as_long_as_somebody_refers_to_it) {
  int left = 1;
  UserObject_t object;
  hipGraph_t graph = new_graph(), clone;
  empty(graph, NULL);
  SUCCEEDS(hipUserObjectCreate(&object, &left, count_down, 1, 1));
  SUCCEEDS(hipGraphRetainUserObject(graph, object, 2, 0));
  SUCCEEDS(hipUserObjectRelease(object, 1));
  SUCCEEDS(hipGraphClone(&clone, graph));
  SUCCEEDS(hipGraphReleaseUserObject(graph, object, 1));
  hipGraphExec_t exec = executable(graph);
  SUCCEEDS(hipGraphDestroy(graph));
  SUCCEEDS(hipGraphDestroy(clone));
  cr_assert(eq(int, left, 1));
  SUCCEEDS(hipGraphExecDestroy(exec));
  cr_assert(zero(int, left));
}

static hipStream_t new_stream(void) {
  hipStream_t stream = NULL;
  SUCCEEDS(hipStreamCreate(&stream));
  return stream;
}

Test(runtime_graph_capture, boxes_are_recorded) {
  enum { PITCH = 64, WIDTH = 12, ROWS = 3 };
  uint8_t *from = device_allocation(PITCH * ROWS), *to = device_allocation(PITCH * ROWS);
  uint8_t back[PITCH * ROWS];
  hipStream_t stream = new_stream();
  hipGraph_t graph;
  SUCCEEDS(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  SUCCEEDS(hipMemset2DAsync(from, PITCH, 7, WIDTH, ROWS, stream));
  SUCCEEDS(hipMemcpy2DAsync(to, PITCH, from, PITCH, WIDTH, ROWS, hipMemcpyDeviceToDevice, stream));
  SUCCEEDS(hipStreamEndCapture(stream, &graph));
  run(executable(graph));
  SUCCEEDS(hipMemcpy(back, to, sizeof back, hipMemcpyDeviceToHost));
  for (int i = 0; i < PITCH * ROWS; i++)
    cr_assert(eq(int, back[i], i % PITCH < WIDTH ? 7 : 0), "byte %d", i);
}

Test(runtime_graph_capture, what_nobody_waits_for_is_no_graph) {
  int *word = device_allocation(4);
  hipStream_t stream = new_stream(), other = new_stream();
  hipEvent_t fork, join;
  hipGraph_t graph;
  size_t edges = 0;
  SUCCEEDS(hipEventCreate(&fork));
  SUCCEEDS(hipEventCreate(&join));
  cr_redirect_stderr();
  for (int joins = 0; joins < 2; joins++) {
    SUCCEEDS(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    SUCCEEDS(hipMemsetAsync(word, 1, 4, stream));
    SUCCEEDS(hipEventRecord(fork, stream));
    SUCCEEDS(hipStreamWaitEvent(other, fork, 0));
    SUCCEEDS(hipMemsetAsync(word, 2, 4, other));
    SUCCEEDS(hipEventRecord(join, other));
    if (joins)
      SUCCEEDS(hipStreamWaitEvent(stream, join, 0));
    GIVES(joins ? hipSuccess : hipErrorStreamCaptureUnjoined, hipStreamEndCapture(stream, &graph));
  }
  SAYS(said(), "let this one wait for it");
  SUCCEEDS(hipGraphGetNodes(graph, NULL, &edges));
  cr_assert(eq(sz, edges, 2), "waiting makes no node");
}

Test(runtime_graph_capture, recording_is_looked_at_and_led_elsewhere) {
  int *word = device_allocation(4);
  hipStream_t stream = new_stream();
  hipGraph_t graph = new_graph(), recorded;
  hipGraphNode_t first = fill(graph, NULL, word, 1), second = fill(graph, NULL, word, 2);
  hipStreamCaptureStatus status;
  hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
  unsigned long long id = 0;
  const hipGraphNode_t *nodes;
  size_t count = 0;
  SUCCEEDS(
      hipStreamBeginCaptureToGraph(stream, graph, &first, NULL, 1, hipStreamCaptureModeGlobal));
  SUCCEEDS(hipStreamGetCaptureInfo_v2(stream, &status, &id, &recorded, &nodes, &count));
  cr_assert(all(eq(int, status, hipStreamCaptureStatusActive), eq(ptr, recorded, graph),
                eq(sz, count, 1), eq(ptr, nodes[0], first)));
  SUCCEEDS(hipStreamUpdateCaptureDependencies(stream, &second, 1, 0));
  SUCCEEDS(hipMemsetAsync(word, 3, 4, stream));
  void *memory;
  SUCCEEDS(hipThreadExchangeStreamCaptureMode(&mode));
  cr_assert(eq(int, mode, hipStreamCaptureModeGlobal));
  SUCCEEDS(hipMalloc(&memory, 4));
  SUCCEEDS(hipThreadExchangeStreamCaptureMode(&mode));
  cr_assert(eq(int, mode, hipStreamCaptureModeRelaxed));
  SUCCEEDS(hipStreamEndCapture(stream, &recorded));
  cr_assert(eq(ptr, recorded, graph));
  SUCCEEDS(hipGraphGetEdges(graph, NULL, NULL, &count));
  cr_assert(eq(sz, count, 2), "the recorded node comes behind both");
  GIVES(hipErrorIllegalState, hipStreamUpdateCaptureDependencies(stream, &second, 1, 0));
}
