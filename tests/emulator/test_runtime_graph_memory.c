// Graphs that allocate and free memory, by nodes and by recorded calls.
#include "runtime_test.h"

#include <unistd.h>

// Of releases after ROCm 5.2.
typedef struct {
  hipMemPoolProps poolProps;
  const hipMemAccessDesc *accessDescs;
  size_t accessDescCount, bytesize;
  void *dptr;
} AllocParams;
hipError_t hipGraphAddMemAllocNode(hipGraphNode_t *node, hipGraph_t graph,
                                   const hipGraphNode_t *dependencies, size_t count,
                                   AllocParams *params);
hipError_t hipGraphAddMemFreeNode(hipGraphNode_t *node, hipGraph_t graph,
                                  const hipGraphNode_t *dependencies, size_t count, void *address);
hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, AllocParams *params);
hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void **address);
hipError_t hipDeviceGetGraphMemAttribute(int device, int attribute, void *value);
hipError_t hipDeviceSetGraphMemAttribute(int device, int attribute, void *value);
hipError_t hipDeviceGraphMemTrim(int device);
enum { USED, MOST_USED, RESERVED, MOST_RESERVED };

enum { COUNT = 1000, BYTES = COUNT * sizeof(int), PAGES = 4096 };

static uint64_t told(int attribute) {
  uint64_t value = 0;
  SUCCEEDS(hipDeviceGetGraphMemAttribute(0, attribute, &value));
  return value;
}

static AllocParams of_bytes(size_t bytes) {
  AllocParams p = {.bytesize = bytes};
  p.poolProps.allocType = hipMemAllocationTypePinned;
  p.poolProps.location = (hipMemLocation){hipMemLocationTypeDevice, 0};
  return p;
}

static hipGraph_t new_graph(void) {
  hipGraph_t graph = NULL;
  SUCCEEDS(hipGraphCreate(&graph, 0));
  return graph;
}

static hipGraphNode_t allocate(hipGraph_t graph, size_t bytes, int **address) {
  AllocParams p = of_bytes(bytes);
  hipGraphNode_t node = NULL;
  SUCCEEDS(hipGraphAddMemAllocNode(&node, graph, NULL, 0, &p));
  *address = p.dptr;
  return node;
}

static hipGraphNode_t fill(hipGraph_t graph, hipGraphNode_t before, int *to, unsigned value) {
  hipGraphNode_t node = NULL;
  const hipMemsetParams p = {
      .dst = to, .elementSize = 4, .height = 1, .value = value, .width = COUNT};
  SUCCEEDS(hipGraphAddMemsetNode(&node, graph, &before, 1, &p));
  return node;
}

static hipGraphNode_t allocate_filled(hipGraph_t graph, int **memory, unsigned value) {
  const hipGraphNode_t node = allocate(graph, BYTES, memory);
  return fill(graph, node, *memory, value);
}

static hipGraphNode_t copy(hipGraph_t graph, hipGraphNode_t before, void *to, const void *from) {
  hipGraphNode_t node = NULL;
  SUCCEEDS(hipGraphAddMemcpyNode1D(&node, graph, &before, 1, to, from, BYTES, hipMemcpyDefault));
  return node;
}

static hipGraphNode_t release(hipGraph_t graph, hipGraphNode_t before, void *address) {
  hipGraphNode_t node = NULL;
  SUCCEEDS(hipGraphAddMemFreeNode(&node, graph, &before, 1, address));
  return node;
}

static hipGraphExec_t executable(hipGraph_t graph, unsigned flags) {
  hipGraphExec_t exec = NULL;
  SUCCEEDS(hipGraphInstantiateWithFlags(&exec, graph, flags));
  return exec;
}

static void run(hipGraphExec_t exec) {
  SUCCEEDS(hipGraphLaunch(exec, NULL));
  SUCCEEDS(hipDeviceSynchronize());
}

