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

// In ROCm's words, so that programs that look for them in the file find them.
static const char *label_of(const Step *step) {
  switch ((int)step->type) {
  case hipGraphNodeTypeKernel:
    return "KERNEL";
  case hipGraphNodeTypeMemset:
    return "MEMSET";
  case hipGraphNodeTypeHost:
    return "HOST";
  case hipGraphNodeTypeGraph:
    return "GRAPH";
  case hipGraphNodeTypeEmpty:
    return "EMPTY";
  case hipGraphNodeTypeWaitEvent:
    return "EVENT_WAIT";
  case hipGraphNodeTypeEventRecord:
    return "EVENT_RECORD";
  case NODE_ALLOCATE:
    return "MEM_ALLOC";
  case NODE_FREE:
    return "MEM_FREE";
  case NODE_BATCH:
    return "BATCH_MEM_OP";
  default:
    return "MEMCPY";
  }
}

// From where to where: (H)ost, (D)evice, (A)rray; empty if only the addresses tell.
static void direction_of(const Step *step, char direction[5]) {
  static const char *const ways[] = {
      [hipMemcpyHostToHost] = "HtoH",
      [hipMemcpyHostToDevice] = "HtoD",
      [hipMemcpyDeviceToHost] = "DtoH",
      [hipMemcpyDeviceToDevice] = "DtoD",
  };
  const unsigned kind = step_kind(step);
  strcpy(direction, kind < sizeof ways / sizeof ways[0] ? ways[kind] : "");
  if (step->type == hipGraphNodeTypeMemcpy && *direction) {
    direction[0] = step->copy_3d.srcArray ? 'A' : direction[0];
    direction[3] = step->copy_3d.dstArray ? 'A' : direction[3];
  }
}

static void print_node(const GraphNode *node, FILE *file) {
  const Step *step = &node->step;
  char direction[5] = "";
  if (step->type == hipGraphNodeTypeMemcpy || step_is_copy(step))
    direction_of(step, direction);
  fprintf(file, "  \"%p\" [label=\"%s%s%s\"];\n", (const void *)node, label_of(step),
          *direction || step->type == hipGraphNodeTypeKernel ? " " : "",
          step->type == hipGraphNodeTypeKernel ? step->kernel.launch.kernel->symbol : direction);
}

// What it contains in a box, graphs in it, too.
static void print(const Graph *graph, FILE *file) {
  fprintf(file, "subgraph \"cluster_%p\" {\n", (const void *)graph);
  for (const GraphNode *node = graph->first; node; node = node->next) {
    print_node(node, file);
    if (node->step.type == hipGraphNodeTypeGraph)
      print(node->step.child, file);
  }
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
  if (file) {
    fprintf(file, "digraph hip {\n");
    print((const Graph *)graph, file);
    fprintf(file, "}\n");
  }
  const bool failed = !file || ferror(file) != 0;
  if (file && fclose(file) == 0 && !failed)
    return hipSuccess;
  runtime_say("cannot write %s: %s.", path, strerror(errno));
  return hipErrorOperatingSystem;
}

// Nodes with their kinds, kernels with their names, copies with their direction, and dependencies,
// whatever more the flags ask for.
hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char *path, unsigned flags) {
  (void)flags;
  SERVE(print_to(graph, path));
}
