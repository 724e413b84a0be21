// Arrays: see array.h. Codes: hipamd hip_memory.cpp (ihipArrayCreate, hipMalloc3DArray).
#define _GNU_SOURCE
#include "array.h"

#include "device_memory.h"
#include "devices.h"
#include "gfx90a.h"
#include "handle.h"
#include "image.h"
#include "queue.h"
#include "runtime.h"

#include <stdlib.h>

enum {
  KNOWN_FLAGS = hipArrayLayered | hipArraySurfaceLoadStore | hipArrayCubemap | hipArrayTextureGather
};

static const struct {
  hipArray_Format format;
  int bits;
  hipChannelFormatKind kind;
} formats[] = {
    {HIP_AD_FORMAT_UNSIGNED_INT8, 8, hipChannelFormatKindUnsigned},
    {HIP_AD_FORMAT_UNSIGNED_INT16, 16, hipChannelFormatKindUnsigned},
    {HIP_AD_FORMAT_UNSIGNED_INT32, 32, hipChannelFormatKindUnsigned},
    {HIP_AD_FORMAT_SIGNED_INT8, 8, hipChannelFormatKindSigned},
    {HIP_AD_FORMAT_SIGNED_INT16, 16, hipChannelFormatKindSigned},
    {HIP_AD_FORMAT_SIGNED_INT32, 32, hipChannelFormatKindSigned},
    {HIP_AD_FORMAT_HALF, 16, hipChannelFormatKindFloat},
    {HIP_AD_FORMAT_FLOAT, 32, hipChannelFormatKindFloat},
};
enum { FORMATS = sizeof formats / sizeof *formats };

bool array_element(const hipChannelFormatDesc *d, hipArray *array) {
  const int channels = (d->x > 0) + (d->y > 0) + (d->z > 0) + (d->w > 0);
  const bool even = (!d->y || d->y == d->x) && (!d->z || (d->z == d->x && d->y)) &&
                    (!d->w || (d->w == d->x && d->z));
  array->desc = *d;
  array->NumChannels = (unsigned)channels;
  for (int i = 0; i < FORMATS; i++)
    if (even && channels != 0 && channels != 3 && formats[i].bits == d->x &&
        formats[i].kind == d->f) {
      array->Format = formats[i].format;
      return true;
    }
  return false;
}

bool array_format(hipArray_Format format, unsigned channels, hipChannelFormatDesc *descriptor) {
  for (int i = 0; i < FORMATS; i++)
    if (formats[i].format == format && (channels == 1 || channels == 2 || channels == 4)) {
      const int bits = formats[i].bits;
      *descriptor = (hipChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                           channels > 3 ? bits : 0, formats[i].kind};
      return true;
    }
  return false;
}

static size_t element_bytes(hipArray_const_t array) {
  return (size_t)array->desc.x / 8 * array->NumChannels;
}

static size_t at_least_one(unsigned extent) { return extent ? extent : 1; }

static size_t pitch_of(hipArray_const_t array) {
  return image_pitch(array->width, (uint32_t)element_bytes(array)) * element_bytes(array);
}

// An array and whose memory it has.
typedef struct {
  hipArray array;
  bool is_level; // of a mipmap, which has the memory
} OwnedArray;

static bool is_cube(hipExtent extent, bool layered) {
  return extent.width == extent.height && extent.depth && extent.depth % CUBE_FACES == 0 &&
         (layered || extent.depth == CUBE_FACES);
}

static unsigned texture_type(unsigned flags, hipExtent extent) {
  if (flags & hipArrayCubemap)
    return flags & hipArrayLayered ? hipTextureTypeCubemapLayered : hipTextureTypeCubemap;
  if (flags & hipArrayLayered)
    return extent.height ? hipTextureType2DLayered : hipTextureType1DLayered;
  return extent.depth ? hipTextureType3D : extent.height ? hipTextureType2D : hipTextureType1D;
}

