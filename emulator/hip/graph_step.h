// What a node of a graph does when its graph is launched.
//
// In: a call that was written down. Out: at launch the same effects. A step owns its copies of the
// arguments.
#ifndef EMULATOR_GRAPH_STEP_H
#define EMULATOR_GRAPH_STEP_H

#include "launch.h"
#include "program_abi.h"
#include "queue.h"
#include "stream_values.h"

#include <hip/hip_runtime_api.h>
#include <stdbool.h>

typedef struct {
  void *to;
  const void *from;
  size_t size;
  hipMemcpyKind kind;
} CopyCall;

typedef struct {
  Launch launch;        // its arguments belong to the step
  const void *function; // as the program named it
  void **parameters;    // where hipGraphKernelNodeGetParams told that each argument lies, or NULL
  struct {
    hipAccessPolicyWindow window; // advice, as is the priority
    int cooperative, priority;
  } attributes; // as hipGraphKernelNodeSetAttribute gave them
} KernelCall;

// hipBatchMemOpNodeParams of ROCm 6.4.
typedef struct {
  hipCtx_t context;
  unsigned count;
  BatchOperation *operations; // the step's own
  unsigned flags;
} BatchCall;

// hipMemPoolProps of ROCm 6 is as large.
typedef struct {
  void *address; // as graph_memory.h gave it
  size_t size;   // and what is told of it, of NODE_ALLOCATE alone
  hipMemPoolProps properties;
  const hipMemAccessDesc *access; // the program's own list, which is told as it was given
  size_t access_count;
  unsigned claim; // of graph_memory.h, given back with the step; a copy has none
} MemoryCall;

typedef struct Step {
  hipGraphNodeType type;
  bool told;          // its arrays were given out
  struct Step *given; // what it was when that was so last: programs set anew what they got
  union {
    KernelCall kernel;
    CopyCall copy; // of the types Memcpy1D, MemcpyFromSymbol, MemcpyToSymbol
    hipMemcpy3DParms copy_3d;
    hipMemsetParams set;
    hipHostNodeParams host;
    hipEvent_t event;    // to record or to wait for
    MemoryCall memory;   // of the types NODE_ALLOCATE, NODE_FREE
    BatchCall batch;     // of the type NODE_BATCH
    struct Graph *child; // the node's own; its nodes have steps
  };
} Step;

// A step with arguments of its own; false if the host has no memory for them.
bool step_copy(Step *to, const Step *from);
void step_free(Step *step);
bool step_is_copy(const Step *step);       // of bytes one behind the other
hipMemcpyKind step_kind(const Step *step); // of a copy, also of a box; the same of all other steps
bool step_is_memory(const Step *step);
// Whether a copy of an executable graph may become the other: the direction stays, and to or from a
// variable the devices.
bool step_copy_fits(const Step *step, const Step *replacement);
// Whether a fill may: the device stays, and the shape of rows.
bool step_fill_fits(const Step *step, const Step *replacement);
// Whether it can be run; asked before any step of its graph is.
hipError_t step_check(const Step *step);
// Whether it can be written down; what the graph will allocate is not there yet.
hipError_t step_check_early(const Step *step);
hipError_t step_submit(const Step *step, QueueStream stream);

#endif
