// Executable graphs: see graph_exec.h. Codes: hipamd hip_graph.cpp.
//
// The steps of an embedded graph stand behind that of the node which holds it.
#define _GNU_SOURCE
#include "graph_exec.h"

#include "graph_memory.h"
#include "handle.h"
#include "program_abi.h"
#include "runtime.h"
#include "stream.h"

#include <stdlib.h>

typedef struct {
  Step step;
  const GraphNode *source; // which it was made from; never dereferenced
  uint64_t number;         // and its number, to find it again
  size_t *before;          // places of the steps it depends on
  size_t before_count;
  bool disabled;
} ExecStep;

typedef struct {
  ExecStep *steps;
  size_t count;
  unsigned long long flags;
  UserObjects objects;
} GraphExec;

static GraphExec *exec_of(hipGraphExec_t handle) {
  return handle_live(HANDLE_GRAPH_EXEC, handle) ? (GraphExec *)handle : NULL;
}

static ExecStep *find_step(hipGraphExec_t handle, hipGraphNode_t node) {
  GraphExec *exec = exec_of(handle);
  if (!exec || !handle_live(HANDLE_GRAPH_NODE, node))
    return NULL;
  for (size_t i = 0; i < exec->count; i++)
    if (exec->steps[i].number == ((const GraphNode *)node)->number)
      return &exec->steps[i];
  return NULL;
}

Step *graph_exec_step(hipGraphExec_t exec, hipGraphNode_t node) {
  ExecStep *found = find_step(exec, node);
  return found ? &found->step : NULL;
}

// ---- making ----

static void free_exec(GraphExec *exec) {
  for (size_t i = 0; i < exec->count; i++) {
    step_free(&exec->steps[i].step);
    free(exec->steps[i].before);
  }
  user_objects_release(&exec->objects);
  free(exec->steps);
  free(exec);
}

static size_t count_nodes(const Graph *graph) {
  size_t count = graph->node_count;
  for (const GraphNode *node = graph->first; node; node = node->next)
    if (node->step.type == hipGraphNodeTypeGraph)
      count += count_nodes(node->step.child);
  return count;
}

static bool ready(const GraphNode *node) {
  for (size_t i = 0; i < node->before.count; i++)
    if (!node->before.node[i]->ordered)
      return false;
  return !node->ordered;
}

static hipError_t append_graph(GraphExec *exec, const Graph *graph);

static hipError_t append_node(GraphExec *exec, GraphNode *node) {
  ExecStep *made = &exec->steps[exec->count];
  *made = (ExecStep){.source = node, .number = node->number, .before_count = node->before.count};
  made->before = calloc(node->before.count + 1, sizeof *made->before);
  if (!made->before || !step_copy(&made->step, &node->step)) {
    free(made->before);
    return hipErrorOutOfMemory;
  }
  for (size_t i = 0; i < node->before.count; i++)
    made->before[i] = node->before.node[i]->place;
  node->place = exec->count++;
  node->ordered = true;
  return node->step.type == hipGraphNodeTypeGraph ? append_graph(exec, node->step.child)
                                                  : hipSuccess;
}

// Appends nodes whose dependencies are all there, until none is left or, in a cycle, none can be
// appended.
static hipError_t append_graph(GraphExec *exec, const Graph *graph) {
  hipError_t error = hipSuccess;
  size_t left = graph->node_count;
  for (GraphNode *node = graph->first; node; node = node->next)
    node->ordered = false;
  for (bool progress = true; left && progress && error == hipSuccess;) {
    progress = false;
    for (GraphNode *node = graph->first; node && error == hipSuccess; node = node->next)
      if (ready(node)) {
        error = append_node(exec, node);
        progress = true;
        left--;
      }
  }
  if (error == hipSuccess && left) {
    runtime_say("the dependencies of the graph's %zu nodes form a cycle.", graph->node_count);
    error = hipErrorInvalidValue;
  }
  return error;
}

// Only one executable at a time allocates or frees what nodes name: false if another one does.
static bool claim_memory(GraphExec *exec) {
  bool all = true;
  for (size_t i = 0; i < exec->count; i++) {
    Step *step = &exec->steps[i].step;
    const MemoryClaim claim = (int)step->type == NODE_ALLOCATE ? CLAIM_ALLOCATES : CLAIM_FREES;
    if (!step_is_memory(step) || step->memory.claim)
      continue;
    if (graph_memory_claim(step->memory.address, claim))
      step->memory.claim = claim;
    else
      all = false;
  }
  return all;
}

