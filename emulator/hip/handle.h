// Handles that the program holds: which streams, events, modules and graphs exist.
//
// In: the address of each object as it is made and destroyed. Out: whether an address that a
// program hands in is one of them. It is looked up before it is dereferenced, so a stale handle is
// an error, not a crash.
#ifndef EMULATOR_HANDLE_H
#define EMULATOR_HANDLE_H

#include <stdbool.h>

typedef enum {
  HANDLE_STREAM,
  HANDLE_EVENT,
  HANDLE_MODULE,
  HANDLE_BROKEN_LIBRARY,
  HANDLE_GRAPH,
  HANDLE_GRAPH_NODE,
  HANDLE_GRAPH_EXEC,
  HANDLE_POOL,
  HANDLE_ARRAY,
  HANDLE_MIPMAP,
  HANDLE_TEXTURE,
  HANDLE_SURFACE,
  HANDLE_COMPILATION,
  HANDLE_LINKING,
  HANDLE_USER_OBJECT,
  HANDLE_MEMORY
} HandleKind;
bool handle_add(HandleKind kind, void *object);
bool handle_live(HandleKind kind, const void *object);
bool handle_remove(HandleKind kind, void *object); // false if it was not live
// Calls `use` for each live one. It may remove that one.
void handle_each(HandleKind kind, void (*use)(void *object));

#endif
