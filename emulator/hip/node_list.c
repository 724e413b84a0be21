// Lists of graph nodes: see node_list.h.
#include "node_list.h"

#include <stdlib.h>
#include <string.h>

static size_t place_of(const NodeList *list, const struct GraphNode *node) {
  size_t i = 0;
  while (i < list->count && list->node[i] != node)
    i++;
  return i;
}

bool node_list_has(const NodeList *list, const struct GraphNode *node) {
  return place_of(list, node) < list->count;
}

bool node_list_add(NodeList *list, struct GraphNode *node) {
  if (node_list_has(list, node))
    return true;
  struct GraphNode **grown = realloc(list->node, (list->count + 1) * sizeof *grown);
  if (!grown)
    return false;
  list->node = grown;
  grown[list->count++] = node;
  return true;
}

bool node_list_add_all(NodeList *list, const NodeList *other) {
  for (size_t i = 0; i < other->count; i++)
    if (!node_list_add(list, other->node[i]))
      return false;
  return true;
}

bool node_list_remove(NodeList *list, const struct GraphNode *node) {
  const size_t place = place_of(list, node);
  if (place == list->count)
    return false;
  list->count--;
  memmove(list->node + place, list->node + place + 1, (list->count - place) * sizeof *list->node);
  return true;
}

void node_list_clear(NodeList *list) {
  free(list->node);
  *list = (NodeList){NULL, 0};
}
