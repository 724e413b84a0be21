// Graphs as text that Graphviz draws.
//
// In: hipGraphDebugDotPrint of ROCm 5.3. Out: a file with a line for each node and each dependency.
#define _GNU_SOURCE
#include "code_object.h"
#include "graph.h"
#include "handle.h"
#include "runtime.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

EXPORT hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char *path, unsigned flags);

static const char *label_of(const Step *step) {
  switch ((int)step->type) {
  case hipGraphNodeTypeKernel:
    return step->kernel.launch.kernel->symbol;
  case hipGraphNodeTypeMemset:
    return "memset";
  case hipGraphNodeTypeHost:
    return "host function";
  case hipGraphNodeTypeGraph:
    return "graph";
  case hipGraphNodeTypeEmpty:
    return "empty";
  case hipGraphNodeTypeWaitEvent:
    return "wait for event";
  case hipGraphNodeTypeEventRecord:
    return "record event";
  case NODE_ALLOCATE:
    return "allocate";
  case NODE_FREE:
    return "free";
  default:
    return "memcpy";
  }
}

static void print(const Graph *graph, FILE *file) {
  fprintf(file, "digraph hip {\n");
  for (const GraphNode *node = graph->first; node; node = node->next)
    fprintf(file, "  \"%p\" [label=\"%s\"];\n", (const void *)node, label_of(&node->step));
  for (const GraphNode *node = graph->first; node; node = node->next)
    for (size_t i = 0; i < node->before.count; i++)
      fprintf(file, "  \"%p\" -> \"%p\";\n", (const void *)node->before.node[i],
              (const void *)node);
  fprintf(file, "}\n");
}

static hipError_t print_to(hipGraph_t graph, const char *path) {
  if (!handle_live(HANDLE_GRAPH, graph) || !path)
    return hipErrorInvalidValue;
  FILE *file = fopen(path, "w");
  if (file)
    print((const Graph *)graph, file);
  const bool failed = !file || ferror(file) != 0;
  if (file && fclose(file) == 0 && !failed)
    return hipSuccess;
  runtime_say("cannot write %s: %s.", path, strerror(errno));
  return hipErrorOperatingSystem;
}

// Nodes with their kinds, and dependencies, whatever more the flags ask for.
hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char *path, unsigned flags) {
  (void)flags;
  SERVE(print_to(graph, path));
}
