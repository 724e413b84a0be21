// The calls that make nodes, and those that tell and change what a node does: see graph_node_calls.h.
// Codes: hipamd hip_graph.cpp.
#define _GNU_SOURCE
#include "graph_node_calls.h"

#include "code_object.h"
#include "devices.h"
#include "graph_exec.h"
#include "handle.h"
#include "kernel_launch.h"
#include "loaded_object.h"
#include "program_structs.h"
#include "registration.h"
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

// What a call made of its arguments; the step is freed where it cannot be written down.
static hipError_t check(hipError_t error, Step *step) {
  if (error != hipSuccess)
    return error;
  error = step_check_early(step);
  if (error != hipSuccess)
    step_free(step);
  return error;
}

hipError_t node_add(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                    size_t count, hipError_t error, Step *step) {
  error = check(error, step);
  if (error == hipSuccess && !node) {
    step_free(step);
    error = hipErrorInvalidValue;
  }
  return error == hipSuccess
             ? graph_add_node((Graph *)graph, dependencies, count, *step, (GraphNode **)node)
             : error;
}

Step *node_step(hipGraphNode_t node) {
  return handle_live(HANDLE_GRAPH_NODE, node) ? &((GraphNode *)node)->step : NULL;
}

static Step *step_of_type(hipGraphNode_t node, hipGraphNodeType type) {
  Step *step = node_step(node);
  return step && step->type == type ? step : NULL;
}

static bool copies(const Step *step) {
  return step_is_copy(step) || step->type == hipGraphNodeTypeMemcpy;
}

// Arrays that were given out last stay what they are until others are, or the node goes.
static hipError_t take_place(Step *step, Step *replacement) {
  Step *given = step->told ? malloc(sizeof *given) : step->given;
  if (step->told && !given) {
    step_free(replacement);
    return hipErrorOutOfMemory;
  }
  if (step->told) {
    if (step->given)
      step_free(step->given);
    free(step->given);
    *given = *step;
    given->given = NULL;
  } else {
    step->given = NULL;
    step_free(step);
  }
  *step = *replacement;
  step->given = given;
  return hipSuccess;
}

hipError_t node_replace(Step *step, hipError_t error, Step *replacement) {
  error = check(error, replacement);
  if (error != hipSuccess)
    return error;
  if (!step || (step->type != replacement->type && !(copies(step) && copies(replacement)))) {
    step_free(replacement);
    return hipErrorInvalidValue;
  }
  if (step->type == hipGraphNodeTypeKernel)
    error = node_copy_attributes(replacement, step);
  if (error != hipSuccess) {
    step_free(replacement);
    return error;
  }
  return take_place(step, replacement);
}

// An executable graph keeps the direction of a copy, the devices of one to or from a variable, the
// device of a fill and the shape of its rows.
hipError_t node_replace_exec(Step *step, hipError_t error, Step *replacement) {
  bool fits = true;
  error = check(error, replacement);
  if (error == hipSuccess && step && copies(step) && copies(replacement))
    fits = step_copy_fits(step, replacement);
  else if (error == hipSuccess && step && step->type == hipGraphNodeTypeMemset &&
           replacement->type == hipGraphNodeTypeMemset)
    fits = step_fill_fits(step, replacement);
  if (!fits) {
    step_free(replacement);
    return hipErrorInvalidValue;
  }
  return node_replace(step, error, replacement);
}

#define ADD(CALL)                                                                                  \
  Step step = {.type = hipGraphNodeTypeEmpty};                                                     \
  SERVE(node_add(node, graph, dependencies, count, CALL, &step))
#define REPLACE_EXEC(STEP, CALL)                                                                   \
  Step step = {.type = hipGraphNodeTypeEmpty};                                                     \
  SERVE(node_replace_exec(STEP, CALL, &step))
#define REPLACE(STEP, CALL)                                                                        \
  Step step = {.type = hipGraphNodeTypeEmpty};                                                     \
  SERVE(node_replace(STEP, CALL, &step))

// ---- kernels ----

