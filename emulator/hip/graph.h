// Graphs: calls that are written down and run later in dependency order.
//
// In: nodes and dependencies. Out: at hipGraphLaunch the same effects as the calls. An instantiated
// graph is an array of steps in an order that keeps every dependency; it owns copies of all
// arguments.
#ifndef EMULATOR_GRAPH_H
#define EMULATOR_GRAPH_H

#include "launch.h"

#include <hip/hip_runtime_api.h>
#include <stdbool.h>

typedef struct {
  void *to;
  const void *from;
  size_t size;
  hipMemcpyKind kind;
} CopyCall;

typedef struct {
  hipGraphNodeType type;
  union {
    Launch launch; // its arguments belong to the step
    CopyCall copy;
    hipMemcpy3DParms copy_3d;
    hipMemsetParams set;
    hipHostNodeParams host;
  };
} Step;

typedef struct GraphNode {
  struct GraphNode *next; // in the order of creation
  struct Graph *graph;
  struct GraphNode **dependencies;
  size_t dependency_count;
  bool ordered; // scratch of the topological order
  Step step;
} GraphNode;

typedef struct Graph {
  GraphNode *first, *last;
  size_t node_count;
} Graph;

hipError_t graph_create(hipGraph_t *graph);
// Adds a node; takes over the step's arguments, also on failure.
hipError_t graph_add_node(Graph *graph, const hipGraphNode_t *dependencies, size_t count, Step step,
                          GraphNode **added);
// A step with arguments of its own; false if the host has no memory for them.
bool graph_copy_step(Step *to, const Step *from);

#endif
