// Graphs: see graph.h. Codes: hipamd hip_graph.cpp.
#define _GNU_SOURCE
#include "graph.h"

#include "handle.h"
#include "program_abi.h"
#include "runtime.h"

#include <stdlib.h>

// ---- graphs ----

static Graph *new_graph(void) {
  Graph *graph = calloc(1, sizeof *graph);
  if (graph && handle_add(HANDLE_GRAPH, graph))
    return graph;
  free(graph);
  return NULL;
}

hipError_t graph_create(hipGraph_t *graph) {
  if (!graph)
    return hipErrorInvalidValue;
  *graph = (hipGraph_t)new_graph();
  return *graph ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags) {
  SERVE(flags ? hipErrorInvalidValue : graph_create(graph));
}

static void free_step(Step *step) {
  if (step->type == hipGraphNodeTypeGraph)
    graph_destroy(step->child);
  step_free(step);
}

static void free_node(GraphNode *node) {
  handle_remove(HANDLE_GRAPH_NODE, node);
  free_step(&node->step);
  node_list_clear(&node->before);
  free(node);
}

void graph_destroy(Graph *graph) {
  handle_remove(HANDLE_GRAPH, graph);
  for (GraphNode *node = graph->first, *next; node; node = next) {
    next = node->next;
    free_node(node);
  }
  user_objects_release(&graph->objects);
  free(graph);
}

static hipError_t destroy(hipGraph_t graph) {
  if (!handle_live(HANDLE_GRAPH, graph) || ((Graph *)graph)->embedded)
    return hipErrorInvalidValue;
  graph_destroy((Graph *)graph);
  return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t graph) { SERVE(destroy(graph)); }

// ---- nodes ----

static bool node_in(const Graph *graph, hipGraphNode_t node) {
  return handle_live(HANDLE_GRAPH_NODE, node) && ((const GraphNode *)node)->graph == graph;
}

static bool named_before(const hipGraphNode_t *nodes, size_t place) {
  size_t i = 0;
  while (i < place && nodes[i] != nodes[place])
    i++;
  return i < place;
}

hipError_t graph_add_node(Graph *graph, const hipGraphNode_t *dependencies, size_t count, Step step,
                          GraphNode **added) {
  hipError_t error = handle_live(HANDLE_GRAPH, graph) && (dependencies || !count)
                         ? hipSuccess
                         : hipErrorInvalidValue;
  for (size_t i = 0; error == hipSuccess && i < count; i++)
    error = node_in(graph, dependencies[i]) && !named_before(dependencies, i)
                ? hipSuccess
                : hipErrorInvalidValue;
  GraphNode *node = error == hipSuccess ? calloc(1, sizeof *node) : NULL;
  if (!node || !handle_add(HANDLE_GRAPH_NODE, node)) {
    free(node);
    free_step(&step);
    return error == hipSuccess ? hipErrorOutOfMemory : error;
  }
  static uint64_t nodes;
  node->number = ++nodes; // addresses come back once nodes are destroyed
  node->graph = graph;
  node->step = step;
  for (size_t i = 0; i < count; i++)
    if (!node_list_add(&node->before, (GraphNode *)dependencies[i]))
      error = hipErrorOutOfMemory;
  *(graph->last ? &graph->last->next : &graph->first) = node;
  graph->last = node;
  graph->node_count++;
  *added = node;
  return error;
}

static hipError_t destroy_node(hipGraphNode_t handle) {
  if (!handle_live(HANDLE_GRAPH_NODE, handle))
    return hipErrorInvalidValue;
  GraphNode *node = (GraphNode *)handle, *previous = NULL;
  Graph *graph = node->graph;
  if (step_is_memory(&node->step)) {
    runtime_say("a node that allocates or frees memory stays in its graph; destroy the graph.");
    return hipErrorNotSupported;
  }
  for (GraphNode *other = graph->first; other; other = other->next) {
    node_list_remove(&other->before, node);
    if (other->next == node)
      previous = other;
  }
  *(previous ? &previous->next : &graph->first) = node->next;
  if (graph->last == node)
    graph->last = previous;
  graph->node_count--;
  free_node(node);
  return hipSuccess;
}

hipError_t hipGraphDestroyNode(hipGraphNode_t node) { SERVE(destroy_node(node)); }

static hipError_t node_type(hipGraphNode_t node, hipGraphNodeType *type) {
  if (!type || !handle_live(HANDLE_GRAPH_NODE, node))
    return hipErrorInvalidValue;
  *type = (hipGraphNodeType)program_node_type(((GraphNode *)node)->step.type);
  return hipSuccess;
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type) {
  SERVE(node_type(node, type));
}

