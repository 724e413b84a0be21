// Graphs: see graph.h. Codes: hipamd hip_graph.cpp.
#define _GNU_SOURCE
#include "graph.h"

#include "code_object.h"
#include "copy.h"
#include "devices.h"
#include "handle.h"
#include "kernel_launch.h"
#include "loaded_object.h"
#include "registration.h"
#include "runtime.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  Step *steps;
  GraphNode **sources; // the node each step was made from, to find it again; never dereferenced
  size_t step_count;
} GraphExec;

bool graph_copy_step(Step *to, const Step *from) {
  *to = *from;
  if (from->type != hipGraphNodeTypeKernel)
    return true;
  size_t size = from->launch.kernel->kernarg_size + 1u;
  to->launch.arguments = malloc(size);
  if (to->launch.arguments)
    memcpy(to->launch.arguments, from->launch.arguments, size);
  return to->launch.arguments != NULL;
}

static void free_step(Step *step) {
  if (step->type == hipGraphNodeTypeKernel)
    free(step->launch.arguments);
}

static hipError_t run_fill(const hipMemsetParams *set) {
  hipError_t error = hipSuccess;
  for (size_t row = 0; error == hipSuccess && row < set->height; row++)
    error = fill_elements((uint8_t *)set->dst + row * set->pitch, set->value, set->elementSize,
                          set->width);
  return error;
}

// Whether the step can be run; asked before any step of its graph is.
static hipError_t check_step(const Step *step) {
  switch (step->type) {
  case hipGraphNodeTypeKernel: // its module may have been unloaded since
    return loaded_kernel((hipFunction_t)step->launch.kernel) ? hipSuccess : hipErrorInvalidHandle;
  case hipGraphNodeTypeMemcpy1D:
    return !step->copy.size ? hipSuccess
                            : copy_check(step->copy.to, step->copy.size, step->copy.from,
                                         step->copy.size, step->copy.kind);
  default:
    return hipSuccess;
  }
}

static void run_step(void *data) {
  Step *step = data;
  if (runtime_fault_code() == hipSuccess)
    switch (step->type) {
    case hipGraphNodeTypeMemcpy1D:
      copy_bytes(step->copy.to, step->copy.from, step->copy.size, step->copy.kind);
      break;
    case hipGraphNodeTypeMemcpy:
      copy_3d_box(&step->copy_3d);
      break;
    case hipGraphNodeTypeMemset:
      run_fill(&step->set);
      break;
    case hipGraphNodeTypeHost:
      step->host.fn(step->host.userData);
      break;
    default: // an empty node
      break;
    }
  free(step);
}

static hipError_t submit_step(const Step *step, QueueStream stream) {
  Step *copy = malloc(sizeof *copy);
  if (!copy || !graph_copy_step(copy, step)) {
    free(copy);
    return hipErrorOutOfMemory;
  }
  if (step->type == hipGraphNodeTypeKernel) {
    hipError_t error = launch_submit(&copy->launch, stream); // takes the arguments
    free_step(copy);
    free(copy);
    return error;
  }
  queue_submit(stream, step->type == hipGraphNodeTypeHost ? QUEUE_HOST : QUEUE_DEVICE, run_step,
               copy);
  return hipSuccess;
}

hipError_t graph_create(hipGraph_t *graph) {
  Graph *created = graph ? calloc(1, sizeof *created) : NULL;
  if (!created || !handle_add(HANDLE_GRAPH, created)) {
    free(created);
    return graph ? hipErrorOutOfMemory : hipErrorInvalidValue;
  }
  *graph = (hipGraph_t)created;
  return hipSuccess;
}

hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags) {
  SERVE(flags ? hipErrorInvalidValue : graph_create(graph));
}

static hipError_t destroy_graph(hipGraph_t handle) {
  if (!handle_remove(HANDLE_GRAPH, handle))
    return hipErrorInvalidValue;
  Graph *graph = (Graph *)handle;
  for (GraphNode *node = graph->first, *next; node; node = next) {
    next = node->next;
    handle_remove(HANDLE_GRAPH_NODE, node);
    free_step(&node->step);
    free(node->dependencies);
    free(node);
  }
  free(graph);
  return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t graph) { SERVE(destroy_graph(graph)); }

