// Textures and surfaces: what kernels read and write texels through.
//
// In: arrays, or memory with a format, and how to sample it. Out: objects in device memory, whose
// first words are what the instructions take (image.h).
#ifndef EMULATOR_TEXTURE_H
#define EMULATOR_TEXTURE_H

#include <hip/hip_runtime_api.h>

// Says what it refuses. view: NULL for all of the resource.
hipError_t texture_create(hipTextureObject_t *object, const hipResourceDesc *resource,
                          const hipTextureDesc *texture, const struct hipResourceViewDesc *view);
hipError_t texture_destroy(hipTextureObject_t object);

// What the texture was made of.
hipError_t texture_resource(hipResourceDesc *resource, hipTextureObject_t object);
hipError_t texture_description(hipTextureDesc *texture, hipTextureObject_t object);
hipError_t texture_view(struct hipResourceViewDesc *view, hipTextureObject_t object);

#endif
