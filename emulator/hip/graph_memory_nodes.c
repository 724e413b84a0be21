// Nodes that allocate and free memory: see graph_memory_nodes.h. Codes: CUDA's, which HIP's documentation has, too.
#define _GNU_SOURCE
#include "graph_memory_nodes.h"

#include "devices.h"
#include "graph_memory.h"
#include "handle.h"
#include "runtime.h"

hipError_t memory_step_allocate(Step *step, size_t size, int device) {
  if (!size)
    return hipErrorInvalidValue;
  void *address = graph_memory_new(size, device);
  if (!address) {
    runtime_say("no room for %zu bytes.", size);
    return hipErrorOutOfMemory;
  }
  graph_memory_name(address);
  *step = (Step){.type = (hipGraphNodeType)NODE_ALLOCATE,
                 .memory = {.address = address,
                            .size = size,
                            .properties = {.allocType = hipMemAllocationTypePinned,
                                           .location = {hipMemLocationTypeDevice, device}}}};
  return hipSuccess;
}

hipError_t memory_step_free(Step *step, const Graph *graph, void *address) {
  if (!handle_live(HANDLE_GRAPH, graph) || !address)
    return hipErrorInvalidValue;
  if (!graph_memory_name(address)) {
    runtime_say("%p is no address that a graph allocates; free other memory outside of graphs.",
                address);
    return hipErrorInvalidValue;
  }
  if (!graph_memory_claim(address, CLAIM_NODE_FREES)) {
    graph_memory_unname(address);
    runtime_say("a graph frees %p already.", address);
    return hipErrorInvalidValue;
  }
  *step = (Step){.type = (hipGraphNodeType)NODE_FREE,
                 .memory = {.address = address, .claim = CLAIM_NODE_FREES}};
  return hipSuccess;
}

// ---- nodes ----

static hipError_t check_access(const MemoryParameters *p, uint32_t *guests) {
  const hipMemLocation own = p->properties.location;
  if (own.type != hipMemLocationTypeDevice || !device_known(own.id) ||
      p->properties.allocType != hipMemAllocationTypePinned || (p->access_count && !p->access))
    return hipErrorInvalidValue;
  for (size_t i = 0; i < p->access_count; i++) {
    const hipMemLocation at = p->access[i].location;
    if (at.type != hipMemLocationTypeDevice || !device_known(at.id))
      return hipErrorInvalidValue;
    *guests |= (uint32_t)(at.id != own.id && p->access[i].flags) << at.id;
  }
  return hipSuccess;
}

hipError_t memory_node_add(GraphNode **node, Graph *graph, const hipGraphNode_t *dependencies,
                           size_t count, MemoryParameters *p) {
  Step step;
  uint32_t guests = 0;
  if (!node || !p)
    return hipErrorInvalidValue;
  hipError_t error = check_access(p, &guests);
  if (error == hipSuccess)
    error = memory_step_allocate(&step, p->size, p->properties.location.id);
  if (error != hipSuccess)
    return error;
  void *const address = step.memory.address;
  graph_memory_invite(address, guests);
  step.memory.properties = p->properties;
  step.memory.access = p->access;
  step.memory.access_count = p->access_count;
  error = graph_add_node(graph, dependencies, count, step, node);
  if (error == hipSuccess)
    p->address = address;
  return error;
}

hipError_t memory_node_add_free(GraphNode **node, Graph *graph, const hipGraphNode_t *dependencies,
                                size_t count, void *address) {
  Step step;
  hipError_t error = node ? memory_step_free(&step, graph, address) : hipErrorInvalidValue;
  return error == hipSuccess ? graph_add_node(graph, dependencies, count, step, node) : error;
}

#define GRAPH_PLACE                                                                                \
  hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count
EXPORT hipError_t hipGraphAddMemAllocNode(GRAPH_PLACE, MemoryParameters *p);
EXPORT hipError_t hipGraphAddMemFreeNode(GRAPH_PLACE, void *address);
EXPORT hipError_t hipDrvGraphAddMemFreeNode(GRAPH_PLACE, hipDeviceptr_t address);
EXPORT hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, MemoryParameters *p);
EXPORT hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void **address);

hipError_t hipGraphAddMemAllocNode(GRAPH_PLACE, MemoryParameters *p) {
  SERVE(memory_node_add((GraphNode **)node, (Graph *)graph, dependencies, count, p));
}
hipError_t hipGraphAddMemFreeNode(GRAPH_PLACE, void *address) {
  SERVE(memory_node_add_free((GraphNode **)node, (Graph *)graph, dependencies, count, address));
}
hipError_t hipDrvGraphAddMemFreeNode(GRAPH_PLACE, hipDeviceptr_t address) {
  SERVE(memory_node_add_free((GraphNode **)node, (Graph *)graph, dependencies, count, address));
}

static const MemoryCall *call_of(hipGraphNode_t node, int type) {
  const Step *step = handle_live(HANDLE_GRAPH_NODE, node) ? &((const GraphNode *)node)->step : NULL;
  return step && (int)step->type == type ? &step->memory : NULL;
}

static hipError_t tell_allocation(const MemoryCall *call, MemoryParameters *p) {
  if (!call || !p)
    return hipErrorInvalidValue;
  *p = (MemoryParameters){call->properties, call->access, call->access_count, call->size,
                          call->address};
  return hipSuccess;
}

static hipError_t tell_free(const MemoryCall *call, void **address) {
  if (!call || !address)
    return hipErrorInvalidValue;
  *address = call->address;
  return hipSuccess;
}

hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, MemoryParameters *p) {
  SERVE(tell_allocation(call_of(node, NODE_ALLOCATE), p));
}
hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void **address) {
  SERVE(tell_free(call_of(node, NODE_FREE), address));
}
