// Nodes of graphs that cannot be written down: what the calls refuse before anything is launched, and
// copies of boxes whose rows lie one behind the other.
#include "graph_test.h"

// A call that writes a step down: into a new node, into a node, into an executable graph.
enum { NEW, CHANGED, EXECUTABLE, PLACES };

typedef struct {
  hipGraph_t graph;
  hipGraphNode_t node;
  hipGraphExec_t exec;
} Place;

static hipError_t copy(const Place *at, int place, void *to, const void *from, size_t size,
                       hipMemcpyKind kind) {
  hipGraphNode_t node;
  return place == NEW ? hipGraphAddMemcpyNode1D(&node, at->graph, NULL, 0, to, from, size, kind)
         : place == CHANGED
             ? hipGraphMemcpyNodeSetParams1D(at->node, to, from, size, kind)
             : hipGraphExecMemcpyNodeSetParams1D(at->exec, at->node, to, from, size, kind);
}

static hipError_t copy_box(const Place *at, int place, hipMemcpy3DParms p) {
  hipGraphNode_t node;
  return place == NEW       ? hipGraphAddMemcpyNode(&node, at->graph, NULL, 0, &p)
         : place == CHANGED ? hipGraphMemcpyNodeSetParams(at->node, &p)
                            : hipGraphExecMemcpyNodeSetParams(at->exec, at->node, &p);
}

static hipError_t fill(const Place *at, int place, hipMemsetParams p) {
  hipGraphNode_t node;
  return place == NEW       ? hipGraphAddMemsetNode(&node, at->graph, NULL, 0, &p)
         : place == CHANGED ? hipGraphMemsetNodeSetParams(at->node, &p)
                            : hipGraphExecMemsetNodeSetParams(at->exec, at->node, &p);
}

static hipMemcpy3DParms box(void *to, const void *from, size_t size, hipMemcpyKind kind) {
  return (hipMemcpy3DParms){.dstPtr = {.ptr = to, .xsize = size},
                            .srcPtr = {.ptr = (void *)from, .xsize = size},
                            .extent = {size, 1, 1},
                            .kind = kind};
}

Test(runtime_graph_checks, copies) {
  int from[2] = {1, 2}, to[2], *one = device_allocation(4);
  Place at = {.graph = new_graph()};
  SUCCEEDS(hipGraphAddMemcpyNode1D(&at.node, at.graph, NULL, 0, to, from, 8, hipMemcpyDefault));
  at.exec = executable(at.graph);
  cr_redirect_stderr();
  for (int place = NEW; place < PLACES; place++) {
    GIVES(hipErrorInvalidValue, copy(&at, place, NULL, from, 8, hipMemcpyDefault));
    GIVES(hipErrorInvalidValue, copy(&at, place, to, NULL, 8, hipMemcpyDefault));
    GIVES(hipErrorInvalidValue, copy(&at, place, to, from, 0, hipMemcpyDefault));
    GIVES(hipErrorInvalidValue, copy(&at, place, one, from, 8, hipMemcpyDefault));
    GIVES(hipErrorInvalidValue, copy(&at, place, to, one, 8, hipMemcpyDefault));
    GIVES(hipErrorInvalidMemcpyDirection, copy(&at, place, to, from, 8, (hipMemcpyKind)-1));
    GIVES(hipErrorInvalidValue, copy_box(&at, place, box(NULL, from, 8, hipMemcpyDefault)));
    GIVES(hipErrorInvalidValue, copy_box(&at, place, box(to, NULL, 8, hipMemcpyDefault)));
    GIVES(hipErrorInvalidValue, copy_box(&at, place, box(one, from, 8, hipMemcpyDefault)));
    GIVES(hipErrorInvalidMemcpyDirection,
          copy_box(&at, place, box(to, from, 8, (hipMemcpyKind)-1)));
    SUCCEEDS(copy(&at, place, to, from, 8, hipMemcpyDefault));
  }
  SAYS(said(), "reach 4 bytes beyond the allocation of 4 bytes");
}

