// Nodes of graphs with more to them: attributes of kernels, and batches of values that are waited for and
// written.
#include "graph_test.h"

// ---- attributes of kernels ----

hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to);

enum { N = 64, PRIORITY = 8 };

static hipGraphNode_t kernel_node(hipGraph_t graph, unsigned blocks) {
  static int *memory, n = N;
  hipGraphNode_t node = NULL;
  memory = device_allocation(N * sizeof *memory);
  hipKernelNodeParams p = {.func = kernel_named("add_one"),
                           .gridDim = {blocks, 1, 1},
                           .blockDim = {N, 1, 1},
                           .kernelParams = (void *[]){&memory, &n}};
  SUCCEEDS(hipGraphAddKernelNode(&node, graph, NULL, 0, &p));
  return node;
}

static hipError_t set_window(hipGraphNode_t node, size_t bytes, float ratio,
                             hipAccessProperty miss) {
  hipKernelNodeAttrValue value = {.accessPolicyWindow = {.num_bytes = bytes,
                                                         .hitRatio = ratio,
                                                         .hitProp = hipAccessPropertyPersisting,
                                                         .missProp = miss}};
  return hipGraphKernelNodeSetAttribute(node, hipKernelNodeAttributeAccessPolicyWindow, &value);
}

static hipError_t set_number(hipGraphNode_t node, int attribute, int number) {
  hipKernelNodeAttrValue value = {.cooperative = number};
  return hipGraphKernelNodeSetAttribute(node, (hipKernelNodeAttrID)attribute, &value);
}

static int number_of(hipGraphNode_t node, int attribute) {
  hipKernelNodeAttrValue value = {.cooperative = -1};
  SUCCEEDS(hipGraphKernelNodeGetAttribute(node, (hipKernelNodeAttrID)attribute, &value));
  return value.cooperative;
}

Test(runtime_graph_attributes, a_kernel_keeps_what_is_set) {
  hipGraph_t graph = new_graph(), clone = NULL;
  hipGraphNode_t node = kernel_node(graph, 1), other = kernel_node(graph, 1), cloned = NULL;
  hipKernelNodeAttrValue value;
  hipKernelNodeParams p;
  cr_assert(zero(int, number_of(node, hipKernelNodeAttributeCooperative)));
  SUCCEEDS(set_window(node, 1000, 0.5f, hipAccessPropertyStreaming));
  SUCCEEDS(set_number(node, hipKernelNodeAttributeCooperative, 2));
  SUCCEEDS(set_number(node, PRIORITY, -1));
  SUCCEEDS(hipGraphKernelNodeCopyAttributes(node, other));
  SUCCEEDS(hipGraphKernelNodeGetParams(other, &p));
  p.gridDim.x = 2;
  SUCCEEDS(hipGraphKernelNodeSetParams(other, &p)); // says nothing of attributes
  SUCCEEDS(hipGraphClone(&clone, graph));
  SUCCEEDS(hipGraphNodeFindInClone(&cloned, other, clone));
  SUCCEEDS(
      hipGraphKernelNodeGetAttribute(cloned, hipKernelNodeAttributeAccessPolicyWindow, &value));
  cr_assert(all(eq(sz, value.accessPolicyWindow.num_bytes, 1000),
                eq(flt, value.accessPolicyWindow.hitRatio, 0.5f),
                eq(int, value.accessPolicyWindow.missProp, hipAccessPropertyStreaming)));
  cr_assert(all(eq(int, number_of(cloned, hipKernelNodeAttributeCooperative), 2),
                eq(int, number_of(cloned, PRIORITY), -1)));
  SUCCEEDS(hipGraphLaunch(executable(graph), NULL));
  SUCCEEDS(hipDeviceSynchronize());
}

