// Texture objects in the driver's words: HIP_RESOURCE_DESC and its like for those of texture.h.
//
// In: HIP calls. Out: texture objects, and what they were made of. The driver's words say flags instead
// of modes, and format and channels instead of a hipChannelFormatDesc.
#define _GNU_SOURCE
#include "array.h"
#include "queue.h"
#include "runtime.h"
#include "texture.h"

#include <string.h>

_Static_assert(sizeof(HIP_RESOURCE_VIEW_DESC) >= sizeof(struct hipResourceViewDesc),
               "the driver's view begins with the runtime's");

// A format that no texture has stays empty, which texture_create refuses.
static hipError_t resource_from(const HIP_RESOURCE_DESC *driver, hipResourceDesc *resource) {
  *resource = (hipResourceDesc){.resType = (enum hipResourceType)driver->resType};
  switch (driver->resType) {
  case HIP_RESOURCE_TYPE_ARRAY:
    resource->res.array.array = driver->res.array.hArray;
    return hipSuccess;
  case HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    resource->res.mipmap.mipmap = driver->res.mipmap.hMipmappedArray;
    return hipSuccess;
  case HIP_RESOURCE_TYPE_LINEAR:
    resource->res.linear.devPtr = driver->res.linear.devPtr;
    resource->res.linear.sizeInBytes = driver->res.linear.sizeInBytes;
    array_format(driver->res.linear.format, driver->res.linear.numChannels,
                 &resource->res.linear.desc);
    return hipSuccess;
  case HIP_RESOURCE_TYPE_PITCH2D:
    resource->res.pitch2D.devPtr = driver->res.pitch2D.devPtr;
    resource->res.pitch2D.width = driver->res.pitch2D.width;
    resource->res.pitch2D.height = driver->res.pitch2D.height;
    resource->res.pitch2D.pitchInBytes = driver->res.pitch2D.pitchInBytes;
    array_format(driver->res.pitch2D.format, driver->res.pitch2D.numChannels,
                 &resource->res.pitch2D.desc);
    return hipSuccess;
  default:
    return hipErrorInvalidValue;
  }
}

static HIP_RESOURCE_DESC resource_to(const hipResourceDesc *resource) {
  HIP_RESOURCE_DESC driver = {.resType = (HIPresourcetype)resource->resType};
  hipArray element = {0};
  switch (resource->resType) {
  case hipResourceTypeArray:
    driver.res.array.hArray = resource->res.array.array;
    break;
  case hipResourceTypeMipmappedArray:
    driver.res.mipmap.hMipmappedArray = resource->res.mipmap.mipmap;
    break;
  case hipResourceTypeLinear:
    array_element(&resource->res.linear.desc, &element);
    driver.res.linear.devPtr = resource->res.linear.devPtr;
    driver.res.linear.sizeInBytes = resource->res.linear.sizeInBytes;
    driver.res.linear.format = element.Format;
    driver.res.linear.numChannels = element.NumChannels;
    break;
  case hipResourceTypePitch2D:
    array_element(&resource->res.pitch2D.desc, &element);
    driver.res.pitch2D.devPtr = resource->res.pitch2D.devPtr;
    driver.res.pitch2D.width = resource->res.pitch2D.width;
    driver.res.pitch2D.height = resource->res.pitch2D.height;
    driver.res.pitch2D.pitchInBytes = resource->res.pitch2D.pitchInBytes;
    driver.res.pitch2D.format = element.Format;
    driver.res.pitch2D.numChannels = element.NumChannels;
  }
  return driver;
}