hipError_t node_kernel_step(Step *step, const hipKernelNodeParams *p) {
  if (!p || !p->func)
    return hipErrorInvalidValue;
  *step = (Step){.type = hipGraphNodeTypeKernel,
                 .kernel = {.function = p->func,
                            .launch = {.device = device_current(),
                                       .grid = {p->gridDim.x, p->gridDim.y, p->gridDim.z},
                                       .block = {p->blockDim.x, p->blockDim.y, p->blockDim.z},
                                       .dynamic_lds_bytes = p->sharedMemBytes}}};
  Launch *launch = &step->kernel.launch;
  hipError_t error = registered_kernel(p->func, device_current(), &launch->kernel);
  if (error == hipSuccess)
    error = launch_validate(launch);
  if (error == hipSuccess)
    error = launch_gather(launch, p->kernelParams, p->extra);
  if (error != hipSuccess)
    step_free(step);
  return error;
}

// Where each argument lies in the step, in memory that lives as long as the step.
static void **parameters_of(KernelCall *call) {
  const Kernel *kernel = call->launch.kernel;
  if (!call->parameters)
    call->parameters = calloc(kernel->explicit_count + 1, sizeof *call->parameters);
  for (size_t i = 0; call->parameters && i < kernel->explicit_count; i++)
    call->parameters[i] = call->launch.arguments + kernel->arguments[i].offset;
  return call->parameters;
}

static hipError_t tell_kernel(Step *step, hipKernelNodeParams *p) {
  if (!step || !p)
    return hipErrorInvalidValue;
  const Launch *launch = &step->kernel.launch;
  step->told = true;
  *p = (hipKernelNodeParams){
      .func = (void *)step->kernel.function,
      .gridDim = {launch->grid[0], launch->grid[1], launch->grid[2]},
      .blockDim = {launch->block[0], launch->block[1], launch->block[2]},
      .sharedMemBytes = (unsigned)launch->dynamic_lds_bytes,
      .kernelParams = parameters_of(&step->kernel),
  };
  return p->kernelParams ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t hipGraphAddKernelNode(GRAPH_PLACE, const hipKernelNodeParams *p) {
  ADD(node_kernel_step(&step, p));
}
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams *p) {
  SERVE(tell_kernel(step_of_type(node, hipGraphNodeTypeKernel), p));
}
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *p) {
  REPLACE(node_step(node), node_kernel_step(&step, p));
}
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams *p) {
  REPLACE(graph_exec_step(exec, node), node_kernel_step(&step, p));
}

// ---- copies ----

static hipError_t copy_step(Step *step, hipGraphNodeType type, CopyCall copy) {
  *step = (Step){.type = type, .copy = copy};
  const bool empty = type == hipGraphNodeTypeMemcpy1D && !copy.size;
  return copy.to && copy.from && !empty ? hipSuccess : hipErrorInvalidValue;
}

hipError_t node_copy_3d_step(Step *step, const hipMemcpy3DParms *p) {
  if (!p)
    return hipErrorInvalidValue;
  *step = (Step){.type = hipGraphNodeTypeMemcpy, .copy_3d = *p};
  return hipSuccess;
}

static hipError_t to_symbol_step(Step *step, const void *symbol, const void *from, size_t size,
                                 size_t offset, hipMemcpyKind kind) {
  void *part = NULL;
  hipError_t error = registered_variable_part(symbol, size, offset, &part);
  return error == hipSuccess
             ? copy_step(step, hipGraphNodeTypeMemcpyToSymbol, (CopyCall){part, from, size, kind})
             : error;
}

static hipError_t from_symbol_step(Step *step, void *to, const void *symbol, size_t size,
                                   size_t offset, hipMemcpyKind kind) {
  void *part = NULL;
  hipError_t error = registered_variable_part(symbol, size, offset, &part);
  return error == hipSuccess
             ? copy_step(step, hipGraphNodeTypeMemcpyFromSymbol, (CopyCall){to, part, size, kind})
             : error;
}

static hipPitchedPtr one_row(const void *address, size_t size) {
  return (hipPitchedPtr){.ptr = (void *)address, .pitch = size, .xsize = size, .ysize = 1};
}

static hipError_t tell_copy(const Step *step, hipMemcpy3DParms *p) {
  if (!step || !p || !copies(step))
    return hipErrorInvalidValue;
  const CopyCall *copy = &step->copy;
  *p = step->type == hipGraphNodeTypeMemcpy
           ? step->copy_3d
           : (hipMemcpy3DParms){.dstPtr = one_row(copy->to, copy->size),
                                .srcPtr = one_row(copy->from, copy->size),
                                .extent = {copy->size, 1, 1},
                                .kind = copy->kind};
  return hipSuccess;
}