static bool node_in(const Graph *graph, hipGraphNode_t node) {
  return handle_live(HANDLE_GRAPH_NODE, node) && ((const GraphNode *)node)->graph == graph;
}

static bool add_dependency(GraphNode *node, GraphNode *dependency) {
  GraphNode **grown = realloc(node->dependencies, (node->dependency_count + 1) * sizeof *grown);
  if (!grown)
    return false;
  node->dependencies = grown;
  grown[node->dependency_count++] = dependency;
  return true;
}

hipError_t graph_add_node(Graph *graph, const hipGraphNode_t *dependencies, size_t count, Step step,
                          GraphNode **added) {
  hipError_t error = handle_live(HANDLE_GRAPH, graph) && (dependencies || !count)
                         ? hipSuccess
                         : hipErrorInvalidValue;
  for (size_t i = 0; error == hipSuccess && i < count; i++)
    error = node_in(graph, dependencies[i]) ? hipSuccess : hipErrorInvalidValue;
  GraphNode *node = error == hipSuccess ? calloc(1, sizeof *node) : NULL;
  if (!node || !handle_add(HANDLE_GRAPH_NODE, node)) {
    free(node);
    free_step(&step);
    return error == hipSuccess ? hipErrorOutOfMemory : error;
  }
  node->graph = graph;
  node->step = step;
  for (size_t i = 0; i < count; i++)
    if (!add_dependency(node, (GraphNode *)dependencies[i]))
      error = hipErrorOutOfMemory;
  *(graph->last ? &graph->last->next : &graph->first) = node;
  graph->last = node;
  graph->node_count++;
  *added = node;
  return error;
}

static hipError_t add_public(hipGraphNode_t *node, hipGraph_t graph,
                             const hipGraphNode_t *dependencies, size_t count, Step step) {
  if (!node) {
    free_step(&step);
    return hipErrorInvalidValue;
  }
  return graph_add_node((Graph *)graph, dependencies, count, step, (GraphNode **)node);
}

static hipError_t kernel_step(Step *step, const hipKernelNodeParams *p) {
  if (!p || !p->func)
    return hipErrorInvalidValue;
  *step = (Step){.type = hipGraphNodeTypeKernel,
                 .launch = {.device = device_current(),
                            .grid = {p->gridDim.x, p->gridDim.y, p->gridDim.z},
                            .block = {p->blockDim.x, p->blockDim.y, p->blockDim.z},
                            .dynamic_lds_bytes = p->sharedMemBytes}};
  hipError_t error = registered_kernel(p->func, device_current(), &step->launch.kernel);
  if (error == hipSuccess)
    error = launch_validate(&step->launch);
  if (error == hipSuccess)
    error = launch_gather(&step->launch, p->kernelParams, p->extra);
  if (error != hipSuccess)
    free_step(step);
  return error;
}

static hipError_t add_kernel(hipGraphNode_t *node, hipGraph_t graph,
                             const hipGraphNode_t *dependencies, size_t count,
                             const hipKernelNodeParams *parameters) {
  Step step;
  hipError_t error = kernel_step(&step, parameters);
  return error == hipSuccess ? add_public(node, graph, dependencies, count, step) : error;
}

