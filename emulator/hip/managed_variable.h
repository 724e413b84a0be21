// __managed__ variables of a module: memory that host and device share.
//
// In: a loaded code object. It holds a pointer of the variable's name, and the variable's first
// bytes as NAME.managed. Out: the memory, and the pointer set to it. Source: clang, CGCUDANV.cpp
// (transformManagedVars); hipamd hip_code_object.cpp, DynCO::initDynManagedVars.
#ifndef EMULATOR_MANAGED_VARIABLE_H
#define EMULATOR_MANAGED_VARIABLE_H

#include "code_object.h"

#include <hip/hip_runtime_api.h>

// hipErrorOutOfMemory after a sentence; nothing is held then.
hipError_t managed_variables_open(CodeObject *object);
// Gives the memory back.
void managed_variables_close(const CodeObject *object);

// Address and size, in bytes, of the memory of that variable; false if it is no managed one.
bool managed_variable(const CodeObject *object, const char *name, void **memory, size_t *size);

#endif