Test(runtime_graph_checks, fills) {
  int *words = device_allocation(16);
  const hipMemsetParams right = {
      .dst = words, .elementSize = 4, .width = 1, .height = 1, .value = 42};
  Place at = {.graph = new_graph()};
  hipMemsetParams p;
  SUCCEEDS(hipGraphAddMemsetNode(&at.node, at.graph, NULL, 0, &right));
  at.exec = executable(at.graph);
  cr_redirect_stderr();
  for (int place = NEW; place < PLACES; place++) {
#define WRONG(...) GIVES(hipErrorInvalidValue, (p = right, __VA_ARGS__, fill(&at, place, p)))
    WRONG(p.dst = NULL);
    WRONG(p.width = 0);
    WRONG(p.height = 0);
    WRONG(p.elementSize = 0);
    WRONG(p.elementSize = 0, p.height = 2);
    WRONG(p.width = 5);
    WRONG(p.width = SIZE_MAX / 2);
    WRONG(p.width = p.height = 2, p.pitch = 4);  // less than a row
    WRONG(p.width = p.height = 2, p.pitch = 12); // the second row ends 4 bytes behind the memory
    SUCCEEDS(fill(&at, place, right));
#undef WRONG
  }
}

// What an executable graph was made for stays: the direction of a copy, the rows of a fill.
Test(runtime_graph_checks, executable_graphs_keep_their_shape) {
  int *a = device_allocation(64), *b = device_allocation(64), host[2];
  Place copies = {.graph = new_graph()}, fills = {.graph = new_graph()};
  hipMemsetParams rows = {
      .dst = a, .elementSize = 4, .width = 1, .height = 2, .pitch = 32, .value = 42};
  SUCCEEDS(hipGraphAddMemcpyNode1D(&copies.node, copies.graph, NULL, 0, a, b, 4,
                                   hipMemcpyDeviceToDevice));
  copies.exec = executable(copies.graph);
  for (int kind = hipMemcpyHostToHost; kind <= hipMemcpyDefault; kind++) {
    const hipError_t code = kind == hipMemcpyDeviceToDevice ? hipSuccess : hipErrorInvalidValue;
    GIVES(code, copy(&copies, EXECUTABLE, b, a, 4, (hipMemcpyKind)kind));
    GIVES(code, copy_box(&copies, EXECUTABLE, box(b, a, 4, (hipMemcpyKind)kind)));
  }
  SUCCEEDS(copy(&copies, CHANGED, host, a, 4, hipMemcpyDeviceToHost));
  SUCCEEDS(hipGraphAddMemsetNode(&fills.node, fills.graph, NULL, 0, &rows));
  fills.exec = executable(fills.graph);
  rows.value = 43;
  SUCCEEDS(fill(&fills, EXECUTABLE, rows));
  rows.width = 2;
  GIVES(hipErrorInvalidValue, fill(&fills, EXECUTABLE, rows));
  SUCCEEDS(fill(&fills, CHANGED, rows));
}

// Without a pitch nothing lies between rows.
Test(runtime_graph_checks, boxes_without_a_pitch) {
  enum { SIZE = 24 };
  uint8_t from[SIZE], to[SIZE] = {0}, *device = device_allocation(SIZE);
  hipGraph_t graph = new_graph();
  hipGraphNode_t up, down;
  for (int i = 0; i < SIZE; i++)
    from[i] = (uint8_t)(i + 1);
  hipMemcpy3DParms p = box(device, from, 4, hipMemcpyHostToDevice);
  p.extent = (hipExtent){4, 3, 2};
  SUCCEEDS(hipGraphAddMemcpyNode(&up, graph, NULL, 0, &p));
  p = box(to, device, 4, hipMemcpyDeviceToHost);
  p.extent = (hipExtent){4, 3, 2};
  SUCCEEDS(hipGraphAddMemcpyNode(&down, graph, &up, 1, &p));
  SUCCEEDS(hipGraphLaunch(executable(graph), NULL));
  SUCCEEDS(hipDeviceSynchronize());
  cr_assert(zero(int, memcmp(from, to, SIZE)));
  memset(to, 0, SIZE);
  SUCCEEDS(hipMemcpy3D(&p));
  cr_assert(zero(int, memcmp(from, to, SIZE)));
  int whole[1];
  p.srcArray = (hipArray *)whole; // two sources
  GIVES(hipErrorInvalidValue, hipMemcpy3D(&p));
}

