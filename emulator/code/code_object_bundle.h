// Offload bundles: which of the code objects that hipcc packed together is the device's.
#ifndef EMULATOR_CODE_OBJECT_BUNDLE_H
#define EMULATOR_CODE_OBJECT_BUNDLE_H

#include "code_object_error.h"

#include <stdint.h>

// Finds the ELF of the device's architecture in an offload bundle; a bare ELF is returned as it is. *elf_size may
// reach beyond the ELF's own end, never beyond bytes + size.
bool bundle_find(const uint8_t *bytes, size_t size, const uint8_t **elf, size_t *elf_size,
                 LoadError *error);

#endif
