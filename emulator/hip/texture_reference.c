// Texture references: variables of type texture<...>, or of that name in a module. The device's
// code has such a variable, too, of which it reads the pointer to the object alone.
//
// In: HIP calls; the host's textureReference says how to sample when it is bound. Out: texture objects
// (texture.h), their addresses in the variables. Codes: hipamd hip_texture.cpp.
#define _GNU_SOURCE
#include "array.h"
#include "device_memory.h"
#include "handle.h"
#include "loaded_object.h"
#include "program_abi.h"
#include "queue.h"
#include "registration.h"
#include "runtime.h"
#include "texture.h"
#include "texture_image.h"
#include "texture_reference_fields.h"

#include <stdlib.h>
#include <string.h>

// A reference that a module's name gave, made when it is first asked for.
typedef struct ModuleReference {
  struct ModuleReference *next;
  textureReference reference;
  hipModule_t module;
  const DeviceVariable *variable;
} ModuleReference;

static ModuleReference *module_references;

// The module's references are forgotten with it: their variables are no more.
static ModuleReference *module_reference(const textureReference *reference) {
  for (ModuleReference *m = module_references; m; m = m->next)
    if (&m->reference == reference && handle_live(HANDLE_MODULE, m->module))
      return m;
  return NULL;
}

// Where the device's code has the pointer.
static hipError_t pointer_of(const textureReference *reference, uint64_t *address) {
  const ModuleReference *m = module_reference(reference);
  size_t size = 0;
  hipError_t error = hipSuccess;
  *address = 0;
  if (!reference)
    return hipErrorInvalidValue;
  if (m)
    *address = m->variable->address, size = m->variable->size;
  else
    error = registered_variable(reference, address, &size);
  *address += offsetof(textureReference, textureObject);
  return error == hipSuccess && size < sizeof(textureReference) ? hipErrorInvalidSymbol : error;
}

static hipError_t unbind(textureReference *reference) {
  uint64_t pointer;
  hipError_t error = pointer_of(reference, &pointer);
  if (error != hipSuccess)
    return error;
  if (handle_live(HANDLE_TEXTURE, reference->textureObject))
    texture_destroy(reference->textureObject);
  reference->textureObject = NULL;
  memset((void *)pointer, 0, sizeof(hipTextureObject_t));
  return hipSuccess;
}

static hipError_t bind(textureReference *reference, const hipResourceDesc *resource,
                       const struct hipResourceViewDesc *view) {
  hipError_t error = unbind(reference);
  if (error != hipSuccess)
    return error;
  hipTextureDesc texture = {.filterMode = reference->filterMode,
                            .readMode = reference->readMode,
                            .sRGB = reference->sRGB,
                            .normalizedCoords = reference->normalized,
                            .mipmapFilterMode = reference->mipmapFilterMode,
                            .mipmapLevelBias = reference->mipmapLevelBias,
                            .minMipmapLevelClamp = reference->minMipmapLevelClamp,
                            .maxMipmapLevelClamp = reference->maxMipmapLevelClamp};
  memcpy(texture.addressMode, reference->addressMode, sizeof texture.addressMode);
  memcpy(texture.borderColor, texture_reference_border(reference), sizeof texture.borderColor);
  uint64_t pointer;
  error = pointer_of(reference, &pointer);
  if (error == hipSuccess)
    error = texture_create(&reference->textureObject, resource, &texture, view);
  if (error == hipSuccess)
    memcpy((void *)pointer, &reference->textureObject, sizeof(hipTextureObject_t));
  return error;
}

// The array's bits as elements of the descriptor.
static hipError_t bind_array(const textureReference *reference, hipArray_const_t array,
                             const hipChannelFormatDesc *descriptor) {
  if (!reference || !descriptor || !handle_live(HANDLE_ARRAY, array))
    return hipErrorInvalidValue;
  const struct hipResourceViewDesc view = {.format = texture_view_format(descriptor),
                                           .width = array->width,
                                           .height = array->height,
                                           .depth = array->depth,
                                           .lastLayer = array->depth ? array->depth - 1 : 0};
  if (view.format == hipResViewFormatNone)
    return hipErrorInvalidValue;
  return bind(
      (textureReference *)reference,
      &(hipResourceDesc){.resType = hipResourceTypeArray, .res.array.array = (hipArray *)array},
      &view);
}

// The array's own format becomes the reference's.
static hipError_t set_array(textureReference *reference, hipArray_const_t array) {
  if (!reference || !handle_live(HANDLE_ARRAY, array))
    return hipErrorInvalidValue;
  reference->format = array->Format;
  reference->numChannels = (int)array->NumChannels;
  reference->channelDesc = array->desc;
  return bind_array(reference, array, &array->desc);
}

static hipError_t bind_mipmap(const textureReference *reference, hipMipmappedArray_const_t mipmap) {
  if (!reference || !mipmap)
    return hipErrorInvalidValue;
  return bind((textureReference *)reference,
              &(hipResourceDesc){.resType = hipResourceTypeMipmappedArray,
                                 .res.mipmap.mipmap = (hipMipmappedArray_t)mipmap},
              NULL);
}