hipError_t hipGraphAddMemcpyNode(GRAPH_PLACE, const hipMemcpy3DParms *p) {
  ADD(node_copy_3d_step(&step, p));
}
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms *p) {
  SERVE(tell_copy(node_step(node), p));
}
hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms *p) {
  REPLACE(node_step(node), node_copy_3d_step(&step, p));
}
hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           hipMemcpy3DParms *p) {
  REPLACE_EXEC(graph_exec_step(exec, node), node_copy_3d_step(&step, p));
}

hipError_t hipGraphAddMemcpyNode1D(GRAPH_PLACE, void *to, const void *from, size_t size,
                                   hipMemcpyKind kind) {
  ADD(copy_step(&step, hipGraphNodeTypeMemcpy1D, (CopyCall){to, from, size, kind}));
}
hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *to, const void *from,
                                         size_t size, hipMemcpyKind kind) {
  REPLACE(node_step(node),
          copy_step(&step, hipGraphNodeTypeMemcpy1D, (CopyCall){to, from, size, kind}));
}
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void *to,
                                             const void *from, size_t size, hipMemcpyKind kind) {
  REPLACE_EXEC(graph_exec_step(exec, node),
               copy_step(&step, hipGraphNodeTypeMemcpy1D, (CopyCall){to, from, size, kind}));
}

hipError_t hipGraphAddMemcpyNodeToSymbol(GRAPH_PLACE, const void *symbol, const void *from,
                                         size_t size, size_t offset, hipMemcpyKind kind) {
  ADD(to_symbol_step(&step, symbol, from, size, offset, kind));
}
hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void *symbol,
                                               const void *from, size_t size, size_t offset,
                                               hipMemcpyKind kind) {
  REPLACE(node_step(node), to_symbol_step(&step, symbol, from, size, offset, kind));
}
hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t exec, hipGraphNode_t node,
                                                   const void *symbol, const void *from,
                                                   size_t size, size_t offset, hipMemcpyKind kind) {
  REPLACE_EXEC(graph_exec_step(exec, node),
               to_symbol_step(&step, symbol, from, size, offset, kind));
}

hipError_t hipGraphAddMemcpyNodeFromSymbol(GRAPH_PLACE, void *to, const void *symbol, size_t size,
                                           size_t offset, hipMemcpyKind kind) {
  ADD(from_symbol_step(&step, to, symbol, size, offset, kind));
}
hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void *to, const void *symbol,
                                                 size_t size, size_t offset, hipMemcpyKind kind) {
  REPLACE(node_step(node), from_symbol_step(&step, to, symbol, size, offset, kind));
}
hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t exec, hipGraphNode_t node,
                                                     void *to, const void *symbol, size_t size,
                                                     size_t offset, hipMemcpyKind kind) {
  REPLACE_EXEC(graph_exec_step(exec, node),
               from_symbol_step(&step, to, symbol, size, offset, kind));
}

// ---- fills ----

static hipError_t fill_step(Step *step, hipMemsetParams set) {
  if (!set.dst || !set.height || !set.width ||
      (set.elementSize != 1 && set.elementSize != 2 && set.elementSize != 4) ||
      (set.height > 1 && set.pitch / set.elementSize < set.width))
    return hipErrorInvalidValue;
  *step = (Step){.type = hipGraphNodeTypeMemset, .set = set};
  return hipSuccess;
}

hipError_t node_fill_step(Step *step, const hipMemsetParams *p) {
  return p ? fill_step(step, *p) : hipErrorInvalidValue;
}

hipError_t node_driver_fill_step(Step *step, const hipMemsetParams *p) {
  return p ? fill_step(step, driver_fill_of(p)) : hipErrorInvalidValue;
}

static hipError_t tell_fill(const Step *step, hipMemsetParams *p) {
  if (!step || !p)
    return hipErrorInvalidValue;
  *p = step->set;
  return hipSuccess;
}

