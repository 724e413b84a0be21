// Code objects that are loaded, whoever asked for it: the program's own at first use, modules.
//
// In: an image in memory. Out: the loaded object, or the error code after a sentence; whether a
// kernel handle belongs to one of them; variables by name.
#ifndef EMULATOR_LOADED_OBJECT_H
#define EMULATOR_LOADED_OBJECT_H

#include "code_object.h"

#include <hip/hip_runtime_api.h>

// size 0: the image's own headers tell. NULL on failure, with the reason said and in *error.
CodeObject *loaded_object_open(const void *image, size_t size, hipError_t *error);
void loaded_object_close(CodeObject *object);

// The kernel that this handle is, NULL if its object is not loaded (any more).
const Kernel *loaded_kernel(hipFunction_t function);

// The variable of that name in a module, NULL if the module is not loaded or has none.
const DeviceVariable *loaded_variable(hipModule_t module, const char *name);

#endif