// Programs of ROCm 7 hear what is missing.
static hipError_t nothing_to_bind(const textureReference *reference, const void *memory,
                                  hipError_t no_reference) {
  if (program_abi() < 7)
    return hipErrorInvalidValue;
  return !reference ? no_reference : !memory ? hipErrorNotFound : hipErrorInvalidValue;
}

// size: UINT_MAX, where the program names none, is all from there on.
static hipError_t bind_linear(size_t *offset, const textureReference *reference, const void *memory,
                              const hipChannelFormatDesc *descriptor, size_t size) {
  if (!reference || !descriptor || !memory)
    return nothing_to_bind(reference, memory, hipErrorInvalidSymbol);
  if (size == UINT32_MAX) {
    const Allocation *allocation = device_memory_find((uint64_t)memory, 1);
    size = allocation ? allocation->address + allocation->size - (uint64_t)memory : 0;
  }
  if (offset)
    *offset = 0;
  hipResourceDesc resource = {.resType = hipResourceTypeLinear};
  resource.res.linear.devPtr = (void *)memory;
  resource.res.linear.desc = *descriptor;
  resource.res.linear.sizeInBytes = size;
  return bind((textureReference *)reference, &resource, NULL);
}

static hipError_t bind_rows(size_t *offset, const textureReference *reference, const void *memory,
                            const hipChannelFormatDesc *descriptor, size_t width, size_t height,
                            size_t pitch) {
  if (!reference || !descriptor || !memory)
    return nothing_to_bind(reference, memory, hipErrorUnknown);
  if (!pitch)
    return hipErrorInvalidValue;
  if (offset)
    *offset = 0;
  hipResourceDesc resource = {.resType = hipResourceTypePitch2D};
  resource.res.pitch2D.devPtr = (void *)memory;
  resource.res.pitch2D.desc = *descriptor;
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  return bind((textureReference *)reference, &resource, NULL);
}

hipError_t hipBindTexture(size_t *offset, const textureReference *reference, const void *memory,
                          const hipChannelFormatDesc *descriptor, size_t size) {
  SERVE_ALONE(bind_linear(offset, reference, memory, descriptor, size));
}
hipError_t hipBindTexture2D(size_t *offset, const textureReference *reference, const void *memory,
                            const hipChannelFormatDesc *descriptor, size_t width, size_t height,
                            size_t pitch) {
  SERVE_ALONE(bind_rows(offset, reference, memory, descriptor, width, height, pitch));
}
hipError_t hipBindTextureToArray(const textureReference *reference, hipArray_const_t array,
                                 const hipChannelFormatDesc *descriptor) {
  SERVE_ALONE(bind_array(reference, array, descriptor));
}
hipError_t hipBindTextureToMipmappedArray(const textureReference *reference,
                                          hipMipmappedArray_const_t mipmap,
                                          const hipChannelFormatDesc *descriptor) {
  SERVE_ALONE(descriptor ? bind_mipmap(reference, mipmap) : hipErrorInvalidValue);
}
hipError_t hipUnbindTexture(const textureReference *reference) {
  SERVE_ALONE(unbind((textureReference *)reference));
}

// As in ROCm whatever the symbol is: one that is no reference is refused when it is bound.
static hipError_t find_reference(const textureReference **reference, const void *symbol) {
  if (!reference)
    return hipErrorInvalidValue;
  *reference = symbol;
  return hipSuccess;
}

// What is bound.
static hipError_t resource_of(hipResourceDesc *resource, const textureReference *reference) {
  return reference ? texture_resource(resource, reference->textureObject) : hipErrorInvalidValue;
}

static hipError_t address_of(hipDeviceptr_t *address, const textureReference *reference) {
  hipResourceDesc resource;
  hipError_t error = address ? resource_of(&resource, reference) : hipErrorInvalidValue;
  if (error != hipSuccess)
    return error;
  if (resource.resType != hipResourceTypeLinear && resource.resType != hipResourceTypePitch2D)
    return hipErrorInvalidValue;
  *address = resource.resType == hipResourceTypeLinear ? resource.res.linear.devPtr
                                                       : resource.res.pitch2D.devPtr;
  return hipSuccess;
}

static hipError_t array_of(hipArray **array, const textureReference *reference) {
  hipResourceDesc resource;
  hipError_t error = array ? resource_of(&resource, reference) : hipErrorInvalidValue;
  if (error == hipSuccess && resource.resType != hipResourceTypeArray)
    error = hipErrorInvalidValue;
  if (error == hipSuccess)
    *array = resource.res.array.array;
  return error;
}

