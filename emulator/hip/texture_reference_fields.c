// The fields of texture references, as the driver's calls set and read them. What is set holds from the
// next time on that the reference is bound (texture_reference.c).
//
// In: HIP calls. Out: fields of the host's textureReference, and texture_reference_fields.h.
#define _GNU_SOURCE
#include "texture_reference_fields.h"

#include "array.h"
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

static hipError_t set_address_mode(textureReference *reference, int axis,
                                   enum hipTextureAddressMode mode) {
  if (!reference || axis < 0 || axis > 2)
    return hipErrorInvalidValue;
  reference->addressMode[axis] = mode;
  return hipSuccess;
}

static hipError_t set_filter_mode(textureReference *reference, enum hipTextureFilterMode mode) {
  if (!reference)
    return hipErrorInvalidValue;
  reference->filterMode = mode;
  return hipSuccess;
}

static hipError_t set_flags(textureReference *reference, unsigned flags) {
  if (!reference)
    return hipErrorInvalidValue;
  reference->readMode =
      flags & HIP_TRSF_READ_AS_INTEGER ? hipReadModeElementType : hipReadModeNormalizedFloat;
  reference->normalized = (flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0;
  reference->sRGB = (flags & HIP_TRSF_SRGB) != 0;
  return hipSuccess;
}

// What no texture has is refused when the reference is bound.
static hipError_t set_format(textureReference *reference, hipArray_Format format, int channels) {
  if (!reference)
    return hipErrorInvalidValue;
  reference->channelDesc = (hipChannelFormatDesc){0};
  array_format(format, (unsigned)channels, &reference->channelDesc);
  reference->format = format;
  reference->numChannels = channels;
  return hipSuccess;
}

hipError_t hipTexRefSetAddressMode(textureReference *reference, int axis,
                                   enum hipTextureAddressMode mode) {
  SERVE(set_address_mode(reference, axis, mode));
}
hipError_t hipTexRefSetFilterMode(textureReference *reference, enum hipTextureFilterMode mode) {
  SERVE(set_filter_mode(reference, mode));
}
hipError_t hipTexRefSetFlags(textureReference *reference, unsigned flags) {
  SERVE(set_flags(reference, flags));
}
hipError_t hipTexRefSetFormat(textureReference *reference, hipArray_Format format, int channels) {
  SERVE(set_format(reference, format, channels));
}

// Nothing here depends on how many samples a slanted texel is made of.
static hipError_t set_anisotropy(textureReference *reference, unsigned most) {
  if (!reference)
    return hipErrorInvalidValue;
  reference->maxAnisotropy = most;
  return hipSuccess;
}

enum { COLOR_CHANNELS = 4 };
typedef struct Border {
  struct Border *next;
  const textureReference *reference;
  float color[COLOR_CHANNELS];
} Border;
static Border *borders; // of references that were given one

static Border *border_of(const textureReference *reference) {
  Border *border = borders;
  while (border && border->reference != reference)
    border = border->next;
  return border;
}

const float *texture_reference_border(const textureReference *reference) {
  static const float zeros[COLOR_CHANNELS];
  const Border *border = border_of(reference);
  return border ? border->color : zeros;
}

static hipError_t set_border(const textureReference *reference, const float *color) {
  if (!reference || !color)
    return hipErrorInvalidValue;
  Border *border = border_of(reference);
  if (!border && (border = malloc(sizeof *border))) {
    *border = (Border){.next = borders, .reference = reference};
    borders = border;
  }
  if (!border)
    return hipErrorOutOfMemory;
  memcpy(border->color, color, sizeof border->color);
  return hipSuccess;
}

static hipError_t set_level_filter(textureReference *reference, enum hipTextureFilterMode mode) {
  if (!reference)
    return hipErrorInvalidValue;
  reference->mipmapFilterMode = mode;
  return hipSuccess;
}

static hipError_t set_level_bias(textureReference *reference, float bias) {
  if (!reference)
    return hipErrorInvalidValue;
  reference->mipmapLevelBias = bias;
  return hipSuccess;
}

static hipError_t set_level_clamp(textureReference *reference, float least, float most) {
  if (!reference)
    return hipErrorInvalidValue;
  reference->minMipmapLevelClamp = least;
  reference->maxMipmapLevelClamp = most;
  return hipSuccess;
}

hipError_t hipTexRefSetMaxAnisotropy(textureReference *reference, unsigned most) {
  SERVE(set_anisotropy(reference, most));
}
hipError_t hipTexRefSetBorderColor(textureReference *reference, float *color) {
  SERVE(set_border(reference, color));
}
hipError_t hipTexRefSetMipmapFilterMode(textureReference *reference,
                                        enum hipTextureFilterMode mode) {
  SERVE(set_level_filter(reference, mode));
}
hipError_t hipTexRefSetMipmapLevelBias(textureReference *reference, float bias) {
  SERVE(set_level_bias(reference, bias));
}
hipError_t hipTexRefSetMipmapLevelClamp(textureReference *reference, float least, float most) {
  SERVE(set_level_clamp(reference, least, most));
}

// Gives a field, or what is computed of fields.
#define GIVE(TARGET, REFERENCE, VALUE)                                                             \
  SERVE((TARGET) && (REFERENCE) ? (*(TARGET) = (VALUE), hipSuccess) : hipErrorInvalidValue)

static unsigned flags_of(const textureReference *reference) {
  return (reference->readMode == hipReadModeElementType ? HIP_TRSF_READ_AS_INTEGER : 0u) |
         (reference->normalized ? HIP_TRSF_NORMALIZED_COORDINATES : 0u) |
         (reference->sRGB ? HIP_TRSF_SRGB : 0u);
}

hipError_t hipTexRefGetAddressMode(enum hipTextureAddressMode *mode,
                                   const textureReference *reference, int axis) {
  GIVE(mode, reference && axis >= 0 && axis <= 2, reference->addressMode[axis]);
}
hipError_t hipTexRefGetFilterMode(enum hipTextureFilterMode *mode,
                                  const textureReference *reference) {
  GIVE(mode, reference, reference->filterMode);
}
hipError_t hipTexRefGetFlags(unsigned *flags, const textureReference *reference) {
  GIVE(flags, reference, flags_of(reference));
}
hipError_t hipTexRefGetFormat(hipArray_Format *format, int *channels,
                              const textureReference *reference) {
  GIVE(format, reference && channels, (*channels = reference->numChannels, reference->format));
}
hipError_t hipTexRefGetMaxAnisotropy(int *most, const textureReference *reference) {
  GIVE(most, reference, (int)reference->maxAnisotropy);
}

// ROCm's calls for the fields of mipmaps give the value and fail all the same.
static hipError_t failing_all_the_same(void) {
  runtime_say("the value is given; ROCm returns hipErrorInvalidValue here even so.");
  return hipErrorInvalidValue;
}
#define GIVE_AND_FAIL(TARGET, REFERENCE, VALUE)                                                    \
  SERVE((TARGET) && (REFERENCE) ? (*(TARGET) = (VALUE), failing_all_the_same())                    \
                                : hipErrorInvalidValue)

hipError_t hipTexRefGetMipmapFilterMode(enum hipTextureFilterMode *mode,
                                        const textureReference *reference) {
  GIVE_AND_FAIL(mode, reference, reference->mipmapFilterMode);
}
hipError_t hipTexRefGetMipmapLevelBias(float *bias, const textureReference *reference) {
  GIVE_AND_FAIL(bias, reference, reference->mipmapLevelBias);
}
hipError_t hipTexRefGetMipmapLevelClamp(float *least, float *most,
                                        const textureReference *reference) {
  GIVE_AND_FAIL(least, reference && most,
                (*most = reference->maxMipmapLevelClamp, reference->minMipmapLevelClamp));
}

EXPORT hipError_t hipTexRefGetBorderColor(float *color, const textureReference *reference);

static hipError_t give_border(float *color, const textureReference *reference) {
  if (!color || !reference)
    return hipErrorInvalidValue;
  memcpy(color, texture_reference_border(reference), COLOR_CHANNELS * sizeof *color);
  return hipSuccess;
}

hipError_t hipTexRefGetBorderColor(float *color, const textureReference *reference) {
  SERVE(give_border(color, reference));
}
