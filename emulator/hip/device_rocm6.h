// Attributes of the device that came with later releases of ROCm than 5.2.
//
// In: the attribute's number, the device's properties. Out: its value; false for an attribute that none of them has.
#ifndef EMULATOR_DEVICE_ROCM6_H
#define EMULATOR_DEVICE_ROCM6_H

#include <hip/hip_runtime_api.h>
#include <stdbool.h>

bool device_later_attribute(int *value, int attribute, const hipDeviceProp_t *properties);

#endif