Test(runtime_graph_memory, is_there_from_node_to_node_in_each_launch) {
  hipGraph_t graph = new_graph();
  int *memory, host[COUNT];
  const hipGraphNode_t first = allocate(graph, BYTES, &memory);
  release(graph, copy(graph, fill(graph, first, memory, 7), host, memory), memory);
  cr_assert(zero(ulong, told(USED)));
  hipGraphExec_t exec = executable(graph, 0);
  for (int launch = 0; launch < 3; launch++) {
    memset(host, 0, sizeof host);
    run(exec);
    cr_assert(all(eq(int, host[0], 7), eq(int, host[COUNT - 1], 7)));
    GIVES(hipErrorInvalidValue, hipMemset(memory, 0, 4)); // the graph has freed it
    cr_assert(all(zero(ulong, told(USED)), eq(ulong, told(MOST_USED), PAGES)));
  }
  SUCCEEDS(hipGraphExecDestroy(exec));
  SUCCEEDS(hipGraphDestroy(graph));
}

// Launches follow each other without a wait: the first one's free comes when the second has begun.
Test(runtime_graph_memory, of_launches_in_a_row_stays_right) {
  enum { LAUNCHES = 50 };
  hipGraph_t graph = new_graph();
  int *memory, *result = device_allocation(BYTES), host[COUNT];
  const hipGraphNode_t first = allocate(graph, BYTES, &memory);
  release(graph, copy(graph, fill(graph, first, memory, 9), result, memory), memory);
  hipGraphExec_t exec = executable(graph, 0);
  for (int launch = 0; launch < LAUNCHES; launch++)
    SUCCEEDS(hipGraphLaunch(exec, NULL));
  SUCCEEDS(hipMemcpy(host, result, sizeof host, hipMemcpyDeviceToHost));
  cr_assert(all(eq(int, host[0], 9), eq(int, host[COUNT - 1], 9), zero(ulong, told(USED))));
}

// Calls that look at such memory while the device frees some.
Test(runtime_graph_memory, is_freed_whatever_the_host_asks_meanwhile, .timeout = 60) {
  enum { LAUNCHES = 2000, CALLS = 10 };
  hipGraph_t graph = new_graph();
  int *memory;
  const hipGraphNode_t first = allocate(graph, BYTES, &memory);
  release(graph, first, memory);
  hipGraphExec_t exec = executable(graph, 0);
  for (int launch = 0; launch < LAUNCHES; launch++) {
    SUCCEEDS(hipGraphLaunch(exec, NULL));
    for (int call = 0; call < CALLS; call++)
      cr_assert(le(ulong, told(USED), PAGES));
  }
  SUCCEEDS(hipDeviceSynchronize());
  cr_assert(zero(ulong, told(USED)));
}

Test(runtime_graph_memory, that_is_not_freed_is_the_programs) {
  cr_redirect_stderr();
  hipGraph_t graph = new_graph();
  int *memory, host[COUNT] = {0};
  allocate_filled(graph, &memory, 5);
  hipGraphExec_t exec = executable(graph, 0);
  run(exec);
  SUCCEEDS(hipMemcpy(host, memory, BYTES, hipMemcpyDeviceToHost));
  cr_assert(all(eq(int, host[COUNT - 1], 5), eq(ulong, told(USED), PAGES)));
  GIVES(hipErrorInvalidValue, hipGraphLaunch(exec, NULL));
  SAYS(said(), "was not freed since its last launch: free it, or instantiate with "
               "hipGraphInstantiateFlagAutoFreeOnLaunch");
  SUCCEEDS(hipFreeAsync(memory, NULL));
  cr_assert(zero(ulong, told(USED)));
  GIVES(hipErrorInvalidValue, hipFree(memory));
  run(exec);
  SUCCEEDS(hipGraphExecDestroy(exec)); // what was allocated lives on
  SUCCEEDS(hipGraphDestroy(graph));
  SUCCEEDS(hipMemcpy(host, memory, BYTES, hipMemcpyDeviceToHost));
  SUCCEEDS(hipFree(memory));
  GIVES(hipErrorInvalidValue, hipMemcpy(host, memory, BYTES, hipMemcpyDeviceToHost));
}