Test(runtime_graph_attributes, what_cannot_be_set) {
  hipGraph_t graph = new_graph();
  hipGraphNode_t node = kernel_node(graph, 1), empty = NULL;
  hipKernelNodeAttrValue value = {.cooperative = 0};
  SUCCEEDS(hipGraphAddEmptyNode(&empty, graph, NULL, 0));
  for (int i = 0; i < 2; i++) {
    hipGraphNode_t none = i ? empty : NULL;
    GIVES(hipErrorInvalidValue, set_number(none, hipKernelNodeAttributeCooperative, 1));
    GIVES(hipErrorInvalidValue,
          hipGraphKernelNodeGetAttribute(none, hipKernelNodeAttributeCooperative, &value));
    GIVES(hipErrorInvalidValue, hipGraphKernelNodeCopyAttributes(none, node));
    GIVES(hipErrorInvalidValue, hipGraphKernelNodeCopyAttributes(node, none));
  }
  GIVES(hipErrorInvalidValue, set_number(node, -1, 1));
  GIVES(hipErrorInvalidValue,
        hipGraphKernelNodeGetAttribute(node, (hipKernelNodeAttrID)-1, &value));
  GIVES(hipErrorInvalidValue,
        hipGraphKernelNodeSetAttribute(node, hipKernelNodeAttributeCooperative, NULL));
  GIVES(hipErrorInvalidValue,
        hipGraphKernelNodeGetAttribute(node, hipKernelNodeAttributeCooperative, NULL));
  GIVES(hipErrorInvalidValue, set_window(node, 1024, 0.5f, hipAccessPropertyNormal));
  GIVES(hipErrorInvalidValue, set_window(node, 0, 1.1f, hipAccessPropertyNormal));
  GIVES(hipErrorInvalidValue, set_window(node, 0, -0.1f, hipAccessPropertyNormal));
  GIVES(hipErrorInvalidValue, set_window(node, 1, 0, hipAccessPropertyNormal));
  GIVES(hipErrorInvalidValue, set_window(node, 0, 1, hipAccessPropertyPersisting));
  SUCCEEDS(set_window(node, 0, 0, hipAccessPropertyNormal));
}

// More blocks than are resident at once cannot be cooperative, however that is asked for.
Test(runtime_graph_attributes, cooperative_kernels_have_room) {
  cr_redirect_stderr();
  hipGraph_t graph = new_graph();
  hipGraphNode_t small = kernel_node(graph, 1), large = kernel_node(graph, 100000);
  hipKernelNodeParams p;
  GIVES(hipErrorCooperativeLaunchTooLarge, set_number(large, hipKernelNodeAttributeCooperative, 1));
  cr_assert(zero(int, number_of(large, hipKernelNodeAttributeCooperative)));
  SUCCEEDS(set_number(small, hipKernelNodeAttributeCooperative, 1));
  GIVES(hipErrorCooperativeLaunchTooLarge, hipGraphKernelNodeCopyAttributes(small, large));
  SUCCEEDS(hipGraphKernelNodeGetParams(large, &p));
  GIVES(hipErrorCooperativeLaunchTooLarge, hipGraphKernelNodeSetParams(small, &p));
  SAYS(said(), "all blocks must be resident at once");
}

// ---- batches of values ----

// hipBatchMemOpNodeParams.
typedef struct {
  hipCtx_t context;
  unsigned count;
  BatchOperation *operations;
  unsigned flags;
} Batch;
enum { AT_LEAST = 0, EQUAL = 1 };
hipError_t hipGraphAddBatchMemOpNode(hipGraphNode_t *node, hipGraph_t graph,
                                     const hipGraphNode_t *before, size_t count, const Batch *p);
hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t node, Batch *p);
hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t node, const Batch *p);
hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                               const Batch *p);

static uint64_t *shared_values(size_t count) {
  uint64_t *values = NULL;
  SUCCEEDS(hipHostMalloc((void **)&values, count * sizeof *values, 0));
  memset(values, 0, count * sizeof *values);
  return values;
}