static hipError_t add_fill(hipGraphNode_t *node, hipGraph_t graph,
                           const hipGraphNode_t *dependencies, size_t count,
                           const hipMemsetParams *p) {
  if (!p || !p->dst || !p->height ||
      (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
    return hipErrorInvalidValue;
  return add_public(node, graph, dependencies, count,
                    (Step){.type = hipGraphNodeTypeMemset, .set = *p});
}

hipError_t hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph,
                                 const hipGraphNode_t *dependencies, size_t count,
                                 const hipKernelNodeParams *parameters) {
  SERVE(add_kernel(node, graph, dependencies, count, parameters));
}
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph,
                                   const hipGraphNode_t *dependencies, size_t count, void *to,
                                   const void *from, size_t size, hipMemcpyKind kind) {
  SERVE(!to || !from
            ? hipErrorInvalidValue
            : add_public(node, graph, dependencies, count,
                         (Step){.type = hipGraphNodeTypeMemcpy1D, .copy = {to, from, size, kind}}));
}
hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *node, hipGraph_t graph,
                                 const hipGraphNode_t *dependencies, size_t count,
                                 const hipMemcpy3DParms *parameters) {
  SERVE(!parameters ? hipErrorInvalidValue
                    : add_public(node, graph, dependencies, count,
                                 (Step){.type = hipGraphNodeTypeMemcpy, .copy_3d = *parameters}));
}
hipError_t hipGraphAddMemsetNode(hipGraphNode_t *node, hipGraph_t graph,
                                 const hipGraphNode_t *dependencies, size_t count,
                                 const hipMemsetParams *parameters) {
  SERVE(add_fill(node, graph, dependencies, count, parameters));
}
hipError_t hipGraphAddHostNode(hipGraphNode_t *node, hipGraph_t graph,
                               const hipGraphNode_t *dependencies, size_t count,
                               const hipHostNodeParams *parameters) {
  SERVE(!parameters || !parameters->fn
            ? hipErrorInvalidValue
            : add_public(node, graph, dependencies, count,
                         (Step){.type = hipGraphNodeTypeHost, .host = *parameters}));
}
hipError_t hipGraphAddEmptyNode(hipGraphNode_t *node, hipGraph_t graph,
                                const hipGraphNode_t *dependencies, size_t count) {
  SERVE(add_public(node, graph, dependencies, count, (Step){.type = hipGraphNodeTypeEmpty}));
}

static hipError_t add_dependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                   const hipGraphNode_t *to, size_t count) {
  if (!handle_live(HANDLE_GRAPH, graph) || (count && (!from || !to)))
    return hipErrorInvalidValue;
  for (size_t i = 0; i < count; i++) {
    if (!node_in((Graph *)graph, from[i]) || !node_in((Graph *)graph, to[i]) || from[i] == to[i])
      return hipErrorInvalidValue;
    if (!add_dependency((GraphNode *)to[i], (GraphNode *)from[i]))
      return hipErrorOutOfMemory;
  }
  return hipSuccess;
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                   const hipGraphNode_t *to, size_t count) {
  SERVE(add_dependencies(graph, from, to, count));
}

// Writes up to *count nodes and returns how many there are in *count; nodes may be NULL to ask for
// the number.
static hipError_t list_nodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count,
                             bool roots_only) {
  if (!handle_live(HANDLE_GRAPH, graph) || !count)
    return hipErrorInvalidValue;
  size_t found = 0;
  for (GraphNode *node = ((Graph *)graph)->first; node; node = node->next) {
    if (roots_only && node->dependency_count)
      continue;
    if (nodes && found < *count)
      nodes[found] = (hipGraphNode_t)node;
    found++;
  }
  *count = found;
  return hipSuccess;
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
  SERVE(list_nodes(graph, nodes, count, false));
}
hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
  SERVE(list_nodes(graph, nodes, count, true));
}

static hipError_t node_type(hipGraphNode_t node, hipGraphNodeType *type) {
  if (!type || !handle_live(HANDLE_GRAPH_NODE, node))
    return hipErrorInvalidValue;
  *type = ((GraphNode *)node)->step.type;
  return hipSuccess;
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type) {
  SERVE(node_type(node, type));
}

static void destroy_steps(GraphExec *exec) {
  for (size_t i = 0; i < exec->step_count; i++)
    free_step(&exec->steps[i]);
  free(exec->steps);
  free(exec->sources);
  free(exec);
}

static bool ready(const GraphNode *node) {
  for (size_t i = 0; i < node->dependency_count; i++)
    if (!node->dependencies[i]->ordered)
      return false;
  return !node->ordered;
}

