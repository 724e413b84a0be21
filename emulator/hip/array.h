// Arrays: memory of elements in one, two or three dimensions, whose rows lie as the device likes.
//
// In: element format and extent, from the HIP calls that make arrays. Out: arrays in device memory,
// rows as image_pitch says; where an array's elements lie, for copies.
#ifndef EMULATOR_ARRAY_H
#define EMULATOR_ARRAY_H

#include <hip/hip_runtime_api.h>
#include <stdbool.h>

// False if it is no live array. Else its memory, xsize in bytes, ysize rows in each of `depth` slices,
// and the bytes of an element.
typedef struct {
  hipPitchedPtr memory;
  size_t depth, element_bytes;
} ArrayPlace;
bool array_place(hipArray_const_t array, ArrayPlace *place);

// Puts the format and channels of elements so described into `array`. False if no array has such.
bool array_element(const hipChannelFormatDesc *descriptor, hipArray *array);

// Fills in all of an array but its memory. Says what it refuses.
hipError_t array_describe(hipArray *array, const hipChannelFormatDesc *descriptor, hipExtent extent,
                          unsigned flags);
hipError_t array_describe_format(hipArray *array, const HIP_ARRAY3D_DESCRIPTOR *descriptor);

// An array in memory that is there, which belongs to a mipmap: array_remove_level takes it away, and no
// call of the program does. NULL without memory for it.
hipArray *array_add_level(const hipArray *description);
void array_remove_level(hipArray *array);

void arrays_free_all(void); // of the current device, but for levels

// How elements of a format and number of channels are described.
bool array_format(hipArray_Format format, unsigned channels, hipChannelFormatDesc *descriptor);

#endif
