// Executable graphs: the steps of a graph, in an order that keeps every dependency.
//
// In: a graph. Out: its steps, copied, which hipGraphLaunch submits, one behind the other.
#ifndef EMULATOR_GRAPH_EXEC_H
#define EMULATOR_GRAPH_EXEC_H

#include "graph.h"

// The step that was made of a node; NULL if there is none, or no such executable graph.
Step *graph_exec_step(hipGraphExec_t exec, hipGraphNode_t node);

#endif
