// Steps of graphs: see graph_step.h.
#define _GNU_SOURCE
#include "graph_step.h"

#include "code_object.h"
#include "copy.h"
#include "device_memory.h"
#include "event_object.h"
#include "graph_memory.h"
#include "handle.h"
#include "kernel_launch.h"
#include "loaded_object.h"
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

static bool copy_batch(BatchCall *to, const BatchCall *from) {
  const size_t size = from->count * sizeof *from->operations;
  to->operations = malloc(size);
  if (to->operations)
    memcpy(to->operations, from->operations, size);
  return to->operations != NULL;
}

bool step_copy(Step *to, const Step *from) {
  *to = *from;
  to->told = false;
  to->given = NULL;
  if ((int)from->type == NODE_BATCH)
    return copy_batch(&to->batch, &from->batch);
  if (step_is_memory(from)) {
    to->memory.claim = 0;
    return graph_memory_name(from->memory.address);
  }
  if (from->type != hipGraphNodeTypeKernel)
    return true;
  const Launch *launch = &from->kernel.launch;
  size_t size = launch->kernel->kernarg_size + 1u;
  to->kernel.parameters = NULL;
  to->kernel.launch.arguments = malloc(size);
  if (to->kernel.launch.arguments)
    memcpy(to->kernel.launch.arguments, launch->arguments, size);
  return to->kernel.launch.arguments != NULL;
}

void step_free(Step *step) {
  if (step->given)
    step_free(step->given);
  free(step->given);
  if (step_is_memory(step)) {
    graph_memory_disclaim(step->memory.address, step->memory.claim);
    graph_memory_unname(step->memory.address);
  }
  if ((int)step->type == NODE_BATCH)
    free(step->batch.operations);
  if (step->type != hipGraphNodeTypeKernel)
    return;
  free(step->kernel.launch.arguments);
  free(step->kernel.parameters);
}

static bool is_of_symbol(const Step *step) {
  return step->type == hipGraphNodeTypeMemcpyFromSymbol ||
         step->type == hipGraphNodeTypeMemcpyToSymbol;
}

bool step_is_copy(const Step *step) {
  return step->type == hipGraphNodeTypeMemcpy1D || is_of_symbol(step);
}

hipMemcpyKind step_kind(const Step *step) {
  return step_is_copy(step)                     ? step->copy.kind
         : step->type == hipGraphNodeTypeMemcpy ? step->copy_3d.kind
                                                : hipMemcpyDefault;
}

bool step_is_memory(const Step *step) {
  return (int)step->type == NODE_ALLOCATE || (int)step->type == NODE_FREE;
}

static hipError_t check_fill(const hipMemsetParams *set) {
  size_t row, size = 0;
  if (__builtin_mul_overflow(set->width, set->elementSize, &row) ||
      __builtin_mul_overflow(set->pitch, set->height - 1, &size) ||
      __builtin_add_overflow(size, row, &size))
    return hipErrorInvalidValue;
  return fill_check(set->dst, 1, size);
}

static bool same_device(const void *a, const void *b) {
  const Allocation *of_a = device_memory_find((uint64_t)a, 1),
                   *of_b = device_memory_find((uint64_t)b, 1);
  return !of_a || !of_b || of_a->device == of_b->device;
}

bool step_copy_fits(const Step *step, const Step *replacement) {
  const CopyCall *old = &step->copy, *fresh = &replacement->copy;
  if (step_kind(step) != step_kind(replacement))
    return false;
  return !step_is_copy(step) || !is_of_symbol(replacement) ||
         (same_device(old->to, fresh->to) && same_device(old->from, fresh->from));
}

bool step_fill_fits(const Step *step, const Step *replacement) {
  const hipMemsetParams *old = &step->set, *fresh = &replacement->set;
  return same_device(old->dst, fresh->dst) &&
         (fresh->height == 1 ||
          (old->height == fresh->height &&
           old->width * old->elementSize == fresh->width * fresh->elementSize));
}

