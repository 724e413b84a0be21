// The image that a texture or surface samples: see texture_image.h.
#define _GNU_SOURCE
#include "texture_image.h"

#include "array.h"
#include "device_memory.h"
#include "mipmap.h"
#include "program_abi.h"
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
                                 [hipTextureType2DLayered] = IMAGE_2D_LAYERS,
                                 [hipTextureTypeCubemap] = IMAGE_CUBE,
                                 [hipTextureTypeCubemapLayered] = IMAGE_CUBE};
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

// Programs of ROCm 7 hear of it in another code.
static hipError_t no_line(void) {
  enum { INVALID_CHANNEL_DESCRIPTOR = 911 };
  return program_abi() >= 7 ? (hipError_t)INVALID_CHANNEL_DESCRIPTOR : hipErrorInvalidValue;
}

static hipError_t image_of_line(const __typeof__(((hipResourceDesc *)0)->res.linear) *line,
                                enum hipTextureReadMode mode, Image *image) {
  if (!format_of(&line->desc, mode, image) ||
      line->sizeInBytes / image_element_bytes(image) > UINT32_MAX)
    return no_line();
  image->kind = IMAGE_BUFFER;
  image->width = (uint32_t)(line->sizeInBytes / image_element_bytes(image));
  return image_of_memory(line->devPtr, line->sizeInBytes, image) == hipSuccess ? hipSuccess
                                                                               : no_line();
}

// Without elements there is nothing to sample; programs of ROCm 7 may make such textures.
static hipError_t image_of_no_rows(const void *memory, Image *image) {
  if (program_abi() < 7 || image_of_memory(memory, 1, image) != hipSuccess)
    return hipErrorInvalidValue;
  image->kind = IMAGE_BUFFER;
  image->width = 0;
  return hipSuccess;
}

// Rows may end beyond the memory. A kernel that samples there has a fault.
static hipError_t image_of_rows(const __typeof__(((hipResourceDesc *)0)->res.pitch2D) *rows,
                                enum hipTextureReadMode mode, Image *image) {
  if (rows->pitchInBytes % ALIGNMENT)
    runtime_say("a pitch of %zu bytes is no multiple of %d, texturePitchAlignment: hipMallocPitch "
                "gives memory "
                "whose rows begin so.",
                rows->pitchInBytes, ALIGNMENT);
  if (!format_of(&rows->desc, mode, image) || rows->pitchInBytes % ALIGNMENT)
    return hipErrorInvalidValue;
  if (!rows->width || !rows->height)
    return image_of_no_rows(rows->devPtr, image);
  const size_t element = image_element_bytes(image);
  const size_t pitch = rows->pitchInBytes ? rows->pitchInBytes : rows->width * element;
  if (rows->width > pitch / element || rows->height > UINT32_MAX || pitch > UINT32_MAX)
    return hipErrorInvalidValue;
  image->kind = IMAGE_2D;
  image->width = (uint32_t)rows->width;
  image->height = (uint32_t)rows->height;
  image->pitch = (uint32_t)(pitch / element);
  hipError_t error = image_of_memory(rows->devPtr, 1, image);
  if (error == hipSuccess &&
      !device_memory_find((uint64_t)rows->devPtr,
                          pitch * (rows->height - 1) + rows->width * element))
    runtime_say("%zu rows of %zu bytes end beyond the memory at %p.", rows->height, pitch,
                rows->devPtr);
  return error;
}

static hipError_t image_of(const hipResourceDesc *resource, enum hipTextureReadMode mode,
                           Image *image) {
  switch (resource->resType) {
  case hipResourceTypeArray:
    return image_of_array(resource->res.array.array, mode, image);
  case hipResourceTypeLinear:
    return image_of_line(&resource->res.linear, mode, image);
  case hipResourceTypePitch2D:
    return image_of_rows(&resource->res.pitch2D, mode, image);
  case hipResourceTypeMipmappedArray:
    return image_of_mipmap(resource->res.mipmap.mipmap, mode, image);
  default:
    return hipErrorInvalidValue;
  }
}

// ---- views ----

