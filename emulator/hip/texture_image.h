// The image (image.h) that a texture or surface samples.
//
// In: arrays, mipmapped arrays or memory with a format, and a view: which of it, as which format. Out: the image, or a
// sentence.
#ifndef EMULATOR_TEXTURE_IMAGE_H
#define EMULATOR_TEXTURE_IMAGE_H

#include "image.h"

#include <hip/hip_runtime_api.h>

// view: NULL for all of it, as it is. Of `texture` the read mode and sRGB count.
hipError_t texture_image(const hipResourceDesc *resource, const struct hipResourceViewDesc *view,
                         const hipTextureDesc *texture, Image *image);

// How a view names elements so described. hipResViewFormatNone: no name.
enum hipResourceViewFormat texture_view_format(const hipChannelFormatDesc *descriptor);

#endif
