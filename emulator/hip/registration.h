// What the constructors that hipcc adds to a program told the runtime: its kernels and variables.
//
// In: the host address that stands for one of them. Out: the loaded kernel, or the variable's
// address; at first use the program's code is loaded.
#ifndef EMULATOR_REGISTRATION_H
#define EMULATOR_REGISTRATION_H

#include "code_object.h"

#include <hip/hip_runtime_api.h>

// host_function may be the handle of a loaded kernel too: hipLaunchKernel takes those of ROCm 7.
// hipErrorInvalidDeviceFunction, or why its code could not be loaded, after a sentence.
hipError_t registered_kernel(const void *host_function, int device, const Kernel **kernel);
// hipErrorInvalidSymbol, ... On the current device.
hipError_t registered_variable(const void *host_variable, uint64_t *address, size_t *size);
// The part of it that a copy touches.
hipError_t registered_variable_part(const void *symbol, size_t size, size_t offset, void **part);

#endif