// Memory may be freed after the node was made: the launch says so.
Test(runtime_graph_checks, launches_look_at_memory_again) {
  void *memory[2] = {device_allocation(16), device_allocation(16)};
  const hipMemsetParams set = {
      .dst = memory[0], .elementSize = 4, .width = 4, .height = 1, .value = 1};
  int host[4];
  const hipMemcpy3DParms down = box(host, memory[1], 16, hipMemcpyDeviceToHost);
  hipGraph_t graphs[2] = {new_graph(), new_graph()};
  hipGraphNode_t node;
  SUCCEEDS(hipGraphAddMemsetNode(&node, graphs[0], NULL, 0, &set));
  SUCCEEDS(hipGraphAddMemcpyNode(&node, graphs[1], NULL, 0, &down));
  cr_redirect_stderr();
  for (int i = 0; i < 2; i++) {
    hipGraphExec_t exec = executable(graphs[i]);
    SUCCEEDS(hipGraphLaunch(exec, NULL));
    SUCCEEDS(hipFree(memory[i]));
    GIVES(hipErrorInvalidValue, hipGraphLaunch(exec, NULL));
  }
  SAYS(said(), "lies in memory that was freed");
}

Test(runtime_graph_checks, no_edge_twice) {
  hipGraph_t graph = new_graph();
  hipGraphNode_t first, second, twice[2], node;
  SUCCEEDS(hipGraphAddEmptyNode(&first, graph, NULL, 0));
  SUCCEEDS(hipGraphAddEmptyNode(&second, graph, &first, 1));
  GIVES(hipErrorInvalidValue, hipGraphAddDependencies(graph, &first, &second, 1));
  twice[0] = twice[1] = second;
  GIVES(hipErrorInvalidValue, hipGraphAddEmptyNode(&node, graph, twice, 2));
}

Test(runtime_graph_checks, one_flag_at_most) {
  hipGraph_t graph = new_graph();
  hipGraphExec_t exec;
  for (unsigned flag = 0; flag <= 8; flag = flag ? flag * 2 : 1)
    SUCCEEDS(hipGraphInstantiateWithFlags(&exec, graph, flag));
  GIVES(hipErrorInvalidValue, hipGraphInstantiateWithFlags(&exec, graph, 10));
  GIVES(hipErrorInvalidValue, hipGraphInstantiateWithFlags(&exec, graph, 16));
}

static int destroyed;
static void destroy(void *data) { destroyed += data == NULL; }

// Of more references than there are none is released, neither by the program nor by a graph.
Test(runtime_graph_checks, objects_released_too_often) {
  UserObject_t object;
  hipGraph_t graph = new_graph();
  SUCCEEDS(hipUserObjectCreate(&object, NULL, destroy, 2, 1));
  SUCCEEDS(hipUserObjectRelease(object, 4));
  cr_assert(eq(int, destroyed, 0));
  SUCCEEDS(hipGraphRetainUserObject(graph, object, 1, 1)); // one of them is the graph's
  SUCCEEDS(hipUserObjectRelease(object, 2));               // but the program releases both
  cr_assert(eq(int, destroyed, 1));
  SUCCEEDS(hipUserObjectRelease(object, 1));
  SUCCEEDS(hipGraphDestroy(graph));
  cr_assert(eq(int, destroyed, 1));
  graph = new_graph();
  SUCCEEDS(hipUserObjectCreate(&object, NULL, destroy, 2, 1));
  SUCCEEDS(hipGraphReleaseUserObject(graph, object, 1)); // which has none
  SUCCEEDS(hipGraphRetainUserObject(graph, object, 2, 1));
  SUCCEEDS(hipGraphReleaseUserObject(graph, object, 3));
  cr_assert(eq(int, destroyed, 1));
  SUCCEEDS(hipGraphRetainUserObject(graph, object, 1, 0));
  SUCCEEDS(hipGraphReleaseUserObject(graph, object, 2));
  cr_assert(eq(int, destroyed, 1));
  SUCCEEDS(hipGraphReleaseUserObject(graph, object, 1));
  cr_assert(eq(int, destroyed, 2));
  GIVES(hipErrorInvalidValue, hipGraphReleaseUserObject(graph, NULL, 1));
  GIVES(hipErrorInvalidValue, hipGraphReleaseUserObject(graph, object, 0));
}

