// What the driver's calls set of a texture reference, and what textureReference has no room for.
//
// In: a reference. Out: the colour of its border.
#ifndef EMULATOR_TEXTURE_REFERENCE_FIELDS_H
#define EMULATOR_TEXTURE_REFERENCE_FIELDS_H

#include <hip/hip_runtime_api.h>

// Four floats: zeros, or what hipTexRefSetBorderColor was given.
const float *texture_reference_border(const textureReference *reference);

#endif