static hipError_t make(GraphExec **target, const Graph *graph) {
  GraphExec *exec = calloc(1, sizeof *exec);
  if (!exec)
    return hipErrorOutOfMemory;
  exec->steps = calloc(count_nodes(graph) + 1, sizeof *exec->steps);
  hipError_t error = exec->steps ? append_graph(exec, graph) : hipErrorOutOfMemory;
  if (error == hipSuccess && !user_objects_copy(&exec->objects, &graph->objects))
    error = hipErrorOutOfMemory;
  if (error == hipSuccess)
    *target = exec;
  else
    free_exec(exec);
  return error;
}

static hipError_t instantiate(hipGraphExec_t *target, hipGraph_t graph, unsigned long long flags) {
  enum { LAST_FLAG = 8 }; // about freeing memory, uploading, launches from kernels, priorities
  GraphExec *exec;
  if (!target || !handle_live(HANDLE_GRAPH, graph) || flags > LAST_FLAG ||
      (flags & (flags - 1))) // one of them at most
    return hipErrorInvalidValue;
  hipError_t error = make(&exec, (const Graph *)graph);
  if (error != hipSuccess)
    return error;
  exec->flags = flags;
  if (!claim_memory(exec)) {
    runtime_say("the graph allocates or frees memory and is instantiated already; destroy the "
                "executable graph before.");
    free_exec(exec);
    return hipErrorNotSupported;
  }
  if (!handle_add(HANDLE_GRAPH_EXEC, exec)) {
    free_exec(exec);
    return hipErrorOutOfMemory;
  }
  *target = (hipGraphExec_t)exec;
  return hipSuccess;
}

hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *error_node,
                               char *log, size_t log_size) {
  if (error_node)
    *error_node = NULL;
  if (log && log_size)
    log[0] = '\0';
  SERVE(instantiate(exec, graph, 0));
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph,
                                        unsigned long long flags) {
  SERVE(instantiate(exec, graph, flags));
}

// hipGraphInstantiateParams of ROCm 6.
typedef struct {
  hipGraphNode_t error_node;
  unsigned long long flags;
  int result;
  hipStream_t upload;
} Instantiation;
EXPORT hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *exec, hipGraph_t graph,
                                                Instantiation *p);
EXPORT hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags);

static hipError_t instantiate_as(hipGraphExec_t *exec, hipGraph_t graph, Instantiation *p) {
  enum { SUCCEEDED = 0, FAILED = 1 };
  if (!p)
    return hipErrorInvalidValue;
  hipError_t error = instantiate(exec, graph, p->flags);
  p->error_node = NULL;
  p->result = error == hipSuccess ? SUCCEEDED : FAILED;
  return error;
}

hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *exec, hipGraph_t graph, Instantiation *p) {
  SERVE(instantiate_as(exec, graph, p));
}

static hipError_t get_flags(hipGraphExec_t handle, unsigned long long *flags) {
  const GraphExec *exec = exec_of(handle);
  if (!exec || !flags)
    return hipErrorInvalidValue;
  *flags = exec->flags;
  return hipSuccess;
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags) {
  SERVE(get_flags(exec, flags));
}

static hipError_t destroy_exec(hipGraphExec_t exec) {
  if (!handle_remove(HANDLE_GRAPH_EXEC, exec))
    return hipErrorInvalidValue;
  free_exec((GraphExec *)exec);
  return hipSuccess;
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec) { SERVE(destroy_exec(exec)); }

// ---- launching ----

// The place of the step of this type that names the memory, or the number of steps.
static size_t find_memory(const GraphExec *exec, int type, const void *address) {
  size_t i = 0;
  while (i < exec->count &&
         ((int)exec->steps[i].step.type != type || exec->steps[i].step.memory.address != address))
    i++;
  return i;
}

static bool names_memory(const GraphExec *exec, int type, const void *address) {
  return find_memory(exec, type, address) < exec->count;
}