Test(runtime_graph_memory, is_freed_by_the_next_launch_if_asked) {
  hipGraph_t graph = new_graph();
  int *memory;
  allocate_filled(graph, &memory, 5);
  hipGraphExec_t exec = executable(graph, hipGraphInstantiateFlagAutoFreeOnLaunch);
  for (int launch = 0; launch < 3; launch++)
    run(exec);
  cr_assert(eq(ulong, told(USED), PAGES));
  SUCCEEDS(hipFree(memory));
  cr_assert(zero(ulong, told(USED)));
}

Test(runtime_graph_memory, may_be_freed_by_another_graph) {
  cr_redirect_stderr();
  hipGraph_t graph = new_graph(), other = new_graph();
  int *memory, host[COUNT] = {0};
  hipGraphNode_t begin = NULL;
  allocate_filled(graph, &memory, 5);
  SUCCEEDS(hipGraphAddEmptyNode(&begin, other, NULL, 0));
  release(other, copy(other, begin, host, memory), memory);
  hipGraphExec_t first = executable(graph, 0), second = executable(other, 0);
  GIVES(hipErrorInvalidValue, hipGraphLaunch(second, NULL));
  SAYS(said(), "which no launch has allocated, or which is free already");
  run(first);
  run(second);
  cr_assert(all(eq(int, host[0], 5), zero(ulong, told(USED))));
  GIVES(hipErrorInvalidValue, hipGraphLaunch(second, NULL));
  run(first);
}

Test(runtime_graph_memory, nodes_tell_what_they_were_made_of) {
  hipGraph_t graph = new_graph();
  AllocParams p = of_bytes(12345), same = {0};
  const hipMemAccessDesc own = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
  hipGraphNode_t node = NULL, freeing = NULL;
  hipGraphNodeType type;
  void *freed = NULL;
  p.accessDescs = &own, p.accessDescCount = 1;
  SUCCEEDS(hipGraphAddMemAllocNode(&node, graph, NULL, 0, &p));
  SUCCEEDS(hipGraphMemAllocNodeGetParams(node, &same));
  cr_assert(all(eq(ptr, same.dptr, p.dptr), eq(sz, same.bytesize, 12345),
                eq(sz, same.accessDescCount, 1), eq(ptr, (void *)same.accessDescs, (void *)&own),
                eq(int, (int)same.poolProps.allocType, (int)hipMemAllocationTypePinned)));
  freeing = release(graph, node, p.dptr);
  SUCCEEDS(hipGraphMemFreeNodeGetParams(freeing, &freed));
  cr_assert(eq(ptr, freed, p.dptr));
  SUCCEEDS(hipGraphNodeGetType(node, &type));
  cr_assert(eq(int, (int)type, 10));
  SUCCEEDS(hipGraphNodeGetType(freeing, &type));
  cr_assert(eq(int, (int)type, 11));
  GIVES(hipErrorInvalidValue, hipGraphMemAllocNodeGetParams(freeing, &same));
  GIVES(hipErrorInvalidValue, hipGraphMemFreeNodeGetParams(node, &freed));
  GIVES(hipErrorInvalidValue, hipGraphMemFreeNodeGetParams(freeing, NULL));
}

