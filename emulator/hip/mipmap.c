// Mipmapped arrays: see mipmap.h. ROCm on Linux refuses to make them with hipErrorNotSupported.
#define _GNU_SOURCE
#include "mipmap.h"

#include "array.h"
#include "device_memory.h"
#include "devices.h"
#include "handle.h"
#include "image.h"
#include "program_abi.h"
#include "queue.h"
#include "runtime.h"

#include <stdlib.h>

typedef struct {
  hipMipmappedArray about;
  unsigned levels;
  hipArray *level[IMAGE_LEVELS];
} Mipmap;

unsigned mipmap_levels(hipMipmappedArray_const_t mipmap) {
  return handle_live(HANDLE_MIPMAP, mipmap) ? ((const Mipmap *)mipmap)->levels : 0;
}

hipArray *mipmap_level(hipMipmappedArray_const_t mipmap, unsigned level) {
  return level < mipmap_levels(mipmap) ? ((const Mipmap *)mipmap)->level[level] : NULL;
}

static uint32_t at_least_one(uint32_t extent) { return extent ? extent : 1; }

static Image image_of(const hipArray *array) {
  Image image = {.width = array->width,
                 .height = at_least_one(array->height),
                 .depth = at_least_one(array->depth),
                 .kind = array->textureType == hipTextureType3D ? IMAGE_3D : IMAGE_2D_LAYERS,
                 .channels = (uint8_t)array->NumChannels,
                 .bits = (uint8_t)array->desc.x};
  image.pitch = (uint32_t)image_pitch(image.width, image_element_bytes(&image));
  return image;
}

// As in CUDA more than those down to one element are as many as those.
static unsigned levels_of(const Image *image, unsigned wanted) {
  const uint32_t depth = image->kind == IMAGE_3D ? image->depth : 1;
  const uint32_t longest = image->width | image->height | depth;
  const unsigned most = 32 - (unsigned)__builtin_clz(longest);
  return wanted < 1 ? 1 : wanted < most ? wanted : most;
}

static void destroy_levels(Mipmap *mipmap) {
  for (unsigned i = 0; i < mipmap->levels; i++)
    array_remove_level(mipmap->level[i]);
  device_memory_free(mipmap->about.data, MEMORY_DEVICE);
  free(mipmap);
}

// Level i of an array so described lies where image_level says.
static bool add_levels(Mipmap *mipmap, const hipArray *whole, const Image *image, unsigned levels) {
  for (; mipmap->levels < levels; mipmap->levels++) {
    const Image at = image_level(image, mipmap->levels);
    hipArray description = *whole;
    description.data = (uint8_t *)mipmap->about.data + at.base;
    description.width = at.width;
    description.height = whole->height ? at.height : 0;
    description.depth = whole->depth ? at.depth : 0;
    if (!(mipmap->level[mipmap->levels] = array_add_level(&description)))
      return false;
  }
  return true;
}

static hipError_t create(hipMipmappedArray_t *target, const hipArray *whole, unsigned wanted) {
  if (!target)
    return hipErrorInvalidValue;
  const Image image = image_of(whole);
  const unsigned levels = levels_of(&image, wanted);
  const size_t size = image_level(&image, levels).base;
  Mipmap *made = calloc(1, sizeof *made);
  if (!made || device_memory_allocate(size, MEMORY_DEVICE, 0, &made->about.data) != MEMORY_OK) {
    free(made);
    runtime_say("no room for a mipmapped array of %zu bytes.", size);
    return hipErrorOutOfMemory;
  }
  made->about = (hipMipmappedArray){.data = made->about.data,
                                    .desc = whole->desc,
                                    .type = whole->type,
                                    .width = whole->width,
                                    .height = whole->height,
                                    .depth = whole->depth,
                                    .max_mipmap_level = levels,
                                    .flags = whole->type,
                                    .format = whole->Format};
  if (!add_levels(made, whole, &image, levels) || !handle_add(HANDLE_MIPMAP, made)) {
    destroy_levels(made);
    return hipErrorOutOfMemory;
  }
  *target = &made->about;
  return hipSuccess;
}