hipError_t step_check(const Step *step) {
  if ((int)step->type == NODE_BATCH)
    return batch_check(step->batch.count, step->batch.operations);
  switch (step->type) {
  case hipGraphNodeTypeKernel: // its module may have been unloaded since
    return loaded_kernel((hipFunction_t)step->kernel.launch.kernel) ? hipSuccess
                                                                    : hipErrorInvalidHandle;
  case hipGraphNodeTypeMemcpy1D:
  case hipGraphNodeTypeMemcpyFromSymbol:
  case hipGraphNodeTypeMemcpyToSymbol:
    return !step->copy.size ? hipSuccess
                            : copy_check(step->copy.to, step->copy.size, step->copy.from,
                                         step->copy.size, step->copy.kind);
  case hipGraphNodeTypeMemcpy:
    return copy_3d_check(&step->copy_3d);
  case hipGraphNodeTypeMemset:
    return check_fill(&step->set);
  case hipGraphNodeTypeEventRecord:
  case hipGraphNodeTypeWaitEvent:
    return handle_live(HANDLE_EVENT, step->event) ? hipSuccess : hipErrorInvalidHandle;
  default:
    return hipSuccess;
  }
}

static bool names_graph_memory(const Step *step) {
  const hipMemcpy3DParms *box = &step->copy_3d;
  return step_is_copy(step) ? graph_memory_has(step->copy.to) || graph_memory_has(step->copy.from)
         : step->type == hipGraphNodeTypeMemcpy
             ? graph_memory_has(box->dstPtr.ptr) || graph_memory_has(box->srcPtr.ptr)
             : step->type == hipGraphNodeTypeMemset && graph_memory_has(step->set.dst);
}

hipError_t step_check_early(const Step *step) {
  return names_graph_memory(step) ? hipSuccess : step_check(step);
}

static hipError_t run_fill(const hipMemsetParams *set) {
  hipError_t error = hipSuccess;
  for (size_t row = 0; error == hipSuccess && row < set->height; row++)
    error = fill_elements((uint8_t *)set->dst + row * set->pitch, set->value, set->elementSize,
                          set->width);
  return error;
}

static void run_on_device(const Step *step) {
  device_memory_hold();
  if (step_is_copy(step))
    copy_bytes(step->copy.to, step->copy.from, step->copy.size, step->copy.kind);
  else if (step->type == hipGraphNodeTypeMemcpy)
    copy_3d_box(&step->copy_3d);
  else if (step->type == hipGraphNodeTypeMemset)
    run_fill(&step->set);
  device_memory_let_go();
}

static void run_step(void *data) {
  Step *step = data;
  if ((int)step->type == NODE_FREE)
    graph_memory_end(step->memory.address);
  if (runtime_fault_code() == hipSuccess) {
    if (step->type == hipGraphNodeTypeHost)
      step->host.fn(step->host.userData);
    else
      run_on_device(step);
  }
  free(step);
}

static hipError_t submit_kernel(const Step *step, QueueStream stream) {
  Step copy;
  if (!step_copy(&copy, step))
    return hipErrorOutOfMemory;
  hipError_t error = launch_submit(&copy.kernel.launch, stream); // takes the arguments
  step_free(&copy);
  return error;
}

static hipError_t submit_copy(const Step *step, QueueStream stream) {
  Step *copy = malloc(sizeof *copy);
  if (!copy)
    return hipErrorOutOfMemory;
  *copy = *step;
  hipError_t error =
      step->type == hipGraphNodeTypeMemcpy ? copy_3d_settle(&copy->copy_3d) : hipSuccess;
  if (error == hipSuccess)
    queue_submit(stream, step->type == hipGraphNodeTypeHost ? QUEUE_HOST : QUEUE_DEVICE, run_step,
                 copy);
  else
    free(copy);
  return error;
}

hipError_t step_submit(const Step *step, QueueStream stream) {
  if ((int)step->type == NODE_ALLOCATE) // hipGraphLaunch did
    return hipSuccess;
  if ((int)step->type == NODE_BATCH)
    return batch_submit(stream, step->batch.count, step->batch.operations);
  switch (step->type) {
  case hipGraphNodeTypeKernel:
    return submit_kernel(step, stream);
  case hipGraphNodeTypeEventRecord:
    return event_mark((Event *)step->event, stream) ? hipSuccess : hipErrorOutOfMemory;
  case hipGraphNodeTypeWaitEvent:
    event_hold_back((const Event *)step->event, stream);
    return hipSuccess;
  case hipGraphNodeTypeEmpty:
  case hipGraphNodeTypeGraph: // its nodes have steps of their own
    return hipSuccess;
  default:
    return submit_copy(step, stream);
  }
}