static hipError_t set_extent(hipArray *array, hipExtent extent) {
  const bool layered = array->type & hipArrayLayered;
  if (!extent.width || (extent.depth && !extent.height && !layered) ||
      (array->type & ~(unsigned)KNOWN_FLAGS))
    return hipErrorInvalidValue;
  if (extent.width > DEVICE_IMAGE_COLUMNS || extent.height > DEVICE_IMAGE_ROWS ||
      extent.depth > DEVICE_IMAGE_PLANES) {
    runtime_say("no array has %zu x %zu x %zu elements: at most %d x %d x %d.", extent.width,
                extent.height, extent.depth, DEVICE_IMAGE_COLUMNS, DEVICE_IMAGE_ROWS,
                DEVICE_IMAGE_PLANES);
    return hipErrorInvalidValue;
  }
  if ((array->type & hipArrayCubemap) && !is_cube(extent, layered)) {
    runtime_say("a cubemap has six faces as wide as high, a layered one six for each layer; this "
                "one is of %zu x %zu x %zu elements.",
                extent.width, extent.height, extent.depth);
    return hipErrorInvalidValue;
  }
  if ((array->type & hipArrayTextureGather) && (!extent.height || (extent.depth && !layered)))
    return hipErrorInvalidValue; // four neighbours are of two dimensions
  array->width = (unsigned)extent.width;
  array->height = (unsigned)extent.height;
  array->depth = (unsigned)extent.depth;
  array->textureType = texture_type(array->type, extent);
  return hipSuccess;
}

static hipError_t unknown_format(void) {
  runtime_say("elements of an array have 1, 2 or 4 channels of 8, 16 or 32 bits, all alike; "
              "floating point has 16 or 32.");
  return hipErrorInvalidValue;
}

hipError_t array_describe(hipArray *array, const hipChannelFormatDesc *descriptor, hipExtent extent,
                          unsigned flags) {
  *array = (hipArray){.type = flags};
  if (!descriptor || (flags & ~(unsigned)KNOWN_FLAGS))
    return hipErrorInvalidValue;
  return array_element(descriptor, array) ? set_extent(array, extent) : unknown_format();
}

hipError_t array_describe_format(hipArray *array, const HIP_ARRAY3D_DESCRIPTOR *d) {
  if (!d)
    return hipErrorInvalidValue;
  *array = (hipArray){
      .type = d->Flags, .isDrv = true, .Format = d->Format, .NumChannels = d->NumChannels};
  return array_format(d->Format, d->NumChannels, &array->desc)
             ? set_extent(array, (hipExtent){d->Width, d->Height, d->Depth})
             : unknown_format();
}

static hipArray *add(const hipArray *description, bool is_level) {
  OwnedArray *owned = malloc(sizeof *owned);
  if (!owned)
    return NULL;
  *owned = (OwnedArray){*description, is_level};
  return handle_add(HANDLE_ARRAY, owned) ? &owned->array : NULL;
}

hipArray *array_add_level(const hipArray *description) { return add(description, true); }

void array_remove_level(hipArray *array) {
  handle_remove(HANDLE_ARRAY, array);
  free(array);
}

static hipError_t create(hipArray **target, hipArray *description) {
  size_t rows, size;
  if (!target)
    return hipErrorInvalidValue;
  if (__builtin_mul_overflow(at_least_one(description->height), at_least_one(description->depth),
                             &rows) ||
      __builtin_mul_overflow(rows, pitch_of(description), &size))
    return hipErrorOutOfMemory;
  if (device_memory_allocate(size, MEMORY_DEVICE, 0, &description->data) != MEMORY_OK) {
    runtime_say("no room for an array of %zu bytes.", size);
    return hipErrorOutOfMemory;
  }
  hipArray *array = add(description, false);
  if (!array)
    return hipErrorOutOfMemory;
  *target = array;
  return hipSuccess;
}

static hipError_t create_of_descriptor(hipArray **array, const hipChannelFormatDesc *descriptor,
                                       hipExtent extent, unsigned flags) {
  hipArray description;
  if (!array)
    return hipErrorInvalidValue;
  hipError_t error = array_describe(&description, descriptor, extent, flags);
  return error == hipSuccess ? create(array, &description) : error;
}

static hipError_t create_of_format(hipArray **array, const HIP_ARRAY3D_DESCRIPTOR *descriptor) {
  hipArray description;
  hipError_t error = array_describe_format(&description, descriptor);
  return error == hipSuccess ? create(array, &description) : error;
}

hipError_t hipMallocArray(hipArray **array, const hipChannelFormatDesc *descriptor, size_t width,
                          size_t height, unsigned flags) {
  SERVE(create_of_descriptor(array, descriptor, (hipExtent){width, height, 0}, flags));
}
hipError_t hipMalloc3DArray(hipArray **array, const hipChannelFormatDesc *descriptor,
                            hipExtent extent, unsigned flags) {
  SERVE(create_of_descriptor(array, descriptor, extent, flags));
}
hipError_t hipArrayCreate(hipArray **array, const HIP_ARRAY_DESCRIPTOR *d) {
  SERVE(!d ? hipErrorInvalidValue
           : create_of_format(array, &(HIP_ARRAY3D_DESCRIPTOR){d->Width, d->Height, 0, d->Format,
                                                               d->NumChannels, 0}));
}
hipError_t hipArray3DCreate(hipArray **array, const HIP_ARRAY3D_DESCRIPTOR *descriptor) {
  SERVE(create_of_format(array, descriptor));
}

