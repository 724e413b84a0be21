// Look-ups by symbol: see code_object.h.
#include "code_object.h"

#include <string.h>

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