// Whether the launch may allocate, or free what another one allocated.
static hipError_t check_memory(const GraphExec *exec, const Step *step) {
  const void *address = step->memory.address;
  const bool kept = graph_memory_kept(address), allocates = (int)step->type == NODE_ALLOCATE;
  if (allocates && kept && !(exec->flags & hipGraphInstantiateFlagAutoFreeOnLaunch)) {
    runtime_say("what the graph allocates at %p was not freed since its last launch: free it, or "
                "instantiate with hipGraphInstantiateFlagAutoFreeOnLaunch.",
                address);
    return hipErrorInvalidValue;
  }
  if (!allocates && !kept && !names_memory(exec, NODE_ALLOCATE, address)) {
    runtime_say("the graph frees %p, which no launch has allocated, or which is free already.",
                address);
    return hipErrorInvalidValue;
  }
  return hipSuccess;
}

// The first `count` steps give back what begin_memory took for them.
static void undo_memory(const GraphExec *exec, size_t count) {
  for (size_t i = 0; i < count; i++)
    if ((int)exec->steps[i].step.type == NODE_ALLOCATE)
      graph_memory_end(exec->steps[i].step.memory.address);
}

// Copies are checked against memory, and the program may name it once the launch has returned: so it is
// there from now on.
static hipError_t begin_memory(const GraphExec *exec) {
  for (size_t i = 0; i < exec->count; i++) {
    const Step *step = &exec->steps[i].step;
    if ((int)step->type != NODE_ALLOCATE || graph_memory_begin(step->memory.address))
      continue;
    runtime_say("no room for %zu bytes that the graph allocates.", step->memory.size);
    undo_memory(exec, i);
    return hipErrorOutOfMemory;
  }
  return hipSuccess;
}

// What the launch allocates and does not free is the program's, which frees what it had of that; what
// it frees is not.
static void hand_over_memory(const GraphExec *exec) {
  for (size_t i = 0; i < exec->count; i++) {
    const Step *step = &exec->steps[i].step;
    const void *address = step->memory.address;
    if ((int)step->type == NODE_FREE) {
      graph_memory_set_kept(address, false);
    } else if ((int)step->type == NODE_ALLOCATE) {
      graph_memory_free(address);
      graph_memory_set_kept(address, !names_memory(exec, NODE_FREE, address));
    }
  }
}

static hipError_t check_steps(const GraphExec *exec) {
  hipError_t error = hipSuccess;
  for (size_t i = 0; error == hipSuccess && i < exec->count; i++)
    if (step_is_memory(&exec->steps[i].step))
      error = check_memory(exec, &exec->steps[i].step);
  if (error == hipSuccess)
    error = begin_memory(exec);
  if (error != hipSuccess)
    return error;
  for (size_t i = 0; error == hipSuccess && i < exec->count; i++)
    error = step_check(&exec->steps[i].step);
  if (error == hipSuccess)
    hand_over_memory(exec);
  else
    undo_memory(exec, exec->count);
  return error;
}

static hipError_t launch_graph(hipGraphExec_t handle, hipStream_t stream) {
  const GraphExec *exec = exec_of(handle);
  if (!exec)
    return hipErrorInvalidValue;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  if (stream_capturing(stream))
    return hipErrorStreamCaptureUnsupported;
  hipError_t error = check_steps(exec);
  for (size_t i = 0; error == hipSuccess && i < exec->count; i++)
    if (!exec->steps[i].disabled)
      error = step_submit(&exec->steps[i].step, stream_order(stream));
  return error;
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  SERVE(launch_graph(exec, stream));
}

// ---- changing ----

EXPORT hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node,
                                         unsigned enabled);
EXPORT hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node,
                                         unsigned *enabled);

static bool may_be_disabled(const ExecStep *s) {
  return s && (s->step.type == hipGraphNodeTypeKernel || s->step.type == hipGraphNodeTypeMemset ||
               s->step.type == hipGraphNodeTypeMemcpy || step_is_copy(&s->step));
}

static hipError_t set_enabled(ExecStep *s, unsigned enabled) {
  if (!may_be_disabled(s))
    return hipErrorInvalidValue;
  s->disabled = !enabled;
  return hipSuccess;
}

