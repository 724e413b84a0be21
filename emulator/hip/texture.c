// Textures and surfaces: see texture.h. Codes: hipamd hip_texture.cpp, hip_surface.cpp.
#define _GNU_SOURCE
#include "texture.h"

#include "device_memory.h"
#include "handle.h"
#include "queue.h"
#include "runtime.h"
#include "texture_image.h"

#include <string.h>

struct __hip_texture {
  uint32_t image[IMAGE_WORDS], sampler[SAMPLER_WORDS];
  hipResourceDesc resource;
  hipTextureDesc texture;
  struct hipResourceViewDesc view; // all zeros: none
};

static bool zeros(const float color[CHANNELS]) {
  return color[0] == 0 && color[1] == 0 && color[2] == 0 && color[3] == 0;
}

// Says what is asked for and not served. Coordinates that count texels are never wrapped or mirrored: as in
// CUDA the edge is repeated.
static hipError_t sampler_of(const hipTextureDesc *texture, const Image *image, Sampler *sampler) {
  static const Clamp clamp[] = {[hipAddressModeWrap] = CLAMP_WRAP,
                                [hipAddressModeClamp] = CLAMP_EDGE,
                                [hipAddressModeMirror] = CLAMP_MIRROR,
                                [hipAddressModeBorder] = CLAMP_BORDER};
  const bool integers = image->number == NUMBER_UINT || image->number == NUMBER_SINT;
  *sampler = (Sampler){.unnormalized = !texture->normalizedCoords,
                       .linear = texture->filterMode == hipFilterModeLinear};
  memcpy(sampler->border, texture->borderColor, sizeof sampler->border);
  if (image->levels > 1) {
    sampler->level_filter =
        texture->mipmapFilterMode == hipFilterModeLinear ? LEVEL_LINEAR : LEVEL_NEAREST;
    sampler->bias = texture->mipmapLevelBias;
    sampler->least = texture->minMipmapLevelClamp;
    sampler->most = texture->maxMipmapLevelClamp;
  }
  bool has_border = false;
  for (int i = 0; i < 3; i++) {
    if ((unsigned)texture->addressMode[i] > hipAddressModeBorder)
      return hipErrorInvalidValue;
    sampler->clamp[i] = (uint8_t)clamp[texture->addressMode[i]];
    if (sampler->unnormalized && sampler->clamp[i] != CLAMP_BORDER)
      sampler->clamp[i] = CLAMP_EDGE;
    has_border = has_border || sampler->clamp[i] == CLAMP_BORDER;
  }
  if (image->levels > 1 && sampler->unnormalized) {
    runtime_say("a mipmapped array is sampled with normalized coordinates: set normalizedCoords.");
    return hipErrorInvalidValue;
  }
  if ((sampler->linear || sampler->level_filter == LEVEL_LINEAR) && integers &&
      image->kind != IMAGE_BUFFER) {
    runtime_say(
        "integers cannot be filtered: ask for hipReadModeNormalizedFloat (8 and 16 bits) or "
        "hipFilterModePoint.");
    return hipErrorInvalidValue;
  }
  if (has_border && integers && !zeros(texture->borderColor)) {
    runtime_say("a border has a colour of floating point; of a texture that is read as integers it "
                "is zeros.");
    return hipErrorNotSupported;
  }
  if (!has_border)
    memset(sampler->border, 0, sizeof sampler->border);
  sampler->unnormalized = sampler->unnormalized && image->kind != IMAGE_CUBE; // it takes directions
  return hipSuccess;
}

