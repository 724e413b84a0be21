// Code objects: from the bytes that hipcc embedded (or a file that hipModuleLoad read) to loaded
// kernels.
//
// In: a clang offload bundle or a bare AMDGPU ELF. Out: the image for the device loaded into device memory,
// its kernels with descriptor and argument layout, its device variables, and source lines for
// addresses where the program was built with -gline-tables-only or -g.
//
//   bytes -> bundle_find -> elf_open -> elf_load, metadata_read -> Kernel and DeviceVariable
//
// Formats: clang "Clang Offload Bundler"; LLVM AMDGPUUsage.rst "Code Object" (v3 to v5), "Kernel
// Descriptor".
#ifndef EMULATOR_CODE_OBJECT_LOAD_H
#define EMULATOR_CODE_OBJECT_LOAD_H

#include "code_object.h"

// Loads the device's code out of a bundle or ELF. size 0 means unknown: then what is mapped and
// readable behind bytes is taken to be there, and the headers tell the extent. The bytes may go
// after the call.
//
// On failure returns NULL and writes to message (message_size bytes) one sentence without a
// newline: what the input holds or where it is cut off, and which flag to add. *no_binary tells
// "well-formed, but none for the device" from "corrupt".
CodeObject *code_object_load(const void *bytes, size_t size, char *message, size_t message_size,
                             bool *no_binary);

// Frees the object and its device memory; program_close comes before.
void code_object_unload(CodeObject *object);

#endif
