// Textures and surfaces: see texture.h. Codes: hipamd hip_texture.cpp, hip_surface.cpp.
#define _GNU_SOURCE
#include "texture.h"

#include "array.h"
#include "device_memory.h"
#include "handle.h"
#include "image.h"
#include "queue.h"
#include "runtime.h"

#include <string.h>

struct __hip_texture {
  uint32_t image[IMAGE_WORDS], sampler[SAMPLER_WORDS];
  hipResourceDesc resource;
  hipTextureDesc texture;
};

enum { ALIGNMENT = 256 }; // textureAlignment, texturePitchAlignment

static NumberFormat number_of(const hipChannelFormatDesc *d, enum hipTextureReadMode mode) {
  if (d->f == hipChannelFormatKindFloat)
    return NUMBER_FLOAT;
  const bool fractions =
      mode == hipReadModeNormalizedFloat && d->x < 32; // of 32 bits it stays as it is
  return d->f == hipChannelFormatKindSigned ? (fractions ? NUMBER_SNORM : NUMBER_SINT)
                                            : (fractions ? NUMBER_UNORM : NUMBER_UINT);
}

// Format and selection; extent and place are added. Missing channels read 0, the fourth 1.
static bool format_of(const hipChannelFormatDesc *d, enum hipTextureReadMode mode, Image *image) {
  hipArray element;
  if (!array_element(d, &element))
    return false;
  *image = (Image){.number = (uint8_t)number_of(d, mode),
                   .channels = (uint8_t)element.NumChannels,
                   .bits = (uint8_t)d->x,
                   .width = 1,
                   .height = 1,
                   .depth = 1,
                   .pitch = 1,
                   .select = {4, 0, 0, 1}};
  for (int i = 0; i < image->channels; i++)
    image->select[i] = (uint8_t)(4 + i);
  return true;
}

static hipError_t image_of_array(hipArray_const_t array, enum hipTextureReadMode mode,
                                 Image *image) {
  static const uint8_t kind[] = {[hipTextureType1D] = IMAGE_1D,
                                 [hipTextureType2D] = IMAGE_2D,
                                 [hipTextureType3D] = IMAGE_3D,
                                 [hipTextureType1DLayered] = IMAGE_1D_LAYERS,
                                 [hipTextureType2DLayered] = IMAGE_2D_LAYERS};
  ArrayPlace place;
  if (!array_place(array, &place) || !format_of(&array->desc, mode, image))
    return hipErrorInvalidValue;
  image->kind = kind[array->textureType];
  image->base = (uint64_t)place.memory.ptr;
  image->width = array->width;
  image->height = (uint32_t)place.memory.ysize;
  image->depth = (uint32_t)place.depth;
  image->pitch = (uint32_t)(place.memory.pitch / place.element_bytes);
  return hipSuccess;
}

static hipError_t image_of_memory(const void *memory, uint64_t bytes, Image *image) {
  if (!memory || (uint64_t)memory % ALIGNMENT || !device_memory_find((uint64_t)memory, bytes)) {
    runtime_say("a texture of %llu bytes cannot lie at %p: it needs device memory that begins at a "
                "multiple of %d.",
                (unsigned long long)bytes, memory, ALIGNMENT);
    return hipErrorInvalidValue;
  }
  image->base = (uint64_t)memory;
  return hipSuccess;
}

static hipError_t image_of(const hipResourceDesc *resource, enum hipTextureReadMode mode,
                           Image *image) {
  const __typeof__(resource->res.linear) *linear = &resource->res.linear;
  const __typeof__(resource->res.pitch2D) *rows = &resource->res.pitch2D;
  switch (resource->resType) {
  case hipResourceTypeArray:
    return image_of_array(resource->res.array.array, mode, image);
  case hipResourceTypeLinear:
    if (!format_of(&linear->desc, mode, image) ||
        linear->sizeInBytes / image_element_bytes(image) > UINT32_MAX)
      return hipErrorInvalidValue;
    image->kind = IMAGE_BUFFER;
    image->width = (uint32_t)(linear->sizeInBytes / image_element_bytes(image));
    return image_of_memory(linear->devPtr, linear->sizeInBytes, image);
  case hipResourceTypePitch2D:
    if (!format_of(&rows->desc, mode, image) || !rows->width || !rows->height ||
        rows->pitchInBytes % ALIGNMENT ||
        rows->width * image_element_bytes(image) > rows->pitchInBytes)
      return hipErrorInvalidValue;
    image->kind = IMAGE_2D;
    image->width = (uint32_t)rows->width;
    image->height = (uint32_t)rows->height;
    image->pitch = (uint32_t)(rows->pitchInBytes / image_element_bytes(image));
    return image_of_memory(
        rows->devPtr,
        rows->pitchInBytes * (rows->height - 1) + rows->width * image_element_bytes(image), image);
  default:
    runtime_say("the emulated device has no mipmaps; make a texture of an array for each level.");
    return hipErrorNotSupported;
  }
}

