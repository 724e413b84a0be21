// Kernel metadata: what the compiler wrote down about each kernel.
#ifndef EMULATOR_CODE_OBJECT_METADATA_H
#define EMULATOR_CODE_OBJECT_METADATA_H

#include "code_object.h"
#include "code_object_error.h"

// Adds the kernels of one note to object->kernels, with all that the metadata says of them.
bool metadata_read(const char *bytes, size_t size, CodeObject *object, LoadError *error);

#endif