hipError_t hipGraphAddMemsetNode(GRAPH_PLACE, const hipMemsetParams *p) {
  ADD(node_fill_step(&step, p));
}
hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams *p) {
  SERVE(tell_fill(step_of_type(node, hipGraphNodeTypeMemset), p));
}
hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams *p) {
  REPLACE(node_step(node), node_fill_step(&step, p));
}
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipMemsetParams *p) {
  REPLACE_EXEC(graph_exec_step(exec, node), node_fill_step(&step, p));
}

// ---- functions of the host ----

hipError_t node_host_step(Step *step, const hipHostNodeParams *p) {
  if (!p || !p->fn)
    return hipErrorInvalidValue;
  *step = (Step){.type = hipGraphNodeTypeHost, .host = *p};
  return hipSuccess;
}

static hipError_t tell_host(const Step *step, hipHostNodeParams *p) {
  if (!step || !p)
    return hipErrorInvalidValue;
  *p = step->host;
  return hipSuccess;
}

hipError_t hipGraphAddHostNode(GRAPH_PLACE, const hipHostNodeParams *p) {
  ADD(node_host_step(&step, p));
}
hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams *p) {
  SERVE(tell_host(step_of_type(node, hipGraphNodeTypeHost), p));
}
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *p) {
  REPLACE(node_step(node), node_host_step(&step, p));
}
hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                         const hipHostNodeParams *p) {
  REPLACE(graph_exec_step(exec, node), node_host_step(&step, p));
}

// ---- events ----

hipError_t node_event_step(Step *step, hipGraphNodeType type, hipEvent_t event) {
  *step = (Step){.type = type, .event = event};
  return handle_live(HANDLE_EVENT, event) ? hipSuccess : hipErrorInvalidValue;
}

static hipError_t tell_event(const Step *step, hipEvent_t *event) {
  if (!step || !event)
    return hipErrorInvalidValue;
  *event = step->event;
  return hipSuccess;
}

hipError_t hipGraphAddEventRecordNode(GRAPH_PLACE, hipEvent_t event) {
  ADD(node_event_step(&step, hipGraphNodeTypeEventRecord, event));
}
hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t *event) {
  SERVE(tell_event(step_of_type(node, hipGraphNodeTypeEventRecord), event));
}
hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  REPLACE(node_step(node), node_event_step(&step, hipGraphNodeTypeEventRecord, event));
}
hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node,
                                               hipEvent_t event) {
  REPLACE(graph_exec_step(exec, node), node_event_step(&step, hipGraphNodeTypeEventRecord, event));
}

hipError_t hipGraphAddEventWaitNode(GRAPH_PLACE, hipEvent_t event) {
  ADD(node_event_step(&step, hipGraphNodeTypeWaitEvent, event));
}
hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t *event) {
  SERVE(tell_event(step_of_type(node, hipGraphNodeTypeWaitEvent), event));
}
hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  REPLACE(node_step(node), node_event_step(&step, hipGraphNodeTypeWaitEvent, event));
}
hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node,
                                             hipEvent_t event) {
  REPLACE(graph_exec_step(exec, node), node_event_step(&step, hipGraphNodeTypeWaitEvent, event));
}

// ---- graphs in graphs, and nothing at all ----

hipError_t node_add_graph(GRAPH_PLACE, hipGraph_t child) {
  if (!node || !handle_live(HANDLE_GRAPH, graph) || !handle_live(HANDLE_GRAPH, child))
    return hipErrorInvalidValue;
  if (graph_has_memory((const Graph *)child))
    return hipErrorNotSupported;
  Step step = {.type = hipGraphNodeTypeGraph, .child = graph_clone((const Graph *)child)};
  if (!step.child)
    return hipErrorOutOfMemory;
  step.child->embedded = true;
  return graph_add_node((Graph *)graph, dependencies, count, step, (GraphNode **)node);
}

static hipError_t tell_graph(const Step *step, hipGraph_t *graph) {
  if (!step || !graph)
    return hipErrorInvalidValue;
  *graph = (hipGraph_t)step->child;
  return hipSuccess;
}

hipError_t hipGraphAddChildGraphNode(GRAPH_PLACE, hipGraph_t child) {
  SERVE(node_add_graph(node, graph, dependencies, count, child));
}
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *graph) {
  SERVE(tell_graph(step_of_type(node, hipGraphNodeTypeGraph), graph));
}
hipError_t hipGraphAddEmptyNode(GRAPH_PLACE) { ADD(hipSuccess); }
