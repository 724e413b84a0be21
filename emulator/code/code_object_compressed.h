// Compressed offload bundles: what hipcc --offload-compress makes of a bundle.
#ifndef EMULATOR_CODE_OBJECT_COMPRESSED_H
#define EMULATOR_CODE_OBJECT_COMPRESSED_H

#include "code_object_error.h"

#include <stdint.h>

bool bundle_is_compressed(const uint8_t *bytes, size_t size);

// Unpacks it; the caller frees *bundle.
bool bundle_unpack(const uint8_t *bytes, size_t size, uint8_t **bundle, size_t *bundle_size,
                   LoadError *error);

#endif
