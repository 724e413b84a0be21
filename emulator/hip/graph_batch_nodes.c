// Nodes that wait for values in memory, or write them.
//
// In: HIP calls of ROCm 6.4 and later. Out: steps (graph_step.h) that do what hipStreamBatchMemOp does.
#define _GNU_SOURCE
#include "graph_node_calls.h"
#include "runtime.h"

EXPORT hipError_t hipGraphAddBatchMemOpNode(GRAPH_PLACE, const BatchCall *p);
EXPORT hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t node, BatchCall *p);
EXPORT hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t node, const BatchCall *p);
EXPORT hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                      const BatchCall *p);

static hipError_t batch_step(Step *step, const BatchCall *p) {
  if (!p || p->flags)
    return hipErrorInvalidValue;
  const hipError_t error = batch_check(p->count, p->operations);
  const Step given = {.type = (hipGraphNodeType)NODE_BATCH, .batch = *p};
  if (error != hipSuccess)
    return error;
  return step_copy(step, &given) ? hipSuccess : hipErrorOutOfMemory;
}

// The operations stay the node's.
static hipError_t tell(Step *step, BatchCall *p) {
  if (!step || !p || (int)step->type != NODE_BATCH)
    return hipErrorInvalidValue;
  step->told = true;
  *p = step->batch;
  return hipSuccess;
}

hipError_t hipGraphAddBatchMemOpNode(GRAPH_PLACE, const BatchCall *p) {
  Step step = {.type = hipGraphNodeTypeEmpty};
  SERVE(node_add(node, graph, dependencies, count, batch_step(&step, p), &step));
}
hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t node, BatchCall *p) {
  SERVE(tell(node_step(node), p));
}
hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t node, const BatchCall *p) {
  Step step = {.type = hipGraphNodeTypeEmpty};
  SERVE(node_replace(node_step(node), batch_step(&step, p), &step));
}
hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                               const BatchCall *p) {
  Step step = {.type = hipGraphNodeTypeEmpty};
  SERVE(node_replace(graph_exec_step(exec, node), batch_step(&step, p), &step));
}
