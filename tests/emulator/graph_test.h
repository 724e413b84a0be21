// What tests of graphs share: graphs, executable ones, and calls of later releases about objects of the user.
#ifndef TESTS_EMULATOR_GRAPH_TEST_H
#define TESTS_EMULATOR_GRAPH_TEST_H

#include "runtime_test.h"

// Of releases after ROCm 5.2.
typedef struct UserObject *UserObject_t;
hipError_t hipUserObjectCreate(UserObject_t *object, void *data, hipHostFn_t destroy,
                               unsigned count, unsigned flags);
hipError_t hipUserObjectRelease(UserObject_t object, unsigned count);
hipError_t hipGraphRetainUserObject(hipGraph_t graph, UserObject_t object, unsigned count,
                                    unsigned flags);
hipError_t hipGraphReleaseUserObject(hipGraph_t graph, UserObject_t object, unsigned count);

static inline hipGraph_t new_graph(void) {
  hipGraph_t graph = NULL;
  SUCCEEDS(hipGraphCreate(&graph, 0));
  return graph;
}

static inline hipGraphExec_t executable(hipGraph_t graph) {
  hipGraphExec_t exec = NULL;
  SUCCEEDS(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  return exec;
}

#endif