Test(runtime_graph_memory, wrong_nodes_are_refused) {
  cr_redirect_stderr();
  hipGraph_t graph = new_graph(), copy_of = NULL;
  AllocParams p = of_bytes(0);
  int *memory, *plain = device_allocation(BYTES);
  hipGraphNode_t node = NULL, first;
  GIVES(hipErrorInvalidValue, hipGraphAddMemAllocNode(&node, graph, NULL, 0, &p));
  GIVES(hipErrorInvalidValue, hipGraphAddMemAllocNode(&node, graph, NULL, 0, NULL));
  p = of_bytes(BYTES), p.poolProps.location.id = 1;
  GIVES(hipErrorInvalidValue, hipGraphAddMemAllocNode(&node, graph, NULL, 0, &p));
  GIVES(hipErrorInvalidValue, hipGraphAddMemFreeNode(&node, graph, NULL, 0, plain));
  first = allocate(graph, BYTES, &memory);
  release(graph, first, memory);
  GIVES(hipErrorInvalidValue, hipGraphAddMemFreeNode(&node, graph, &first, 1, memory));
  GIVES(hipErrorNotSupported, hipGraphClone(&copy_of, graph));
  GIVES(hipErrorNotSupported, hipGraphAddChildGraphNode(&node, new_graph(), NULL, 0, graph));
  const char *text = said();
  SAYS(text, "is no address that a graph allocates");
  SAYS(text, "already");
  SAYS(text, "neither cloned nor part of another");
}

// As ROCm 6 has it.
Test(runtime_graph_memory, has_one_executable_and_one_node_that_frees) {
  cr_redirect_stderr();
  hipGraph_t graph = new_graph(), other = new_graph(), third = new_graph();
  int *memory;
  hipGraphExecUpdateResult result;
  hipGraphNode_t node = allocate_filled(graph, &memory, 5), begin = NULL, freeing;
  hipGraphExec_t exec = executable(graph, 0), again = NULL, frees;
  GIVES(hipErrorNotSupported, hipGraphInstantiate(&again, graph, NULL, NULL, 0));
  run(exec);
  SUCCEEDS(hipFree(memory));
  SUCCEEDS(hipGraphExecDestroy(exec));
  exec = executable(graph, 0);
  SUCCEEDS(hipGraphAddEmptyNode(&begin, other, NULL, 0));
  freeing = release(other, begin, memory);
  GIVES(hipErrorInvalidValue, hipGraphAddMemFreeNode(&node, graph, NULL, 0, memory));
  GIVES(hipErrorInvalidValue, hipGraphAddMemFreeNode(&node, third, NULL, 0, memory));
  GIVES(hipErrorNotSupported, hipGraphDestroyNode(freeing));
  frees = executable(other, 0);
  GIVES(hipErrorNotSupported, hipGraphInstantiate(&again, other, NULL, NULL, 0));
  SUCCEEDS(hipGraphExecUpdate(exec, graph, &node, &result));
  GIVES(hipErrorNotSupported, hipGraphInstantiate(&again, graph, NULL, NULL, 0));
  run(exec);
  run(frees);
  cr_assert(zero(ulong, told(USED)));
  SUCCEEDS(hipGraphDestroy(other));
  SUCCEEDS(hipGraphExecDestroy(frees));
  SUCCEEDS(hipGraphAddMemFreeNode(&node, third, NULL, 0, memory));
  frees = executable(third, 0);
  run(exec);
  run(frees);
  cr_assert(zero(ulong, told(USED)));
  const char *text = said();
  SAYS(text, "is instantiated already");
  SAYS(text, "already.");
  SAYS(text, "stays in its graph");
}

Test(runtime_graph_memory, too_much_ends_the_launch_and_leaves_nothing) {
  cr_redirect_stderr();
  hipGraph_t graph = new_graph();
  size_t free_bytes, total;
  int *small, *large;
  SUCCEEDS(hipMemGetInfo(&free_bytes, &total));
  allocate(graph, BYTES, &small);
  allocate(graph, total, &large); // what is free changes with what other programs do
  GIVES(hipErrorOutOfMemory, hipGraphLaunch(executable(graph, 0), NULL));
  SAYS(said(), "bytes that the graph allocates");
  cr_assert(zero(ulong, told(USED)));
}

