// Structs whose members have changed their size or their place with a release of ROCm: as the program has them (program_abi.h),
// and as this source does.
//
// In: what a program handed over, or wants filled in. Out: the same in this source's struct, or in the program's.
#ifndef EMULATOR_PROGRAM_STRUCTS_H
#define EMULATOR_PROGRAM_STRUCTS_H

#include <hip/hip_runtime_api.h>

// HIP_MEMCPY3D of ROCm 6 and later, and one of its two ends; before, its numbers were of 32 bits ("HIP 6.0 changelog").
typedef struct {
  size_t x_bytes, y, z, level;
  hipMemoryType type; // as the program numbers them
  void *host, *device;
  hipArray *array;
  size_t pitch, height;
} DriverCopyEnd;

typedef struct {
  DriverCopyEnd source, target;
  size_t width_bytes, height, depth;
} DriverCopy;

DriverCopy driver_copy_of(const HIP_MEMCPY3D *of_program);
void tell_driver_copy(HIP_MEMCPY3D *of_program, const DriverCopy *copy);

// Of a fill in the driver's words. ROCm 6 has a struct for it, HIP_MEMSET_NODE_PARAMS, in CUDA's order; before and after, it is
// hipMemsetParams, which has kept its order (the headers of 7 say so; "HIP API 7.0 changes" announces another).
hipMemsetParams driver_fill_of(const hipMemsetParams *of_program);

#endif
