// Look-ups by symbol and by address: see code_object.h.
#include "code_object.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CodeObject *loaded;

void code_object_enter(CodeObject *object) {
  pthread_mutex_lock(&lock);
  object->next = loaded;
  loaded = object;
  pthread_mutex_unlock(&lock);
}

void code_object_leave(CodeObject *object) {
  pthread_mutex_lock(&lock);
  for (CodeObject **link = &loaded; *link; link = &(*link)->next)
    if (*link == object) {
      *link = object->next;
      break;
    }
  pthread_mutex_unlock(&lock);
}

CodeObject *code_object_at(uint64_t address) {
  pthread_mutex_lock(&lock);
  CodeObject *object = loaded;
  while (object && address - object->text_address >= object->text_size)
    object = object->next;
  pthread_mutex_unlock(&lock);
  return object;
}

const Kernel *code_object_kernel(const CodeObject *object, const char *symbol) {
  for (size_t i = 0; i < object->kernel_count; i++)
    if (!strcmp(object->kernels[i].symbol, symbol))
      return &object->kernels[i];
  return NULL;
}

const DeviceVariable *code_object_variable(const CodeObject *object, const char *symbol) {
  for (size_t i = 0; i < object->variable_count; i++)
    if (!strcmp(object->variables[i].symbol, symbol))
      return &object->variables[i];
  return NULL;
}
