// Mipmapped arrays: an array and smaller and smaller ones, its levels, in one allocation.
//
// In: element format, extent and number of levels, from HIP calls. Out: the level arrays (array.h), as
// image_level (image.h) lays them out.
#ifndef EMULATOR_MIPMAP_H
#define EMULATOR_MIPMAP_H

#include <hip/hip_runtime_api.h>

// A live mipmapped array's levels, or 0.
unsigned mipmap_levels(hipMipmappedArray_const_t mipmap);
// NULL if there is no such level.
hipArray *mipmap_level(hipMipmappedArray_const_t mipmap, unsigned level);

void mipmaps_free_all(void); // of the current device

#endif
