// The memory model: replays the traces of all wavefronts in device time.
//
// In: the traces of one launch, workgroup by workgroup in the order of their index, and the
// device's parameters. Out: rocprof's cache, memory and time counters, and for each memory
// instruction what it hit. It knows nothing of instructions and data; see docs/memory-model.md. A
// replay is one sequence of events in time order, so equal traces and parameters give equal
// results.
#ifndef EMULATOR_MODEL_H
#define EMULATOR_MODEL_H

#include "launch.h"
#include "model_result.h"
#include "parameters.h"
#include "trace.h"
#include "traffic.h"

#include <stddef.h>

// Traces of one workgroup: wave i has words[begin[i]] to words[begin[i + 1] - 1]. One block of
// memory, from malloc.
enum { MODEL_MAX_WAVES = 16 };
typedef struct {
  uint32_t waves;
  uint32_t begin[MODEL_MAX_WAVES + 1];
  uint64_t words[];
} GroupTrace;

typedef struct Model Model;

// NULL if the host has no memory.
Model *model_begin(const Parameters *parameters, const Launch *launch);
// Takes the group over and replays as far as is possible without the groups that follow.
void model_feed(Model *model, GroupTrace *group);
// Replays to the end. traffic has launch.instructions entries, or is NULL. Frees the model.
void model_end(Model *model, ModelResult *result, InstructionTraffic *traffic);
// Frees the model of a launch that faulted.
void model_abandon(Model *model);

#endif
