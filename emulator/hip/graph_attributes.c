// Attributes of kernel nodes: one decides whether the launch is cooperative, the others are advice that
// changes nothing here.
//
// In: HIP calls. Out: steps of nodes (graph_step.h). Codes: hipamd hip_graph_internal.hpp.
#define _GNU_SOURCE
#include "graph_node_calls.h"
#include "kernel_launch.h"
#include "runtime.h"

// hipKernelNodeAttrID of ROCm 5.2, and two names of the priority: of ROCm 6, and of 6.5 and later.
enum { WINDOW = 1, COOPERATIVE = 2, PRIORITY = 3, LAUNCH_PRIORITY = 8 };
enum { MOST_WINDOW_BYTES = 1023 }; // hipamd takes no larger one, whatever the device

EXPORT hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to);

static KernelCall *kernel_of(hipGraphNode_t node) {
  Step *step = node_step(node);
  return step && step->type == hipGraphNodeTypeKernel ? &step->kernel : NULL;
}

static hipError_t set_cooperative(KernelCall *call, int value) {
  const KernelCall before = *call;
  call->attributes.cooperative = value;
  call->launch.cooperative = value;
  const hipError_t error = launch_validate(&call->launch);
  if (error != hipSuccess)
    *call = before;
  return error;
}

static hipError_t copy_attributes(KernelCall *to, const KernelCall *from) {
  if (!to || !from)
    return hipErrorInvalidValue;
  const hipError_t error = from->launch.cooperative == to->launch.cooperative
                               ? hipSuccess
                               : set_cooperative(to, from->launch.cooperative);
  if (error == hipSuccess)
    to->attributes = from->attributes;
  return error;
}

hipError_t node_copy_attributes(Step *to, const Step *from) {
  return copy_attributes(&to->kernel, &from->kernel);
}

static hipError_t set_window(KernelCall *call, const hipAccessPolicyWindow *window) {
  if (!(window->hitRatio >= 0 && window->hitRatio <= 1) ||
      window->missProp == hipAccessPropertyPersisting || window->num_bytes > MOST_WINDOW_BYTES ||
      (window->num_bytes && window->hitRatio == 0))
    return hipErrorInvalidValue;
  call->attributes.window = *window;
  return hipSuccess;
}

static hipError_t set(KernelCall *call, int attribute, const hipKernelNodeAttrValue *value) {
  if (!call || !value)
    return hipErrorInvalidValue;
  switch (attribute) {
  case WINDOW:
    return set_window(call, &value->accessPolicyWindow);
  case COOPERATIVE:
    return set_cooperative(call, value->cooperative);
  case PRIORITY:
  case LAUNCH_PRIORITY:
    call->attributes.priority = *(const int *)value;
    return hipSuccess;
  default:
    return hipErrorInvalidValue;
  }
}

static hipError_t get(const KernelCall *call, int attribute, hipKernelNodeAttrValue *value) {
  if (!call || !value)
    return hipErrorInvalidValue;
  switch (attribute) {
  case WINDOW:
    value->accessPolicyWindow = call->attributes.window;
    return hipSuccess;
  case COOPERATIVE: // a recorded launch is, without the attribute
    value->cooperative =
        call->attributes.cooperative ? call->attributes.cooperative : call->launch.cooperative;
    return hipSuccess;
  case PRIORITY:
  case LAUNCH_PRIORITY:
    *(int *)value = call->attributes.priority;
    return hipSuccess;
  default:
    return hipErrorInvalidValue;
  }
}

hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attribute,
                                          const hipKernelNodeAttrValue *value) {
  SERVE(set(kernel_of(node), (int)attribute, value));
}
hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attribute,
                                          hipKernelNodeAttrValue *value) {
  SERVE(get(kernel_of(node), (int)attribute, value));
}
hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to) {
  SERVE(copy_attributes(kernel_of(to), kernel_of(from)));
}