static hipTextureDesc texture_from(const HIP_TEXTURE_DESC *driver) {
  hipTextureDesc texture = {
      .filterMode = (enum hipTextureFilterMode)driver->filterMode,
      .readMode = driver->flags & HIP_TRSF_READ_AS_INTEGER ? hipReadModeElementType
                                                           : hipReadModeNormalizedFloat,
      .sRGB = (driver->flags & HIP_TRSF_SRGB) != 0,
      .normalizedCoords = (driver->flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0,
      .maxAnisotropy = driver->maxAnisotropy,
      .mipmapFilterMode = (enum hipTextureFilterMode)driver->mipmapFilterMode,
      .mipmapLevelBias = driver->mipmapLevelBias,
      .minMipmapLevelClamp = driver->minMipmapLevelClamp,
      .maxMipmapLevelClamp = driver->maxMipmapLevelClamp};
  for (int i = 0; i < 3; i++)
    texture.addressMode[i] = (enum hipTextureAddressMode)driver->addressMode[i];
  memcpy(texture.borderColor, driver->borderColor, sizeof texture.borderColor);
  return texture;
}

static HIP_TEXTURE_DESC texture_to(const hipTextureDesc *texture) {
  HIP_TEXTURE_DESC driver = {
      .filterMode = (HIPfilter_mode)texture->filterMode,
      .flags = (texture->readMode == hipReadModeElementType ? HIP_TRSF_READ_AS_INTEGER : 0u) |
               (texture->normalizedCoords ? HIP_TRSF_NORMALIZED_COORDINATES : 0u) |
               (texture->sRGB ? HIP_TRSF_SRGB : 0u),
      .maxAnisotropy = texture->maxAnisotropy,
      .mipmapFilterMode = (HIPfilter_mode)texture->mipmapFilterMode,
      .mipmapLevelBias = texture->mipmapLevelBias,
      .minMipmapLevelClamp = texture->minMipmapLevelClamp,
      .maxMipmapLevelClamp = texture->maxMipmapLevelClamp};
  for (int i = 0; i < 3; i++)
    driver.addressMode[i] = (HIPaddress_mode)texture->addressMode[i];
  memcpy(driver.borderColor, texture->borderColor, sizeof driver.borderColor);
  return driver;
}

static hipError_t create(hipTextureObject_t *object, const HIP_RESOURCE_DESC *driver_resource,
                         const HIP_TEXTURE_DESC *driver_texture,
                         const HIP_RESOURCE_VIEW_DESC *view) {
  hipResourceDesc resource;
  if (!object || !driver_resource || !driver_texture)
    return hipErrorInvalidValue;
  const hipTextureDesc texture = texture_from(driver_texture);
  hipError_t error = resource_from(driver_resource, &resource);
  return error == hipSuccess
             ? texture_create(object, &resource, &texture, (const struct hipResourceViewDesc *)view)
             : error;
}

hipError_t hipTexObjectCreate(hipTextureObject_t *object, const HIP_RESOURCE_DESC *resource,
                              const HIP_TEXTURE_DESC *texture, const HIP_RESOURCE_VIEW_DESC *view) {
  SERVE(create(object, resource, texture, view));
}
hipError_t hipTexObjectDestroy(hipTextureObject_t object) {
  SERVE_RELEASE(object, texture_destroy(object));
}

static hipError_t give_resource(HIP_RESOURCE_DESC *target, hipTextureObject_t object) {
  hipResourceDesc resource;
  hipError_t error = target ? texture_resource(&resource, object) : hipErrorInvalidValue;
  if (error == hipSuccess)
    *target = resource_to(&resource);
  return error;
}

static hipError_t give_texture(HIP_TEXTURE_DESC *target, hipTextureObject_t object) {
  hipTextureDesc texture;
  hipError_t error = target ? texture_description(&texture, object) : hipErrorInvalidValue;
  if (error == hipSuccess)
    *target = texture_to(&texture);
  return error;
}

hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC *resource, hipTextureObject_t object) {
  SERVE(give_resource(resource, object));
}
hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC *texture, hipTextureObject_t object) {
  SERVE(give_texture(texture, object));
}
hipError_t hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC *view,
                                           hipTextureObject_t object) {
  SERVE(texture_view((struct hipResourceViewDesc *)view, object));
}