Test(runtime_graph_batches, wait_and_write_in_order) {
  uint64_t *values = shared_values(2);
  hipGraph_t graph = new_graph();
  hipGraphNode_t node = NULL;
  BatchOperation list[] = {{.value = {WAIT_32, &values[0], 5, EQUAL}},
                           {.value = {WRITE_64, &values[1], 1ull << 40, 0}}};
  Batch p = {.count = 2, .operations = list}, told;
  SUCCEEDS(hipGraphAddBatchMemOpNode(&node, graph, NULL, 0, &p));
  list[1].value.value = 9; // the node has its own
  SUCCEEDS(hipGraphBatchMemOpNodeGetParams(node, &told));
  cr_assert(all(eq(u32, told.count, 2), eq(ulong, told.operations[1].value.value, 1ull << 40)));
  hipGraphExec_t exec = executable(graph);
  SUCCEEDS(hipGraphLaunch(exec, NULL));
  GIVES(hipErrorNotReady, hipStreamQuery(NULL));
  __atomic_store_n(&values[0], 5, __ATOMIC_RELEASE);
  SUCCEEDS(hipDeviceSynchronize());
  cr_assert(eq(ulong, values[1], 1ull << 40));
  SUCCEEDS(hipGraphExecBatchMemOpNodeSetParams(exec, node, &p));
  SUCCEEDS(hipGraphLaunch(exec, NULL));
  SUCCEEDS(hipDeviceSynchronize());
  cr_assert(eq(ulong, values[1], 9));
  for (int i = 0; i < 3; i++) { // of what it has itself, and had
    SUCCEEDS(hipGraphBatchMemOpNodeSetParams(node, &told));
    cr_assert(eq(ulong, told.operations[1].value.value, 1ull << 40));
  }
  SUCCEEDS(hipGraphLaunch(executable(graph), NULL));
  SUCCEEDS(hipDeviceSynchronize());
  cr_assert(eq(ulong, values[1], 1ull << 40));
}

Test(runtime_graph_batches, what_is_no_batch) {
  cr_redirect_stderr();
  uint64_t *values = shared_values(1);
  hipGraph_t graph = new_graph();
  hipGraphNode_t node = NULL, other = NULL, empty = NULL;
  BatchOperation list[] = {{.value = {WRITE_32, &values[0], 5, 0}}};
  Batch good = {.count = 1, .operations = list}, none = {.count = 1}, flags = good;
  flags.flags = 1;
  SUCCEEDS(hipGraphAddBatchMemOpNode(&node, graph, NULL, 0, &good));
  hipGraphExec_t exec = executable(graph);
  SUCCEEDS(hipGraphAddBatchMemOpNode(&other, graph, NULL, 0, &good));
  SUCCEEDS(hipGraphAddEmptyNode(&empty, graph, NULL, 0));
  GIVES(hipErrorInvalidValue, hipGraphAddBatchMemOpNode(&node, NULL, NULL, 0, &good));
  GIVES(hipErrorInvalidValue, hipGraphAddBatchMemOpNode(&node, graph, NULL, (size_t)-2, &good));
  GIVES(hipErrorInvalidValue, hipGraphAddBatchMemOpNode(NULL, graph, NULL, 0, &good));
  for (int i = 0; i < 3; i++) {
    const Batch *bad = i == 0 ? NULL : i == 1 ? &none : &flags;
    GIVES(hipErrorInvalidValue, hipGraphAddBatchMemOpNode(&node, graph, NULL, 0, bad));
    GIVES(hipErrorInvalidValue, hipGraphBatchMemOpNodeSetParams(node, bad));
    GIVES(hipErrorInvalidValue, hipGraphExecBatchMemOpNodeSetParams(exec, node, bad));
  }
  GIVES(hipErrorInvalidValue, hipGraphBatchMemOpNodeGetParams(NULL, &none));
  GIVES(hipErrorInvalidValue, hipGraphBatchMemOpNodeGetParams(empty, &none));
  GIVES(hipErrorInvalidValue, hipGraphBatchMemOpNodeGetParams(node, NULL));
  GIVES(hipErrorInvalidValue, hipGraphBatchMemOpNodeSetParams(empty, &good));
  GIVES(hipErrorInvalidValue, hipGraphExecBatchMemOpNodeSetParams(NULL, node, &good));
  GIVES(hipErrorInvalidValue, hipGraphExecBatchMemOpNodeSetParams(exec, other, &good));
  list[0].value.operation = 3;
  GIVES(hipErrorNotSupported, hipGraphAddBatchMemOpNode(&node, graph, NULL, 0, &good));
  SAYS(said(), "3 is no operation to wait for, or to write");
}