// A level stays until its mipmap goes: programs free the one that they asked for, and ask again.
static hipError_t destroy(hipArray *array) {
  if (handle_live(HANDLE_ARRAY, array) && ((const OwnedArray *)array)->is_level)
    return hipSuccess;
  if (!array)
    return hipErrorInvalidValue;
  if (!handle_remove(HANDLE_ARRAY, array))
    return hipErrorContextIsDestroyed;
  device_memory_free(array->data, MEMORY_DEVICE);
  free(array);
  return hipSuccess;
}

static void free_on_device(void *array) {
  const Allocation *memory = device_memory_find((uint64_t)((hipArray *)array)->data, 1);
  if (memory && memory->device == device_current())
    destroy(array);
}

void arrays_free_all(void) { handle_each(HANDLE_ARRAY, free_on_device); }

hipError_t hipFreeArray(hipArray *array) { SERVE_RELEASE(array, destroy(array)); }
hipError_t hipArrayDestroy(hipArray *array) { SERVE_RELEASE(array, destroy(array)); }

bool array_place(hipArray_const_t array, ArrayPlace *place) {
  if (!handle_live(HANDLE_ARRAY, array))
    return false;
  *place = (ArrayPlace){.memory = {.ptr = array->data,
                                   .pitch = pitch_of(array),
                                   .xsize = array->width * element_bytes(array),
                                   .ysize = at_least_one(array->height)},
                        .depth = at_least_one(array->depth),
                        .element_bytes = element_bytes(array)};
  return true;
}

// ---- what an array is ----

static hipError_t describe(HIP_ARRAY3D_DESCRIPTOR *d, hipArray_const_t array) {
  if (!d)
    return hipErrorInvalidValue;
  if (!handle_live(HANDLE_ARRAY, array))
    return hipErrorInvalidHandle;
  *d = (HIP_ARRAY3D_DESCRIPTOR){array->width,  array->height,      array->depth,
                                array->Format, array->NumChannels, array->type};
  return hipSuccess;
}

static hipError_t describe_2d(HIP_ARRAY_DESCRIPTOR *target, hipArray_const_t array) {
  HIP_ARRAY3D_DESCRIPTOR d = {0};
  hipError_t error = target ? describe(&d, array) : hipErrorInvalidValue;
  if (error == hipSuccess)
    *target = (HIP_ARRAY_DESCRIPTOR){d.Width, d.Height, d.Format, d.NumChannels};
  return error;
}

static hipError_t inform(hipChannelFormatDesc *descriptor, hipExtent *extent, unsigned *flags,
                         hipArray_const_t array) {
  if (!handle_live(HANDLE_ARRAY, array))
    return hipErrorInvalidHandle;
  if (descriptor)
    *descriptor = array->desc;
  if (extent)
    *extent = (hipExtent){array->width, array->height, array->depth};
  if (flags)
    *flags = array->type;
  return hipSuccess;
}

EXPORT hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR *descriptor, hipArray *array);
EXPORT hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR *descriptor, hipArray *array);
EXPORT hipError_t hipArrayGetInfo(hipChannelFormatDesc *descriptor, hipExtent *extent,
                                  unsigned *flags, hipArray *array);

hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR *descriptor, hipArray *array) {
  SERVE(describe(descriptor, array));
}
hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR *descriptor, hipArray *array) {
  SERVE(describe_2d(descriptor, array));
}
hipError_t hipArrayGetInfo(hipChannelFormatDesc *descriptor, hipExtent *extent, unsigned *flags,
                           hipArray *array) {
  SERVE(inform(descriptor, extent, flags, array));
}

static hipError_t channel_descriptor(hipChannelFormatDesc *descriptor, hipArray_const_t array) {
  return descriptor ? inform(descriptor, NULL, NULL, array) : hipErrorInvalidValue;
}

hipError_t hipGetChannelDesc(hipChannelFormatDesc *descriptor, hipArray_const_t array) {
  SERVE(channel_descriptor(descriptor, array));
}
