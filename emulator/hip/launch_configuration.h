// How a kernel is to be launched, in one struct with attributes: hipLaunchConfig_t and hipLaunchAttribute
// of ROCm 6.5.
//
// In: what a program hands over. Out: its members by name.
#ifndef EMULATOR_LAUNCH_CONFIGURATION_H
#define EMULATOR_LAUNCH_CONFIGURATION_H

#include <hip/hip_runtime_api.h>

enum { LAUNCH_COOPERATIVE = 2, LAUNCH_CLUSTER = 4 }; // hipLaunchAttributeID

typedef struct {
  int id;
  union {
    char bytes[64];
    int cooperative;
    unsigned cluster[3];
  } __attribute__((aligned(8))) value;
} LaunchAttribute;
typedef struct {
  dim3 grid, block;
  size_t lds;
  hipStream_t stream;
  const LaunchAttribute *attributes;
  unsigned count;
} LaunchConfiguration;

#endif
