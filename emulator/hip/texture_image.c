// The image that a texture or surface samples: see texture_image.h.
#define _GNU_SOURCE
#include "texture_image.h"

#include "array.h"
#include "device_memory.h"
#include "mipmap.h"
#include "runtime.h"

#include <string.h>

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
                   .levels = 1,
                   .select = {4, 0, 0, 1}};
  for (int i = 0; i < CHANNELS; i++)
    if (i < image->channels)
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

static hipError_t image_of_mipmap(hipMipmappedArray_const_t mipmap, enum hipTextureReadMode mode,
                                  Image *image) {
  hipError_t error = image_of_array(mipmap_level(mipmap, 0), mode, image);
  image->levels = (uint8_t)mipmap_levels(mipmap);
  return error;
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
  case hipResourceTypeMipmappedArray:
    return image_of_mipmap(resource->res.mipmap.mipmap, mode, image);
  default:
    return hipErrorInvalidValue;
  }
}

// ---- views ----

// Formats of views come in threes, of 1, 2 and 4 channels.
static bool format_of_view(enum hipResourceViewFormat format, hipChannelFormatDesc *d) {
  static const struct {
    int bits;
    hipChannelFormatKind kind;
  } element[] = {{8, hipChannelFormatKindUnsigned},  {8, hipChannelFormatKindSigned},
                 {16, hipChannelFormatKindUnsigned}, {16, hipChannelFormatKindSigned},
                 {32, hipChannelFormatKindUnsigned}, {32, hipChannelFormatKindSigned},
                 {16, hipChannelFormatKindFloat},    {32, hipChannelFormatKindFloat}};
  if (format < hipResViewFormatUnsignedChar1 || format > hipResViewFormatFloat4)
    return false;
  const unsigned number = (unsigned)format - hipResViewFormatUnsignedChar1;
  const int bits = element[number / 3].bits, beyond_two = number % 3 == 2 ? bits : 0;
  *d = (hipChannelFormatDesc){bits, number % 3 ? bits : 0, beyond_two, beyond_two,
                              element[number / 3].kind};
  return true;
}

// The same bits as elements of another format.
static hipError_t view_as(enum hipResourceViewFormat format, enum hipTextureReadMode mode,
                          Image *image) {
  hipChannelFormatDesc descriptor;
  Image element;
  if (format == hipResViewFormatNone)
    return hipSuccess;
  if (!format_of_view(format, &descriptor) || !format_of(&descriptor, mode, &element) ||
      image_element_bytes(&element) != image_element_bytes(image)) {
    runtime_say("a view has elements of as many bytes as what it looks at, and none of "
                "compressed blocks.");
    return hipErrorInvalidValue;
  }
  image->number = element.number;
  image->channels = element.channels;
  image->bits = element.bits;
  memcpy(image->select, element.select, sizeof image->select);
  return hipSuccess;
}

static bool same_extent(const struct hipResourceViewDesc *view, const Image *image) {
  return view->width == image->width && (view->height ? view->height : 1) == image->height &&
         (view->depth ? view->depth : 1) == image->depth;
}

// Levels first to last, and of those layers first to last.
static hipError_t view_part(const struct hipResourceViewDesc *view, Image *image) {
  const bool layered = image->kind == IMAGE_1D_LAYERS || image->kind == IMAGE_2D_LAYERS;
  if (!same_extent(view, image)) {
    runtime_say("a view has the extent of what it looks at, %u x %u x %u.", image->width,
                image->height, image->depth);
    return hipErrorInvalidValue;
  }
  if (view->firstMipmapLevel > view->lastMipmapLevel || view->firstLayer > view->lastLayer ||
      view->lastMipmapLevel >= image->levels || (layered && view->lastLayer >= image->depth))
    return hipErrorInvalidValue;
  if (layered && view->lastMipmapLevel > view->firstMipmapLevel &&
      view->lastLayer - view->firstLayer + 1 != image->depth) {
    runtime_say("a view of several levels has all their layers.");
    return hipErrorNotSupported;
  }
  *image = image_level(image, view->firstMipmapLevel);
  image->levels = (uint8_t)(view->lastMipmapLevel - view->firstMipmapLevel + 1);
  if (layered) {
    image->base = image_texel(image, (const int64_t[]){0, 0, view->firstLayer});
    image->depth = view->lastLayer - view->firstLayer + 1;
  }
  return hipSuccess;
}

hipError_t texture_image(const hipResourceDesc *resource, const struct hipResourceViewDesc *view,
                         enum hipTextureReadMode mode, Image *image) {
  hipError_t error = image_of(resource, mode, image);
  if (error != hipSuccess || !view)
    return error;
  if (resource->resType != hipResourceTypeArray &&
      resource->resType != hipResourceTypeMipmappedArray)
    return hipErrorInvalidValue;
  error = view_part(view, image);
  return error == hipSuccess ? view_as(view->format, mode, image) : error;
}