// ---- clones ----

static GraphNode *clone_of(const Graph *clone, const GraphNode *original) {
  GraphNode *node = clone->first;
  while (node && node->original != original->number)
    node = node->next;
  return node;
}

static bool clone_step(Step *to, const Step *from) {
  if (!step_copy(to, from))
    return false;
  if (from->type != hipGraphNodeTypeGraph)
    return true;
  to->child = graph_clone(from->child);
  if (to->child)
    to->child->embedded = true;
  return to->child;
}

static bool clone_nodes(Graph *clone, const Graph *graph) {
  for (const GraphNode *node = graph->first; node; node = node->next) {
    GraphNode *added;
    Step step;
    if (!clone_step(&step, &node->step) ||
        graph_add_node(clone, NULL, 0, step, &added) != hipSuccess)
      return false;
    added->original = node->number;
  }
  GraphNode *copy = clone->first;
  for (const GraphNode *node = graph->first; node; node = node->next, copy = copy->next)
    for (size_t i = 0; i < node->before.count; i++)
      if (!node_list_add(&copy->before, clone_of(clone, node->before.node[i])))
        return false;
  return true;
}

Graph *graph_clone(const Graph *graph) {
  Graph *clone = new_graph();
  if (clone && clone_nodes(clone, graph) && user_objects_copy(&clone->objects, &graph->objects))
    return clone;
  if (clone)
    graph_destroy(clone);
  return NULL;
}

bool graph_has_memory(const Graph *graph) {
  for (const GraphNode *node = graph->first; node; node = node->next)
    if (step_is_memory(&node->step)) {
      runtime_say("a graph that allocates or frees memory is neither cloned nor part of another.");
      return true;
    }
  return false;
}

static hipError_t clone(hipGraph_t *target, hipGraph_t graph) {
  if (!target || !handle_live(HANDLE_GRAPH, graph))
    return hipErrorInvalidValue;
  if (graph_has_memory((const Graph *)graph))
    return hipErrorNotSupported;
  *target = (hipGraph_t)graph_clone((const Graph *)graph);
  return *target ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t hipGraphClone(hipGraph_t *target, hipGraph_t graph) { SERVE(clone(target, graph)); }

static hipError_t find_in_clone(hipGraphNode_t *node, hipGraphNode_t original, hipGraph_t graph) {
  if (!node || !handle_live(HANDLE_GRAPH_NODE, original) || !handle_live(HANDLE_GRAPH, graph))
    return hipErrorInvalidValue;
  *node = (hipGraphNode_t)clone_of((const Graph *)graph, (const GraphNode *)original);
  return *node ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t *node, hipGraphNode_t original,
                                   hipGraph_t graph) {
  SERVE(find_in_clone(node, original, graph));
}

// ---- dependencies ----

typedef bool ChangeDependency(NodeList *before, GraphNode *node);

static bool add(NodeList *before, GraphNode *node) {
  return !node_list_has(before, node) && node_list_add(before, node);
}
static bool take_away(NodeList *before, GraphNode *node) { return node_list_remove(before, node); }
static bool is_there(NodeList *before, GraphNode *node) { return node_list_has(before, node); }

static hipError_t change_dependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                      const hipGraphNode_t *to, size_t count,
                                      ChangeDependency *change, hipError_t failed) {
  if (!handle_live(HANDLE_GRAPH, graph) || (count && (!from || !to)))
    return hipErrorInvalidValue;
  for (size_t i = 0; i < count; i++) {
    if (!node_in((Graph *)graph, from[i]) || !node_in((Graph *)graph, to[i]) || from[i] == to[i])
      return hipErrorInvalidValue;
    if (!change(&((GraphNode *)to[i])->before, (GraphNode *)from[i]))
      return failed;
  }
  return hipSuccess;
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                   const hipGraphNode_t *to, size_t count) {
  SERVE(change_dependencies(graph, from, to, count, add, hipErrorInvalidValue));
}

static hipError_t remove_dependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                      const hipGraphNode_t *to, size_t count) {
  hipError_t error = change_dependencies(graph, from, to, count, is_there, hipErrorInvalidValue);
  return error == hipSuccess
             ? change_dependencies(graph, from, to, count, take_away, hipErrorInvalidValue)
             : error;
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from,
                                      const hipGraphNode_t *to, size_t count) {
  SERVE(remove_dependencies(graph, from, to, count));
}

// ---- lists ----

// Where the program wants nodes, with room for `room`: the first of `found`, and NULL behind the
// last.
typedef struct {
  hipGraphNode_t *nodes;
  size_t room, found;
} Asked;

