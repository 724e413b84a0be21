// Textures and surfaces: what kernels read and write texels through.
//
// In: arrays, or memory with a format, and how to sample it. Out: objects in device memory, whose
// first words are what the instructions take (image.h).
#ifndef EMULATOR_TEXTURE_H
#define EMULATOR_TEXTURE_H

#include <hip/hip_runtime_api.h>

// Says what it refuses.
hipError_t texture_create(hipTextureObject_t *object, const hipResourceDesc *resource,
                          const hipTextureDesc *texture);
hipError_t texture_destroy(hipTextureObject_t object);

#endif