// What is asked for and not served. Coordinates that count texels are never wrapped or mirrored: as in
// CUDA the edge is repeated.
static hipError_t sampler_of(const hipTextureDesc *texture, const Image *image, Sampler *sampler) {
  static const Clamp clamp[] = {[hipAddressModeWrap] = CLAMP_WRAP,
                                [hipAddressModeClamp] = CLAMP_EDGE,
                                [hipAddressModeMirror] = CLAMP_MIRROR,
                                [hipAddressModeBorder] = CLAMP_BORDER};
  const bool integers = image->number == NUMBER_UINT || image->number == NUMBER_SINT;
  const float *border = texture->borderColor;
  *sampler = (Sampler){.unnormalized = !texture->normalizedCoords,
                       .linear = texture->filterMode == hipFilterModeLinear};
  bool has_border = false;
  for (int i = 0; i < 3; i++) {
    if ((unsigned)texture->addressMode[i] > hipAddressModeBorder)
      return hipErrorInvalidValue;
    sampler->clamp[i] = (uint8_t)clamp[texture->addressMode[i]];
    if (sampler->unnormalized && sampler->clamp[i] != CLAMP_BORDER)
      sampler->clamp[i] = CLAMP_EDGE;
    has_border = has_border || sampler->clamp[i] == CLAMP_BORDER;
  }
  if (sampler->linear && integers && image->kind != IMAGE_BUFFER) {
    runtime_say(
        "integers cannot be filtered: ask for hipReadModeNormalizedFloat (8 and 16 bits) or "
        "hipFilterModePoint.");
    return hipErrorInvalidValue;
  }
  if (texture->sRGB ||
      (has_border && (border[0] != 0 || border[1] != 0 || border[2] != 0 || border[3] != 0))) {
    runtime_say("the emulated device has no sRGB textures, and no border but zeros.");
    return hipErrorNotSupported;
  }
  return hipSuccess;
}

static hipError_t make(hipTextureObject_t *object, const hipResourceDesc *resource,
                       const hipTextureDesc *texture, HandleKind kind) {
  Image image;
  Sampler sampler;
  struct __hip_texture made = {.resource = *resource, .texture = *texture};
  void *memory;
  hipError_t error = image_of(resource, texture->readMode, &image);
  if (error == hipSuccess)
    error = sampler_of(texture, &image, &sampler);
  if (error != hipSuccess)
    return error;
  sampler_to_words(&sampler, made.sampler);
  if (!image_to_words(&image, made.image)) {
    runtime_say("no image has %u x %u x %u elements: at most 16384 x 16384 x 8192.", image.width,
                image.height, image.depth);
    return hipErrorInvalidValue;
  }
  if (device_memory_allocate(sizeof made, MEMORY_RUNTIME, 0, &memory) != MEMORY_OK ||
      !handle_add(kind, memory))
    return hipErrorOutOfMemory;
  memcpy(memory, &made, sizeof made);
  *object = memory;
  return hipSuccess;
}

static hipError_t destroy(void *object, HandleKind kind) {
  if (!object)
    return hipSuccess;
  if (!handle_remove(kind, object))
    return hipErrorInvalidValue;
  device_memory_free(object, MEMORY_RUNTIME);
  return hipSuccess;
}

hipError_t texture_create(hipTextureObject_t *object, const hipResourceDesc *resource,
                          const hipTextureDesc *texture) {
  return make(object, resource, texture, HANDLE_TEXTURE);
}

hipError_t texture_destroy(hipTextureObject_t object) { return destroy(object, HANDLE_TEXTURE); }

// ---- calls ----

static hipError_t create(hipTextureObject_t *object, const hipResourceDesc *resource,
                         const hipTextureDesc *texture, const struct hipResourceViewDesc *view) {
  if (!object || !resource || !texture)
    return hipErrorInvalidValue;
  if (view) {
    runtime_say("the emulated device has no resource views; pass NULL for the view.");
    return hipErrorNotSupported;
  }
  return texture_create(object, resource, texture);
}

hipError_t hipCreateTextureObject(hipTextureObject_t *object, const hipResourceDesc *resource,
                                  const hipTextureDesc *texture,
                                  const struct hipResourceViewDesc *view) {
  SERVE(create(object, resource, texture, view));
}
hipError_t hipDestroyTextureObject(hipTextureObject_t object) {
  SERVE_ALONE(texture_destroy(object));
}

static hipError_t resource_of(hipResourceDesc *resource, hipTextureObject_t object) {
  if (!resource || !handle_live(HANDLE_TEXTURE, object))
    return hipErrorInvalidValue;
  *resource = object->resource;
  return hipSuccess;
}

static hipError_t description_of(hipTextureDesc *texture, hipTextureObject_t object) {
  if (!texture || !handle_live(HANDLE_TEXTURE, object))
    return hipErrorInvalidValue;
  *texture = object->texture;
  return hipSuccess;
}

hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc *resource, hipTextureObject_t object) {
  SERVE(resource_of(resource, object));
}
hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc *texture, hipTextureObject_t object) {
  SERVE(description_of(texture, object));
}

// C++ names, as the header declares these two. An element is read and written as it is.
EXPORT hipError_t
create_surface(hipSurfaceObject_t *object, const hipResourceDesc *resource) __asm__(
    "_Z22hipCreateSurfaceObjectPP13__hip_surfacePK15hipResourceDesc");
EXPORT hipError_t
destroy_surface(hipSurfaceObject_t object) __asm__("_Z23hipDestroySurfaceObjectP13__hip_surface");

static hipError_t surface_of(hipSurfaceObject_t *object, const hipResourceDesc *resource) {
  const hipTextureDesc as_it_is = {.readMode = hipReadModeElementType};
  if (!object || !resource || resource->resType != hipResourceTypeArray)
    return hipErrorInvalidValue;
  return make((hipTextureObject_t *)object, resource, &as_it_is, HANDLE_SURFACE);
}

hipError_t create_surface(hipSurfaceObject_t *object, const hipResourceDesc *resource) {
  SERVE(surface_of(object, resource));
}
hipError_t destroy_surface(hipSurfaceObject_t object) {
  SERVE_ALONE(destroy(object, HANDLE_SURFACE));
}