// Appends nodes whose dependencies are all there, until none is left or, in a cycle, none can be
// appended.
static hipError_t order_steps(GraphExec *exec, const Graph *graph) {
  for (GraphNode *node = graph->first; node; node = node->next)
    node->ordered = false;
  for (size_t before = SIZE_MAX;
       exec->step_count < graph->node_count && exec->step_count != before;) {
    before = exec->step_count;
    for (GraphNode *node = graph->first; node; node = node->next)
      if (ready(node)) {
        if (!graph_copy_step(&exec->steps[exec->step_count], &node->step))
          return hipErrorOutOfMemory;
        exec->sources[exec->step_count++] = node;
        node->ordered = true;
      }
  }
  return exec->step_count == graph->node_count ? hipSuccess : hipErrorInvalidValue;
}

static hipError_t instantiate(hipGraphExec_t *target, hipGraph_t handle) {
  if (!target || !handle_live(HANDLE_GRAPH, handle))
    return hipErrorInvalidValue;
  const Graph *graph = (const Graph *)handle;
  GraphExec *exec = calloc(1, sizeof *exec);
  if (!exec)
    return hipErrorOutOfMemory;
  exec->steps = calloc(graph->node_count + 1, sizeof *exec->steps);
  exec->sources = calloc(graph->node_count + 1, sizeof(GraphNode *));
  hipError_t error = exec->steps && exec->sources ? order_steps(exec, graph) : hipErrorOutOfMemory;
  if (error == hipErrorInvalidValue)
    runtime_say("the dependencies of the graph's %zu nodes form a cycle.", graph->node_count);
  if (error == hipSuccess && !handle_add(HANDLE_GRAPH_EXEC, exec))
    error = hipErrorOutOfMemory;
  if (error == hipSuccess)
    *target = (hipGraphExec_t)exec;
  else
    destroy_steps(exec);
  return error;
}

hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *error_node,
                               char *log, size_t log_size) {
  if (error_node)
    *error_node = NULL;
  if (log && log_size)
    log[0] = '\0';
  SERVE(instantiate(exec, graph));
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph,
                                        unsigned long long flags) {
  (void)flags; // about memory nodes, which do not exist here
  SERVE(instantiate(exec, graph));
}

static hipError_t destroy_exec(hipGraphExec_t exec) {
  if (!handle_remove(HANDLE_GRAPH_EXEC, exec))
    return hipErrorInvalidValue;
  destroy_steps((GraphExec *)exec);
  return hipSuccess;
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec) { SERVE(destroy_exec(exec)); }

static hipError_t launch_graph(hipGraphExec_t handle, hipStream_t stream) {
  if (!handle_live(HANDLE_GRAPH_EXEC, handle))
    return hipErrorInvalidValue;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  if (stream_capturing(stream))
    return hipErrorStreamCaptureUnsupported;
  const GraphExec *exec = (const GraphExec *)handle;
  hipError_t error = hipSuccess;
  for (size_t i = 0; error == hipSuccess && i < exec->step_count; i++)
    error = check_step(&exec->steps[i]);
  for (size_t i = 0; error == hipSuccess && i < exec->step_count; i++)
    error = submit_step(&exec->steps[i], stream_order(stream));
  return error;
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  SERVE(launch_graph(exec, stream));
}
PER_THREAD_VARIANT(hipGraphLaunch);

static hipError_t replace_kernel(Step *step, const hipKernelNodeParams *parameters) {
  Step replacement;
  if (step->type != hipGraphNodeTypeKernel)
    return hipErrorInvalidValue;
  hipError_t error = kernel_step(&replacement, parameters);
  if (error == hipSuccess) {
    free_step(step);
    *step = replacement;
  }
  return error;
}

static hipError_t replace_in_exec(hipGraphExec_t handle, hipGraphNode_t node,
                                  const hipKernelNodeParams *parameters) {
  GraphExec *exec = (GraphExec *)handle;
  for (size_t i = 0; handle_live(HANDLE_GRAPH_EXEC, handle) && i < exec->step_count; i++)
    if (exec->sources[i] == (GraphNode *)node)
      return replace_kernel(&exec->steps[i], parameters);
  return hipErrorInvalidValue;
}

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *parameters) {
  SERVE(handle_live(HANDLE_GRAPH_NODE, node)
            ? replace_kernel(&((GraphNode *)node)->step, parameters)
            : hipErrorInvalidValue);
}
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams *parameters) {
  SERVE(replace_in_exec(exec, node, parameters));
}