Test(runtime_graph_memory, recorded_calls_are_nodes) {
  cr_redirect_stderr();
  hipStream_t stream = NULL;
  hipGraph_t graph = NULL;
  hipMemPool_t pool = NULL;
  void *memory = NULL, *kept = NULL, *plain = device_allocation(4);
  int host[COUNT] = {0};
  size_t nodes = 0;
  SUCCEEDS(hipStreamCreate(&stream));
  SUCCEEDS(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  SUCCEEDS(hipMallocAsync(&memory, BYTES, stream));
  SUCCEEDS(hipDeviceGetDefaultMemPool(&pool, 0));
  SUCCEEDS(hipMallocFromPoolAsync(&kept, BYTES, pool, stream));
  SUCCEEDS(hipMemsetAsync(memory, 1, BYTES, stream));
  SUCCEEDS(hipMemcpyAsync(kept, memory, BYTES, hipMemcpyDeviceToDevice, stream));
  SUCCEEDS(hipFreeAsync(memory, stream));
  GIVES(hipErrorInvalidValue, hipFreeAsync(plain, stream));
  SUCCEEDS(hipStreamEndCapture(stream, &graph));
  SUCCEEDS(hipGraphGetNodes(graph, NULL, &nodes));
  cr_assert(all(eq(sz, nodes, 5), zero(ulong, told(USED))));
  SUCCEEDS(hipGraphLaunch(executable(graph, 0), stream));
  SUCCEEDS(hipMemcpyAsync(host, kept, BYTES, hipMemcpyDeviceToHost, stream));
  SUCCEEDS(hipStreamSynchronize(stream));
  cr_assert(all(eq(int, host[COUNT - 1], 0x01010101), eq(ulong, told(USED), PAGES)));
  SUCCEEDS(hipFreeAsync(kept, stream));
}

Test(runtime_graph_memory, is_counted) {
  hipGraph_t graph = new_graph();
  int *first, *second;
  uint64_t zero_bytes = 0, some = 1;
  const hipGraphNode_t node = allocate(graph, BYTES, &first);
  allocate(graph, 2 * PAGES, &second);
  release(graph, node, first);
  hipGraphExec_t exec = executable(graph, 0);
  run(exec);
  cr_assert(all(eq(ulong, told(USED), 2 * PAGES), eq(ulong, told(MOST_USED), 3 * PAGES),
                eq(ulong, told(RESERVED), 3 * PAGES)));
  SUCCEEDS(hipDeviceGraphMemTrim(0));
  SUCCEEDS(hipDeviceSetGraphMemAttribute(0, MOST_RESERVED, &zero_bytes));
  cr_assert(all(eq(ulong, told(RESERVED), 2 * PAGES), zero(ulong, told(MOST_RESERVED))));
  GIVES(hipErrorInvalidValue, hipDeviceSetGraphMemAttribute(0, USED, &zero_bytes));
  GIVES(hipErrorInvalidValue, hipDeviceSetGraphMemAttribute(0, USED, (void *)-1)); // not looked at
  GIVES(hipErrorInvalidValue, hipDeviceSetGraphMemAttribute(0, MOST_USED, &some));
  GIVES(hipErrorInvalidValue, hipDeviceGetGraphMemAttribute(0, 4, &some));
  GIVES(hipErrorInvalidDevice, hipDeviceGetGraphMemAttribute(1, USED, &some));
  GIVES(hipErrorInvalidDevice, hipDeviceGraphMemTrim(-1));
}

static void nap(void *unused) {
  (void)unused;
  usleep(50000);
}

Test(runtime_graph_memory, is_trimmed_once_what_was_launched_has_freed_it) {
  hipGraph_t graph = new_graph();
  hipGraphNode_t sleeping;
  const hipHostNodeParams sleeps = {nap, NULL};
  int *memory;
  const hipGraphNode_t node = allocate(graph, BYTES, &memory);
  SUCCEEDS(hipGraphAddHostNode(&sleeping, graph, &node, 1, &sleeps));
  release(graph, sleeping, memory);
  SUCCEEDS(hipGraphLaunch(executable(graph, 0), NULL));
  SUCCEEDS(hipDeviceGraphMemTrim(0));
  cr_assert(all(zero(ulong, told(USED)), zero(ulong, told(RESERVED))));
}