// Formats of views come in threes, of 1, 2 and 4 channels.
static const struct {
  int bits;
  hipChannelFormatKind kind;
} element[] = {{8, hipChannelFormatKindUnsigned},  {8, hipChannelFormatKindSigned},
               {16, hipChannelFormatKindUnsigned}, {16, hipChannelFormatKindSigned},
               {32, hipChannelFormatKindUnsigned}, {32, hipChannelFormatKindSigned},
               {16, hipChannelFormatKindFloat},    {32, hipChannelFormatKindFloat}};

enum hipResourceViewFormat texture_view_format(const hipChannelFormatDesc *descriptor) {
  hipArray array;
  if (!array_element(descriptor, &array))
    return hipResViewFormatNone;
  for (unsigned i = 0; i < sizeof element / sizeof *element; i++)
    if (element[i].bits == descriptor->x && element[i].kind == descriptor->f)
      return (enum hipResourceViewFormat)(hipResViewFormatUnsignedChar1 + 3 * i +
                                          array.NumChannels / 2);
  return hipResViewFormatNone;
}

static bool format_of_view(enum hipResourceViewFormat format, hipChannelFormatDesc *d) {
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

static bool whole_cubes(const struct hipResourceViewDesc *view) {
  return view->firstLayer % CUBE_FACES == 0 && (view->lastLayer + 1) % CUBE_FACES == 0;
}

// Levels first to last, and of those layers first to last. As in ROCm an extent changes nothing.
static hipError_t view_part(const struct hipResourceViewDesc *view, Image *image) {
  const bool layered = image->kind == IMAGE_1D_LAYERS || image->kind == IMAGE_2D_LAYERS ||
                       (image->kind == IMAGE_CUBE && view->lastLayer);
  if (!same_extent(view, image))
    runtime_say("a view has the extent of what it looks at, %u x %u x %u, not %zu x %zu x %zu.",
                image->width, image->height, image->depth, view->width, view->height, view->depth);
  if (view->firstMipmapLevel > view->lastMipmapLevel || view->firstLayer > view->lastLayer ||
      view->lastMipmapLevel >= image->levels || (layered && view->lastLayer >= image->depth) ||
      (layered && image->kind == IMAGE_CUBE && !whole_cubes(view)))
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

static hipError_t apply_view(const hipResourceDesc *resource,
                             const struct hipResourceViewDesc *view, enum hipTextureReadMode mode,
                             Image *image) {
  if (resource->resType != hipResourceTypeArray &&
      resource->resType != hipResourceTypeMipmappedArray)
    return hipErrorInvalidValue;
  hipError_t error = view_part(view, image);
  return error == hipSuccess ? view_as(view->format, mode, image) : error;
}

// As in ROCm, where one or two channels stay what they are.
static hipError_t decode_srgb(Image *image) {
  if (image->channels < CHANNELS) {
    runtime_say("sRGB is of textures of four channels; this one, of %d, is read as it is.",
                image->channels);
    return hipSuccess;
  }
  if (image->number != NUMBER_UNORM || image->bits != 8 || image->kind == IMAGE_BUFFER) {
    runtime_say(
        "sRGB is of four channels of 8 bits without sign, in an array or in rows, read with "
        "hipReadModeNormalizedFloat.");
    return hipErrorInvalidValue;
  }
  image->number = NUMBER_SRGB;
  return hipSuccess;
}

// The header of ROCm 5.2 takes uchar1, uchar2 and uchar4 for signed (amd_channel_descriptor.h), and so reads images of most programs.
static void tell_of_sign(const Image *image) {
  static bool told;
  if (told || image->number != NUMBER_SNORM || image->bits != 8 || program_abi() > 5)
    return;
  told = true;
  runtime_say(
      "note: this texture reads bytes as fractions with a sign: 127 as 1, 200 as -56/127. In "
      "ROCm 5.2 hipCreateChannelDesc<uchar4>() means that, and so do those of uchar1 and "
      "uchar2. For bytes without a sign write hipCreateChannelDesc(8, 8, 8, 8, "
      "hipChannelFormatKindUnsigned). This is told once.");
}

hipError_t texture_image(const hipResourceDesc *resource, const struct hipResourceViewDesc *view,
                         const hipTextureDesc *texture, Image *image) {
  hipError_t error = image_of(resource, texture->readMode, image);
  if (error == hipSuccess && view)
    error = apply_view(resource, view, texture->readMode, image);
  if (error == hipSuccess)
    tell_of_sign(image);
  return error == hipSuccess && texture->sRGB ? decode_srgb(image) : error;
}
