// Lists of graph nodes: what a node depends on, what a stream recorded last.
//
// In: nodes. Out: each of them once, in the order in which they came. The list owns its array, not
// the nodes.
#ifndef EMULATOR_NODE_LIST_H
#define EMULATOR_NODE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct GraphNode;
typedef struct {
  struct GraphNode **node;
  size_t count;
} NodeList;

bool node_list_has(const NodeList *list, const struct GraphNode *node);
bool node_list_add(NodeList *list, struct GraphNode *node); // false if the host has no memory
bool node_list_add_all(NodeList *list, const NodeList *other);
bool node_list_remove(NodeList *list, const struct GraphNode *node); // false if it was not there
void node_list_clear(NodeList *list);

#endif
