// Handles: see handle.h.
#define _GNU_SOURCE
#include "handle.h"

#include <search.h>
#include <stdlib.h>

typedef struct {
  const void *object;
  HandleKind kind;
} Handle;

static void *handles; // tree of Handle, ordered by address

static int compare_handles(const void *a, const void *b) {
  const Handle *x = a, *y = b;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return x->object < y->object ? -1 : x->object > y->object;
}

bool handle_add(HandleKind kind, void *object) {
  Handle *handle = malloc(sizeof *handle);
  if (!handle)
    return false;
  *handle = (Handle){object, kind};
  return tsearch(handle, &handles, compare_handles) != NULL;
}

bool handle_live(HandleKind kind, const void *object) {
  return tfind(&(Handle){object, kind}, &handles, compare_handles) != NULL;
}

bool handle_remove(HandleKind kind, void *object) {
  Handle **found = tfind(&(Handle){object, kind}, &handles, compare_handles);
  if (!found)
    return false;
  Handle *handle = *found;
  tdelete(handle, &handles, compare_handles);
  free(handle);
  return true;
}

typedef struct {
  HandleKind kind;
  size_t count;
  void **objects; // NULL: they are counted
} Handles;

static void note_handle(const void *node, VISIT visit, void *noted) {
  const Handle *handle = *(Handle *const *)node;
  Handles *list = noted;
  if ((visit != postorder && visit != leaf) || handle->kind != list->kind)
    return;
  if (list->objects)
    list->objects[list->count] = (void *)handle->object;
  list->count++;
}

void handle_each(HandleKind kind, void (*use)(void *object)) {
  Handles all = {.kind = kind};
  twalk_r(handles, note_handle, &all);
  if (!all.count || !(all.objects = malloc(all.count * sizeof *all.objects)))
    return;
  all.count = 0;
  twalk_r(handles, note_handle, &all);
  for (size_t i = 0; i < all.count; i++)
    use(all.objects[i]);
  free(all.objects);
}