static hipError_t mipmap_of(hipMipmappedArray_t *mipmap, const textureReference *reference) {
  hipResourceDesc resource;
  hipError_t error = mipmap ? resource_of(&resource, reference) : hipErrorInvalidValue;
  if (error == hipSuccess && resource.resType != hipResourceTypeMipmappedArray)
    error = hipErrorInvalidValue;
  if (error == hipSuccess)
    *mipmap = resource.res.mipmap.mipmap;
  return error;
}

hipError_t hipTexRefGetAddress(hipDeviceptr_t *address, const textureReference *reference) {
  SERVE(address_of(address, reference));
}
EXPORT hipError_t hipTexRefGetArray(hipArray **array, const textureReference *reference);
hipError_t hipTexRefGetArray(hipArray **array, const textureReference *reference) {
  SERVE(array_of(array, reference));
}
EXPORT hipError_t hipTexRefGetMipMappedArray(hipMipmappedArray_t *mipmap,
                                             const textureReference *reference);
hipError_t hipTexRefGetMipMappedArray(hipMipmappedArray_t *mipmap,
                                      const textureReference *reference) {
  SERVE(mipmap_of(mipmap, reference));
}

static hipError_t alignment_offset(size_t *offset, const textureReference *reference) {
  enum { INVALID_TEXTURE = 912 };
  uint64_t pointer;
  if (offset && !reference && program_abi() >= 7)
    return (hipError_t)INVALID_TEXTURE;
  hipError_t error = offset ? pointer_of(reference, &pointer) : hipErrorInvalidValue;
  if (error == hipSuccess)
    *offset = 0; // what is bound begins where a texture may
  return error;
}

hipError_t hipGetTextureReference(const textureReference **reference, const void *symbol) {
  SERVE(find_reference(reference, symbol));
}
hipError_t hipGetTextureAlignmentOffset(size_t *offset, const textureReference *reference) {
  SERVE(alignment_offset(offset, reference));
}

// ---- references of modules ----

static hipError_t reference_in_module(textureReference **reference, hipModule_t module,
                                      const char *name) {
  if (!reference || !name || !*name)
    return hipErrorInvalidValue;
  if (!module)
    return hipErrorInvalidHandle;
  const DeviceVariable *variable = loaded_variable(module, name);
  if (!variable)
    return hipErrorNotFound;
  if (variable->size != sizeof(textureReference)) { // a code object tells no types
    runtime_say("%s is a variable of %zu bytes and no texture, which has %zu.", name,
                (size_t)variable->size, sizeof(textureReference));
    return hipErrorNotFound;
  }
  for (ModuleReference *m = module_references; m; m = m->next)
    if (m->module == module && m->variable == variable) {
      *reference = &m->reference;
      return hipSuccess;
    }
  ModuleReference *made = malloc(sizeof *made);
  if (!made)
    return hipErrorOutOfMemory;
  *made = (ModuleReference){.next = module_references, .module = module, .variable = variable};
  made->reference.readMode = hipReadModeNormalizedFloat; // as in ROCm until the program says more
  made->reference.format = HIP_AD_FORMAT_FLOAT;
  made->reference.numChannels = 1;
  made->reference.channelDesc = (hipChannelFormatDesc){.x = 32, .f = hipChannelFormatKindFloat};
  module_references = made;
  *reference = &made->reference;
  return hipSuccess;
}

hipError_t hipModuleGetTexRef(textureReference **reference, hipModule_t module, const char *name) {
  SERVE(reference_in_module(reference, module, name));
}

hipError_t hipTexRefSetArray(textureReference *reference, hipArray_const_t array, unsigned flags) {
  SERVE_ALONE(flags == HIP_TRSA_OVERRIDE_FORMAT ? set_array(reference, array)
                                                : hipErrorInvalidValue);
}
hipError_t hipTexRefSetMipmappedArray(textureReference *reference, hipMipmappedArray_t mipmap,
                                      unsigned flags) {
  SERVE_ALONE(flags == HIP_TRSA_OVERRIDE_FORMAT ? bind_mipmap(reference, mipmap)
                                                : hipErrorInvalidValue);
}
hipError_t hipTexRefSetAddress(size_t *offset, textureReference *reference, hipDeviceptr_t memory,
                               size_t bytes) {
  SERVE_ALONE(reference ? bind_linear(offset, reference, memory, &reference->channelDesc, bytes)
                        : hipErrorInvalidValue);
}

static hipError_t bind_described_rows(textureReference *reference, const HIP_ARRAY_DESCRIPTOR *rows,
                                      hipDeviceptr_t memory, size_t pitch) {
  hipChannelFormatDesc descriptor;
  if (!reference || !rows || !array_format(rows->Format, rows->NumChannels, &descriptor))
    return hipErrorInvalidValue;
  return bind_rows(NULL, reference, memory, &descriptor, rows->Width, rows->Height, pitch);
}

hipError_t hipTexRefSetAddress2D(textureReference *reference, const HIP_ARRAY_DESCRIPTOR *rows,
                                 hipDeviceptr_t memory, size_t pitch) {
  SERVE_ALONE(bind_described_rows(reference, rows, memory, pitch));
}
