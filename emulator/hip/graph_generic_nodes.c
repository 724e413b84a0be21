// Nodes in other words: of any type by one struct, and in the driver's words.
//
// In: HIP calls of ROCm 5.5 and later. Out: what the calls of graph_node_calls.c do.
#define _GNU_SOURCE
#include "array.h"
#include "device_memory.h"
#include "graph_memory_nodes.h"
#include "graph_node_calls.h"
#include "program_abi.h"
#include "program_structs.h"
#include "runtime.h"

// ---- of any type ----

// hipGraphNodeParams, and its types, which ROCm 6 numbers so.
typedef struct {
  int type, reserved[3];
  union {
    long long bytes[29];
    hipKernelNodeParams kernel;
    struct {
      int flags, reserved[3];
      hipMemcpy3DParms box;
    } copy;
    hipMemsetParams set;
    hipHostNodeParams host;
    hipGraph_t graph;
    hipEvent_t event;
    MemoryParameters allocate;
    void *free;
  };
  long long last;
} Parameters;
enum { KERNEL, COPY, SET, HOST, GRAPH, EMPTY, WAIT, RECORD, ALLOCATE = 10, FREE };

EXPORT hipError_t hipGraphAddNode(GRAPH_PLACE, Parameters *p);
EXPORT hipError_t hipGraphNodeSetParams(hipGraphNode_t node, const Parameters *p);
EXPORT hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                            const Parameters *p);

static hipError_t step_from(Step *step, const Parameters *p) {
  switch (p->type) {
  case KERNEL:
    return node_kernel_step(step, &p->kernel);
  case COPY:
    return node_copy_3d_step(step, &p->copy.box);
  case SET:
    return node_fill_step(step, &p->set);
  case HOST:
    return node_host_step(step, &p->host);
  case EMPTY:
    return hipSuccess;
  case WAIT:
    return node_event_step(step, hipGraphNodeTypeWaitEvent, p->event);
  case RECORD:
    return node_event_step(step, hipGraphNodeTypeEventRecord, p->event);
  default:
    runtime_say("a node of type %d is not made or changed so.", p->type);
    return hipErrorNotSupported;
  }
}

static hipError_t add_any(GRAPH_PLACE, Parameters *p) {
  Step step = {.type = hipGraphNodeTypeEmpty};
  if (!p)
    return hipErrorInvalidValue;
  switch (p->type) {
  case GRAPH:
    return node_add_graph(node, graph, dependencies, count, p->graph);
  case ALLOCATE:
    return memory_node_add((GraphNode **)node, (Graph *)graph, dependencies, count, &p->allocate);
  case FREE:
    return memory_node_add_free((GraphNode **)node, (Graph *)graph, dependencies, count, p->free);
  default:
    return node_add(node, graph, dependencies, count, step_from(&step, p), &step);
  }
}

static hipError_t change_any(Step *changed, const Parameters *p) {
  Step step = {.type = hipGraphNodeTypeEmpty};
  return p ? node_replace(changed, step_from(&step, p), &step) : hipErrorInvalidValue;
}

// Before ROCm 7 a fill of rows could get another shape so.
static hipError_t change_any_exec(Step *changed, const Parameters *p) {
  Step step = {.type = hipGraphNodeTypeEmpty};
  if (!p || program_abi() < 7)
    return change_any(changed, p);
  return node_replace_exec(changed, step_from(&step, p), &step);
}

hipError_t hipGraphAddNode(GRAPH_PLACE, Parameters *p) {
  SERVE(add_any(node, graph, dependencies, count, p));
}
hipError_t hipGraphNodeSetParams(hipGraphNode_t node, const Parameters *p) {
  SERVE(change_any(node_step(node), p));
}
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                     const Parameters *p) {
  SERVE(change_any_exec(graph_exec_step(exec, node), p));
}

// ---- in the driver's words, where all is in bytes ----

EXPORT hipError_t hipDrvGraphAddMemcpyNode(GRAPH_PLACE, const HIP_MEMCPY3D *p, hipCtx_t context);
EXPORT hipError_t hipDrvGraphAddMemsetNode(GRAPH_PLACE, const hipMemsetParams *p, hipCtx_t context);
EXPORT hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D *p);
EXPORT hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D *p);
EXPORT hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                     const HIP_MEMCPY3D *p, hipCtx_t context);
EXPORT hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                     const hipMemsetParams *p, hipCtx_t context);

static size_t element_of(hipArray_const_t array) {
  ArrayPlace place;
  return array && array_place(array, &place) ? place.element_bytes : 1;
}

// A pitch of 0 is the box's width.
static hipPitchedPtr pointer_end(const void *memory, size_t pitch, size_t height,
                                 const DriverCopy *p) {
  return (hipPitchedPtr){.ptr = (void *)memory,
                         .pitch = pitch ? pitch : p->width_bytes,
                         .xsize = p->width_bytes,
                         .ysize = height ? height : p->height};
}

