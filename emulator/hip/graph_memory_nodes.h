// Nodes that allocate and free memory.
//
// In: HIP calls of ROCm 5.5 and later, and calls on streams that record. Out: steps (graph_step.h) that name
// memory of graph_memory.h.
#ifndef EMULATOR_GRAPH_MEMORY_NODES_H
#define EMULATOR_GRAPH_MEMORY_NODES_H

#include "graph.h"

hipError_t memory_step_allocate(Step *step, size_t size, int device);
// Of memory that a graph allocates; no graph frees it yet.
hipError_t memory_step_free(Step *step, const Graph *graph, void *address);

// hipMemAllocNodeParams.
typedef struct {
  hipMemPoolProps properties;
  const hipMemAccessDesc *access;
  size_t access_count, size;
  void *address;
} MemoryParameters;
hipError_t memory_node_add(GraphNode **node, Graph *graph, const hipGraphNode_t *dependencies,
                           size_t count, MemoryParameters *p);
hipError_t memory_node_add_free(GraphNode **node, Graph *graph, const hipGraphNode_t *dependencies,
                                size_t count, void *address);

#endif
