// Graphs: calls that are written down, as nodes that depend on each other.
//
// In: nodes and dependencies. Out: the graph, to be asked, changed, cloned, or made executable
// (graph_exec.h).
#ifndef EMULATOR_GRAPH_H
#define EMULATOR_GRAPH_H

#include "graph_step.h"
#include "node_list.h"
#include "user_object.h"

#include <stdint.h>

typedef struct GraphNode {
  struct GraphNode *next; // in the order of creation
  struct Graph *graph;
  NodeList before;   // which must be done first
  uint64_t number;   // of no other node that there was, from 1 on
  uint64_t original; // number of the node that it was cloned from, or 0
  bool ordered;      // scratch of the topological order,
  size_t place;      // and the node's place in it
  Step step;
} GraphNode;

typedef struct Graph {
  GraphNode *first, *last;
  size_t node_count;
  bool embedded; // belongs to a node, which destroys it
  UserObjects objects;
} Graph;

hipError_t graph_create(hipGraph_t *graph);
// Adds a node; takes over the step's arguments, also on failure.
hipError_t graph_add_node(Graph *graph, const hipGraphNode_t *dependencies, size_t count, Step step,
                          GraphNode **added);
// Whether it has nodes that allocate or free memory. Then it is not copied: says so.
bool graph_has_memory(const Graph *graph);
// A copy with nodes of its own, NULL if the host has no memory for it.
Graph *graph_clone(const Graph *graph);
void graph_destroy(Graph *graph);

#endif
