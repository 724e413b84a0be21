// Copies and fills: between host and device in every direction, in one, two and three dimensions.
//
// In: addresses, extents in bytes, direction. Out: the bytes moved, or an error and the sentence
// that says which range is wrong: each must lie in one allocation, or be ordinary host memory.
// Where the real runtime looks at the pointers and not at the hipMemcpyKind, so does this (hipamd
// hip_memory.cpp, ihipMemcpy). A host address that is not mapped crashes the real runtime; here it
// is an error.
#ifndef EMULATOR_COPY_H
#define EMULATOR_COPY_H

#include <hip/hip_runtime_api.h>
#include <stdint.h>

// Whether the copy could be made. Not of 0 bytes.
hipError_t copy_check(const void *to, size_t to_size, const void *from, size_t from_size,
                      hipMemcpyKind kind);
hipError_t copy_bytes(void *to, const void *from, size_t size, hipMemcpyKind kind);
hipError_t fill_check(const void *to, size_t width, size_t count); // whether it could be filled
hipError_t fill_elements(void *to, uint32_t value, size_t width, size_t count); // width 1, 2, 4 B

// A box of rows: width bytes in a row, rows pitch bytes apart, slices slice bytes apart.
typedef struct {
  uint8_t *base;
  size_t pitch, slice;
} Rows;
Rows rows_at(hipPitchedPtr pitched, hipPos position);
hipError_t copy_box(Rows to, Rows from, hipExtent box, hipMemcpyKind kind);
// Of an array, from the position on in bytes, where the box must fit.
hipError_t rows_in_array(hipArray_const_t array, hipPos at, hipExtent box, Rows *rows);
hipError_t copy_3d_check(const hipMemcpy3DParms *parameters); // whether it could be made
// Puts the memory of arrays in their place, for a thread that may not look handles up.
hipError_t copy_3d_settle(hipMemcpy3DParms *parameters);
hipError_t copy_3d_box(const hipMemcpy3DParms *parameters);
hipError_t fill_box_check(Rows rows, hipExtent box); // whether it could be filled
hipError_t fill_box(Rows rows, int value, hipExtent box);

#endif