static hipError_t driver_step(Step *step, const HIP_MEMCPY3D *of_program) {
  if (!of_program)
    return hipErrorInvalidValue;
  const DriverCopy p = driver_copy_of(of_program);
  const hipMemoryType to = known_memory_type((int)p.target.type),
                      from = known_memory_type((int)p.source.type);
  hipArray *to_array = to == hipMemoryTypeArray ? p.target.array : NULL,
           *from_array = from == hipMemoryTypeArray ? p.source.array : NULL;
  const size_t to_element = element_of(to_array), from_element = element_of(from_array);
  const hipMemcpy3DParms box = {
      .dstArray = to_array,
      .dstPos = {p.target.x_bytes / to_element, p.target.y, p.target.z},
      .dstPtr = to_array ? (hipPitchedPtr){0}
                         : pointer_end(to == hipMemoryTypeHost ? p.target.host : p.target.device,
                                       p.target.pitch, p.target.height, &p),
      .srcArray = from_array,
      .srcPos = {p.source.x_bytes / from_element, p.source.y, p.source.z},
      .srcPtr = from_array
                    ? (hipPitchedPtr){0}
                    : pointer_end(from == hipMemoryTypeHost ? p.source.host : p.source.device,
                                  p.source.pitch, p.source.height, &p),
      .extent = {p.width_bytes / (to_element > from_element ? to_element : from_element), p.height,
                 p.depth},
      .kind = hipMemcpyDefault};
  return node_copy_3d_step(step, &box);
}

// A pitch below the width has no code of its own there.
static hipError_t driver_code(hipError_t error) {
  return error == hipErrorInvalidPitchValue ? hipErrorInvalidValue : error;
}

// What the end of a copy is called when a program asks: no matter which word it used, the word is right.
static hipMemoryType type_of_end(const hipArray *array, const void *memory) {
  const Allocation *found = array ? NULL : device_memory_find((uint64_t)memory, 1);
  const hipMemoryType type = array                           ? hipMemoryTypeArray
                             : !found                        ? hipMemoryTypeHost
                             : found->kind == MEMORY_HOST    ? hipMemoryTypeHost
                             : found->kind == MEMORY_MANAGED ? hipMemoryTypeUnified
                                                             : hipMemoryTypeDevice;
  return (hipMemoryType)program_memory_type(type, false);
}

static DriverCopyEnd told_end(hipArray *array, hipPos at, hipPitchedPtr memory,
                              size_t element_bytes) {
  return (DriverCopyEnd){.x_bytes = at.x * element_bytes,
                         .y = at.y,
                         .z = at.z,
                         .type = type_of_end(array, memory.ptr),
                         .host = memory.ptr,
                         .device = memory.ptr,
                         .array = array,
                         .pitch = memory.pitch,
                         .height = memory.ysize};
}

static hipError_t tell_driver(const Step *step, HIP_MEMCPY3D *p) {
  if (!step || !p || step->type != hipGraphNodeTypeMemcpy)
    return hipErrorInvalidValue;
  const hipMemcpy3DParms *box = &step->copy_3d;
  const size_t to = element_of(box->dstArray), from = element_of(box->srcArray);
  const DriverCopy copy = {.source = told_end(box->srcArray, box->srcPos, box->srcPtr, from),
                           .target = told_end(box->dstArray, box->dstPos, box->dstPtr, to),
                           .width_bytes = box->extent.width * (to > from ? to : from),
                           .height = box->extent.height,
                           .depth = box->extent.depth};
  tell_driver_copy(p, &copy);
  return hipSuccess;
}

#define STEP Step step = {.type = hipGraphNodeTypeEmpty}
hipError_t hipDrvGraphAddMemcpyNode(GRAPH_PLACE, const HIP_MEMCPY3D *p, hipCtx_t context) {
  STEP;
  (void)context;
  SERVE(driver_code(node_add(node, graph, dependencies, count, driver_step(&step, p), &step)));
}
hipError_t hipDrvGraphAddMemsetNode(GRAPH_PLACE, const hipMemsetParams *p, hipCtx_t context) {
  STEP;
  (void)context;
  SERVE(node_add(node, graph, dependencies, count, node_driver_fill_step(&step, p), &step));
}
hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D *p) {
  SERVE(tell_driver(node_step(node), p));
}
hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D *p) {
  STEP;
  SERVE(driver_code(node_replace(node_step(node), driver_step(&step, p), &step)));
}
hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                              const HIP_MEMCPY3D *p, hipCtx_t context) {
  STEP;
  (void)context;
  SERVE(driver_code(node_replace(graph_exec_step(exec, node), driver_step(&step, p), &step)));
}
hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                              const hipMemsetParams *p, hipCtx_t context) {
  STEP;
  (void)context;
  SERVE(node_replace_exec(graph_exec_step(exec, node), node_driver_fill_step(&step, p), &step));
}