// Nor does the graph have any of an object that is gone; glibc has the next one lie where that lay.
Test(runtime_graph_checks, a_graph_forgets_an_object_that_is_gone) {
  UserObject_t object, next;
  hipGraph_t graph = new_graph();
  SUCCEEDS(hipUserObjectCreate(&object, NULL, destroy, 1, 1));
  SUCCEEDS(hipGraphRetainUserObject(graph, object, 2, 1)); // one more than there are
  SUCCEEDS(hipGraphReleaseUserObject(graph, object, 1));
  cr_assert(eq(int, destroyed, 1));
  SUCCEEDS(hipUserObjectCreate(&next, NULL, destroy, 1, 1));
  SUCCEEDS(hipGraphDestroy(graph));
  cr_assert(eq(int, destroyed, 1));
}

// A graph that releases more than its own has the program's references released, as in ROCm.
Test(runtime_graph_checks, a_graph_releases_the_programs_references) {
  UserObject_t object;
  hipGraph_t graph = new_graph();
  SUCCEEDS(hipUserObjectCreate(&object, NULL, destroy, 3, 1));
  SUCCEEDS(hipGraphRetainUserObject(graph, object, 1, 1));
  SUCCEEDS(hipGraphReleaseUserObject(graph, object, 2));
  SUCCEEDS(hipGraphDestroy(graph));
  cr_assert(eq(int, destroyed, 0));
  SUCCEEDS(hipUserObjectRelease(object, 1));
  cr_assert(eq(int, destroyed, 1));
}

hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned *enabled);

// A node that is gone is not found, nor is another one at its address taken for it.
Test(runtime_graph_checks, destroyed_nodes_are_found_no_more) {
  enum { NODES = 50 };
  int *memory = device_allocation(4), value = 0;
  hipGraph_t graph = new_graph(), copied = NULL, other = new_graph();
  hipGraphNode_t node[NODES], found;
  const hipMemsetParams p = {.dst = memory, .elementSize = 4, .height = 1, .value = 1, .width = 1};
  hipMemsetParams changed = p;
  unsigned enabled = 0;
  changed.value = 2;
  for (int i = 0; i < NODES; i++)
    SUCCEEDS(hipGraphAddMemsetNode(&node[i], graph, NULL, 0, &p));
  SUCCEEDS(hipGraphClone(&copied, graph));
  hipGraphExec_t exec = executable(graph);
  SUCCEEDS(hipGraphNodeGetEnabled(exec, node[0], &enabled));
  cr_assert(eq(uint, enabled, 1));
  SUCCEEDS(hipGraphDestroyNode(node[0]));
  GIVES(hipErrorInvalidValue, hipGraphNodeGetEnabled(exec, node[0], &enabled));
  GIVES(hipErrorInvalidValue, hipGraphNodeFindInClone(&found, node[0], copied));
  SUCCEEDS(hipGraphDestroy(graph));
  GIVES(hipErrorInvalidValue, hipGraphNodeGetEnabled(exec, node[1], &enabled));
  for (int i = 0; i < NODES; i++) { // at the same addresses
    SUCCEEDS(hipGraphAddMemsetNode(&node[i], other, NULL, 0, &p));
    GIVES(hipErrorInvalidValue, hipGraphExecMemsetNodeSetParams(exec, node[i], &changed));
    GIVES(hipErrorInvalidValue, hipGraphNodeFindInClone(&found, node[i], copied));
  }
  SUCCEEDS(hipGraphLaunch(exec, NULL));
  SUCCEEDS(hipMemcpy(&value, memory, 4, hipMemcpyDeviceToHost));
  cr_assert(eq(int, value, 1));
}