static hipError_t create_of_descriptor(hipMipmappedArray_t *target,
                                       const hipChannelFormatDesc *descriptor, hipExtent extent,
                                       unsigned levels, unsigned flags) {
  hipArray whole;
  hipError_t error = array_describe(&whole, descriptor, extent, flags);
  return error == hipSuccess ? create(target, &whole, levels) : error;
}

static hipError_t create_of_format(hipMipmappedArray_t *target,
                                   const HIP_ARRAY3D_DESCRIPTOR *descriptor, unsigned levels) {
  hipArray whole;
  hipError_t error = array_describe_format(&whole, descriptor);
  return error == hipSuccess ? create(target, &whole, levels) : error;
}

hipError_t hipMallocMipmappedArray(hipMipmappedArray_t *mipmap,
                                   const hipChannelFormatDesc *descriptor, hipExtent extent,
                                   unsigned levels, unsigned flags) {
  SERVE(create_of_descriptor(mipmap, descriptor, extent, levels, flags));
}
hipError_t hipMipmappedArrayCreate(hipMipmappedArray_t *mipmap, HIP_ARRAY3D_DESCRIPTOR *descriptor,
                                   unsigned levels) {
  SERVE(create_of_format(mipmap, descriptor, levels));
}

static hipError_t destroy(hipMipmappedArray_t mipmap) {
  if (!handle_remove(HANDLE_MIPMAP, mipmap))
    return hipErrorInvalidValue;
  destroy_levels((Mipmap *)mipmap);
  return hipSuccess;
}

static void free_on_device(void *mipmap) {
  const Allocation *memory = device_memory_find((uint64_t)((Mipmap *)mipmap)->about.data, 1);
  if (memory && memory->device == device_current())
    destroy(mipmap);
}

void mipmaps_free_all(void) { handle_each(HANDLE_MIPMAP, free_on_device); }

hipError_t hipFreeMipmappedArray(hipMipmappedArray_t mipmap) {
  SERVE_RELEASE(mipmap, destroy(mipmap));
}
hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t mipmap) {
  SERVE_RELEASE(mipmap, destroy(mipmap));
}

static hipError_t give_level(hipArray **array, hipMipmappedArray_const_t mipmap, unsigned level) {
  hipArray *found = mipmap_level(mipmap, level);
  if (array && !mipmap && program_abi() >= 6)
    return hipErrorInvalidHandle;
  if (!array || !found)
    return hipErrorInvalidValue;
  *array = found;
  return hipSuccess;
}

hipError_t hipGetMipmappedArrayLevel(hipArray **array, hipMipmappedArray_const_t mipmap,
                                     unsigned level) {
  SERVE(give_level(array, mipmap, level));
}
hipError_t hipMipmappedArrayGetLevel(hipArray **array, hipMipmappedArray_t mipmap, unsigned level) {
  SERVE(give_level(array, mipmap, level));
}

// hipArrayMemoryRequirements of ROCm 7.2.
typedef struct {
  size_t alignment, size;
} Requirements;
EXPORT hipError_t hipMipmappedArrayGetMemoryRequirements(Requirements *requirements,
                                                         hipMipmappedArray_t mipmap,
                                                         hipDevice_t device);

static hipError_t require(Requirements *requirements, hipMipmappedArray_t mipmap, int device) {
  const unsigned levels = mipmap_levels(mipmap);
  if (!requirements || !levels)
    return hipErrorInvalidValue;
  if (!device_known(device))
    return hipErrorInvalidDevice;
  const Image image = image_of(mipmap_level(mipmap, 0));
  *requirements = (Requirements){IMAGE_ROW_ALIGNMENT, image_level(&image, levels).base};
  return hipSuccess;
}

hipError_t hipMipmappedArrayGetMemoryRequirements(Requirements *requirements,
                                                  hipMipmappedArray_t mipmap, hipDevice_t device) {
  SERVE(require(requirements, mipmap, device));
}