static void give(Asked *asked, const GraphNode *node) {
  if (asked->nodes && asked->found < asked->room)
    asked->nodes[asked->found] = (hipGraphNode_t)node;
  asked->found++;
}

// *count becomes how many there are, or stays where there was no room for all.
static hipError_t end_list(Asked *asked, size_t *count) {
  for (size_t i = asked->found; asked->nodes && i < asked->room; i++)
    asked->nodes[i] = NULL;
  if (!asked->nodes || asked->found < asked->room)
    *count = asked->found;
  return hipSuccess;
}

static hipError_t list_nodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count,
                             bool roots_only) {
  if (!handle_live(HANDLE_GRAPH, graph) || !count)
    return hipErrorInvalidValue;
  Asked asked = {nodes, *count, 0};
  for (GraphNode *node = ((Graph *)graph)->first; node; node = node->next)
    if (!roots_only || !node->before.count)
      give(&asked, node);
  return end_list(&asked, count);
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
  SERVE(list_nodes(graph, nodes, count, false));
}
hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
  SERVE(list_nodes(graph, nodes, count, true));
}

static hipError_t list_before(hipGraphNode_t handle, hipGraphNode_t *nodes, size_t *count) {
  if (!handle_live(HANDLE_GRAPH_NODE, handle) || !count)
    return hipErrorInvalidValue;
  const GraphNode *node = (const GraphNode *)handle;
  Asked asked = {nodes, *count, 0};
  for (size_t i = 0; i < node->before.count; i++)
    give(&asked, node->before.node[i]);
  return end_list(&asked, count);
}

static hipError_t list_behind(hipGraphNode_t handle, hipGraphNode_t *nodes, size_t *count) {
  if (!handle_live(HANDLE_GRAPH_NODE, handle) || !count)
    return hipErrorInvalidValue;
  Asked asked = {nodes, *count, 0};
  for (const GraphNode *node = ((GraphNode *)handle)->graph->first; node; node = node->next)
    if (node_list_has(&node->before, (const GraphNode *)handle))
      give(&asked, node);
  return end_list(&asked, count);
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *nodes, size_t *count) {
  SERVE(list_before(node, nodes, count));
}
hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *nodes,
                                         size_t *count) {
  SERVE(list_behind(node, nodes, count));
}

static hipError_t list_edges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to,
                             size_t *count) {
  if (!handle_live(HANDLE_GRAPH, graph) || !count || !from != !to)
    return hipErrorInvalidValue;
  Asked ends[] = {{from, *count, 0}, {to, *count, 0}};
  for (const GraphNode *node = ((Graph *)graph)->first; node; node = node->next)
    for (size_t i = 0; i < node->before.count; i++) {
      give(&ends[0], node->before.node[i]);
      give(&ends[1], node);
    }
  end_list(&ends[0], &(size_t){0});
  return end_list(&ends[1], count);
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to,
                            size_t *count) {
  SERVE(list_edges(graph, from, to, count));
}

// ---- data of the program that a graph keeps alive ----

EXPORT hipError_t hipGraphRetainUserObject(hipGraph_t graph, UserObject *object, unsigned count,
                                           unsigned flags);
EXPORT hipError_t hipGraphReleaseUserObject(hipGraph_t graph, UserObject *object, unsigned count);

static hipError_t retain(hipGraph_t graph, UserObject *object, unsigned count, unsigned flags) {
  enum { MOVE = 1 }; // the caller's references become the graph's
  if (flags > MOVE || !count || !handle_live(HANDLE_GRAPH, graph) ||
      !handle_live(HANDLE_USER_OBJECT, object))
    return hipErrorInvalidValue;
  if (!user_objects_add(&((Graph *)graph)->objects, object, count))
    return hipErrorOutOfMemory;
  return flags == MOVE ? hipSuccess : user_object_retain(object, count);
}

static hipError_t release(hipGraph_t graph, const UserObject *object, unsigned count) {
  if (!count || !object || !handle_live(HANDLE_GRAPH, graph))
    return hipErrorInvalidValue;
  user_objects_drop(&((Graph *)graph)->objects, object, count);
  return hipSuccess;
}

hipError_t hipGraphRetainUserObject(hipGraph_t graph, UserObject *object, unsigned count,
                                    unsigned flags) {
  SERVE(retain(graph, object, count, flags));
}
hipError_t hipGraphReleaseUserObject(hipGraph_t graph, UserObject *object, unsigned count) {
  SERVE(release(graph, object, count));
}
