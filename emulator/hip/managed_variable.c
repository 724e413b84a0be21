// __managed__ variables of a module: see managed_variable.h.
#define _GNU_SOURCE
#include "managed_variable.h"

#include "device_memory.h"
#include "runtime.h"

#include <string.h>

static const char SUFFIX[] = ".managed";

// The pointer to the memory of a variable whose first bytes these are; NULL if they are none.
static void **pointer_to(const CodeObject *object, const DeviceVariable *initial) {
  const size_t length = strlen(initial->symbol), end = sizeof SUFFIX - 1;
  if (length <= end || strcmp(initial->symbol + length - end, SUFFIX) != 0)
    return NULL;
  for (size_t i = 0; i < object->variable_count; i++) {
    const DeviceVariable *v = &object->variables[i];
    if (v->size == sizeof(void *) && strlen(v->symbol) == length - end &&
        memcmp(v->symbol, initial->symbol, length - end) == 0)
      return (void **)v->address;
  }
  return NULL;
}

hipError_t managed_variables_open(CodeObject *object) {
  for (size_t i = 0; i < object->variable_count; i++) {
    const DeviceVariable *initial = &object->variables[i];
    void **pointer = initial->size ? pointer_to(object, initial) : NULL;
    void *memory;
    if (!pointer)
      continue;
    if (device_memory_allocate(initial->size, MEMORY_MANAGED, hipMemAttachGlobal, &memory) !=
        MEMORY_OK) {
      runtime_say("no memory for the %zu bytes of %s.", (size_t)initial->size, initial->symbol);
      managed_variables_close(object);
      return hipErrorOutOfMemory;
    }
    memcpy(memory, (const void *)initial->address, initial->size);
    *pointer = memory;
    object->has_managed_variable = true;
  }
  return hipSuccess;
}

void managed_variables_close(const CodeObject *object) {
  for (size_t i = 0; i < object->variable_count; i++) {
    void **pointer = pointer_to(object, &object->variables[i]);
    if (pointer && *pointer)
      device_memory_free(*pointer, MEMORY_MANAGED);
  }
}

bool managed_variable(const CodeObject *object, const char *name, void **memory, size_t *size) {
  const size_t length = strlen(name);
  for (size_t i = 0; i < object->variable_count; i++) {
    const DeviceVariable *initial = &object->variables[i];
    void **pointer = pointer_to(object, initial);
    if (!pointer || !*pointer || strncmp(initial->symbol, name, length) != 0 ||
        strcmp(initial->symbol + length, SUFFIX) != 0)
      continue;
    *memory = *pointer;
    *size = initial->size;
    return true;
  }
  return false;
}