static hipError_t make(hipTextureObject_t *object, const hipResourceDesc *resource,
                       const hipTextureDesc *texture, const struct hipResourceViewDesc *view,
                       HandleKind kind) {
  Image image;
  Sampler sampler;
  struct __hip_texture made = {.resource = *resource, .texture = *texture};
  void *memory;
  hipError_t error = texture_image(resource, view, texture, &image);
  if (view)
    made.view = *view;
  if (error == hipSuccess)
    error = sampler_of(texture, &image, &sampler);
  if (error != hipSuccess)
    return error;
  if (!sampler_to_words(&sampler, made.sampler)) {
    runtime_say("this is one colour of a border too many: the device has room for 4095.");
    return hipErrorNotSupported;
  }
  if (!image_to_words(&image, made.image)) {
    runtime_say("no image has %u x %u x %u elements: at most 16384 x 16384 x 8192.", image.width,
                image.height, image.depth);
    return hipErrorInvalidValue;
  }
  if (device_memory_allocate(sizeof made, MEMORY_RUNTIME, 0, &memory) != MEMORY_OK ||
      !handle_add(kind, memory))
    return hipErrorOutOfMemory;
  device_memory_set_name(memory, kind == HANDLE_TEXTURE ? "texture object" : "surface object");
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
                          const hipTextureDesc *texture, const struct hipResourceViewDesc *view) {
  if (!object || !resource || !texture)
    return hipErrorInvalidValue;
  return make(object, resource, texture, view, HANDLE_TEXTURE);
}

hipError_t texture_destroy(hipTextureObject_t object) { return destroy(object, HANDLE_TEXTURE); }

// ---- calls ----

hipError_t hipCreateTextureObject(hipTextureObject_t *object, const hipResourceDesc *resource,
                                  const hipTextureDesc *texture,
                                  const struct hipResourceViewDesc *view) {
  SERVE(texture_create(object, resource, texture, view));
}
hipError_t hipDestroyTextureObject(hipTextureObject_t object) {
  SERVE_RELEASE(object, texture_destroy(object));
}

hipError_t texture_resource(hipResourceDesc *resource, hipTextureObject_t object) {
  if (!resource || !handle_live(HANDLE_TEXTURE, object))
    return hipErrorInvalidValue;
  *resource = object->resource;
  return hipSuccess;
}

hipError_t texture_description(hipTextureDesc *texture, hipTextureObject_t object) {
  if (!texture || !handle_live(HANDLE_TEXTURE, object))
    return hipErrorInvalidValue;
  *texture = object->texture;
  return hipSuccess;
}

hipError_t texture_view(struct hipResourceViewDesc *view, hipTextureObject_t object) {
  if (!view || !handle_live(HANDLE_TEXTURE, object))
    return hipErrorInvalidValue;
  *view = object->view;
  return hipSuccess;
}

hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc *resource, hipTextureObject_t object) {
  SERVE(texture_resource(resource, object));
}
hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc *texture, hipTextureObject_t object) {
  SERVE(texture_description(texture, object));
}
hipError_t hipGetTextureObjectResourceViewDesc(struct hipResourceViewDesc *view,
                                               hipTextureObject_t object) {
  SERVE(texture_view(view, object));
}

// Functions of C++ in the header of ROCm 5.2, and of C later. An element is read and written as it is.
EXPORT hipError_t hipCreateSurfaceObject(hipSurfaceObject_t *object,
                                         const hipResourceDesc *resource);
EXPORT hipError_t hipDestroySurfaceObject(hipSurfaceObject_t object);
CXX_NAME(hipCreateSurfaceObject, "_Z22hipCreateSurfaceObjectPP13__hip_surfacePK15hipResourceDesc");
CXX_NAME(hipDestroySurfaceObject, "_Z23hipDestroySurfaceObjectP13__hip_surface");

static hipError_t surface_of(hipSurfaceObject_t *object, const hipResourceDesc *resource) {
  const hipTextureDesc as_it_is = {.readMode = hipReadModeElementType};
  if (!object || !resource || resource->resType != hipResourceTypeArray)
    return hipErrorInvalidValue;
  return make((hipTextureObject_t *)object, resource, &as_it_is, NULL, HANDLE_SURFACE);
}

hipError_t hipCreateSurfaceObject(hipSurfaceObject_t *object, const hipResourceDesc *resource) {
  SERVE(surface_of(object, resource));
}
hipError_t hipDestroySurfaceObject(hipSurfaceObject_t object) {
  SERVE_RELEASE(object, destroy(object, HANDLE_SURFACE));
}
