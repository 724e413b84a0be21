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

// Dynamic LDS of a workgroup of this kernel, bytes: the most that it can have, and what programs are told. That is the same up
// to ROCm 5; from 6 on it is what they wished for, if they did, though nothing else heeds it.
int loaded_kernel_most_lds(const Kernel *kernel);
int loaded_kernel_told_lds(const Kernel *kernel);
void loaded_kernel_wish_lds(const Kernel *kernel, int bytes);

// The variable of that name in a module, NULL if the module is not loaded or has none.
const DeviceVariable *loaded_variable(hipModule_t module, const char *name);

#endif