static hipError_t get_enabled(const ExecStep *s, unsigned *enabled) {
  if (!may_be_disabled(s) || !enabled)
    return hipErrorInvalidValue;
  *enabled = !s->disabled;
  return hipSuccess;
}

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned enabled) {
  SERVE(set_enabled(find_step(exec, node), enabled));
}
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned *enabled) {
  SERVE(get_enabled(find_step(exec, node), enabled));
}

// Whether a step may take the place of another, whose own place is `moved` further behind.
static hipGraphExecUpdateResult compare(const ExecStep *old, const ExecStep *fresh, size_t moved) {
  const Step *a = &old->step, *b = &fresh->step;
  if (a->type != b->type)
    return hipGraphExecUpdateErrorNodeTypeChanged;
  if (old->before_count != fresh->before_count)
    return hipGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < old->before_count; i++)
    if (old->before[i] != fresh->before[i] + moved)
      return hipGraphExecUpdateErrorTopologyChanged;
  if (a->type == hipGraphNodeTypeKernel && a->kernel.launch.device != b->kernel.launch.device)
    return hipGraphExecUpdateErrorUnsupportedFunctionChange;
  if (a->type == hipGraphNodeTypeMemset && program_abi() >= 7 && !step_fill_fits(a, b))
    return hipGraphExecUpdateErrorParametersChanged;
  return step_kind(a) != step_kind(b) ? hipGraphExecUpdateErrorParametersChanged
                                      : hipGraphExecUpdateSuccess;
}

// All steps of `fresh` take the places of those of `exec` from `first` on, or none.
static hipGraphExecUpdateResult take_places(GraphExec *exec, size_t first, GraphExec *fresh,
                                            const GraphNode **different) {
  for (size_t i = 0; i < fresh->count; i++) {
    hipGraphExecUpdateResult result = compare(&exec->steps[first + i], &fresh->steps[i], first);
    *different = fresh->steps[i].source;
    if (result != hipGraphExecUpdateSuccess)
      return result;
  }
  for (size_t i = 0; i < fresh->count; i++) {
    const Step old = exec->steps[first + i].step;
    exec->steps[first + i].step = fresh->steps[i].step;
    fresh->steps[i].step = old;
  }
  *different = NULL;
  return hipGraphExecUpdateSuccess;
}

static hipError_t update(hipGraphExec_t handle, hipGraph_t graph, hipGraphNode_t *error_node,
                         hipGraphExecUpdateResult *result) {
  GraphExec *exec = exec_of(handle), *fresh;
  const GraphNode *different = NULL;
  if (!exec || !handle_live(HANDLE_GRAPH, graph) || !error_node || !result)
    return hipErrorInvalidValue;
  hipError_t error = make(&fresh, (const Graph *)graph);
  if (error != hipSuccess)
    return error;
  *result = fresh->count == exec->count ? take_places(exec, 0, fresh, &different)
                                        : hipGraphExecUpdateErrorTopologyChanged;
  *error_node = (hipGraphNode_t)different;
  free_exec(fresh);
  claim_memory(exec); // again: the steps are others
  return *result == hipGraphExecUpdateSuccess ? hipSuccess : hipErrorGraphExecUpdateFailure;
}

hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *error_node,
                              hipGraphExecUpdateResult *result) {
  SERVE(update(exec, graph, error_node, result));
}

// The embedded graph of a node, exchanged for one of the same shape.
static hipError_t update_child(hipGraphExec_t exec, hipGraphNode_t node, hipGraph_t child) {
  ExecStep *at = find_step(exec, node);
  GraphExec *fresh;
  const GraphNode *different;
  if (!at || at->step.type != hipGraphNodeTypeGraph || !handle_live(HANDLE_GRAPH_NODE, node) ||
      !handle_live(HANDLE_GRAPH, child))
    return hipErrorInvalidValue;
  if (count_nodes((const Graph *)child) != count_nodes(((const GraphNode *)node)->step.child))
    return hipErrorInvalidValue;
  hipError_t error = make(&fresh, (const Graph *)child);
  if (error != hipSuccess)
    return error;
  const size_t first = (size_t)(at - ((GraphExec *)exec)->steps) + 1;
  if (take_places((GraphExec *)exec, first, fresh, &different) != hipGraphExecUpdateSuccess)
    error = hipErrorInvalidValue;
  free_exec(fresh);
  return error;
}

hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                               hipGraph_t child) {
  SERVE(update_child(exec, node, child));
}
