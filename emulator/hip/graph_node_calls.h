// The calls that make nodes, and those that tell and change what a node does, in a graph or in an
// executable one; and what they are made of, for those that say the same in other words.
//
// In: HIP calls. Out: steps (graph_step.h) of nodes (graph.h) or of executable graphs
// (graph_exec.h).
#ifndef EMULATOR_GRAPH_NODE_CALLS_H
#define EMULATOR_GRAPH_NODE_CALLS_H

#include "graph_exec.h"

#define GRAPH_PLACE                                                                                \
  hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count

// Makes a node of what `error` says about the step.
hipError_t node_add(GRAPH_PLACE, hipError_t error, Step *step);
hipError_t node_add_graph(GRAPH_PLACE, hipGraph_t child);
// The step of a node that is still there, or NULL.
Step *node_step(hipGraphNode_t node);
// A step becomes another of its kind.
hipError_t node_replace(Step *step, hipError_t error, Step *replacement);
hipError_t node_replace_exec(Step *step, hipError_t error, Step *replacement);

// What hipGraphKernelNodeSetAttribute said of a kernel's step is said of another one, too, unless that
// one has too many blocks for it.
hipError_t node_copy_attributes(Step *to, const Step *from);

hipError_t node_kernel_step(Step *step, const hipKernelNodeParams *p);
hipError_t node_copy_3d_step(Step *step, const hipMemcpy3DParms *p);
hipError_t node_fill_step(Step *step, const hipMemsetParams *p);
hipError_t node_driver_fill_step(Step *step, const hipMemsetParams *p);
hipError_t node_host_step(Step *step, const hipHostNodeParams *p);
hipError_t node_event_step(Step *step, hipGraphNodeType type, hipEvent_t event);

#endif
