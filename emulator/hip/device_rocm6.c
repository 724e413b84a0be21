// The device as programs of ROCm 6 and 7 see it: they ask for its properties under another name,
// and want them in another order. All else that a lab's program calls is as it was in ROCm 5.
//
// In: hipGetDeviceProperties, hipChooseDevice. Out: the same in the layout hipDeviceProp_tR0600 of
// ROCm 6.0's hip_runtime_api.h; what only that layout has is zero.
#include "runtime.h"

#include <stddef.h>
#include <string.h>

#define BYTES 1472 // sizeof(hipDeviceProp_tR0600)

#define FIELD(AT, MEMBER)                                                                          \
  { AT, offsetof(hipDeviceProp_t, MEMBER), sizeof(((hipDeviceProp_t *)0)->MEMBER) }
// Where a property lies in the layout of ROCm 6, where in that of ROCm 5, and its size.
static const struct {
  size_t new, old, bytes;
} FIELDS[] = {
    FIELD(0, name),
    FIELD(288, totalGlobalMem),
    FIELD(296, sharedMemPerBlock),
    FIELD(304, regsPerBlock),
    FIELD(308, warpSize),
    FIELD(312, memPitch),
    FIELD(320, maxThreadsPerBlock),
    FIELD(324, maxThreadsDim),
    FIELD(336, maxGridSize),
    FIELD(348, clockRate),
    FIELD(352, totalConstMem),
    FIELD(360, major),
    FIELD(364, minor),
    FIELD(368, textureAlignment),
    FIELD(376, texturePitchAlignment),
    FIELD(388, multiProcessorCount),
    FIELD(400, canMapHostMemory),
    FIELD(404, computeMode),
    FIELD(576, concurrentKernels),
    FIELD(580, ECCEnabled),
    FIELD(608, memoryClockRate),
    FIELD(612, memoryBusWidth),
    FIELD(616, l2CacheSize),
    FIELD(624, maxThreadsPerMultiProcessor),
    FIELD(640, maxSharedMemoryPerMultiProcessor), // sharedMemPerMultiprocessor, of the same meaning
    FIELD(652, managedMemory),
    FIELD(676, concurrentManagedAccess),
    FIELD(688, cooperativeLaunch),
    FIELD(692, cooperativeMultiDeviceLaunch),
    FIELD(708, directManagedMemAccessFromHost),
    FIELD(1160, gcnArchName),
    FIELD(1416, maxSharedMemoryPerMultiProcessor),
    FIELD(1424, clockInstructionRate),
    FIELD(1428, arch),
    FIELD(1448, cooperativeMultiDeviceUnmatchedFunc),
    FIELD(1452, cooperativeMultiDeviceUnmatchedGridDim),
    FIELD(1456, cooperativeMultiDeviceUnmatchedBlockDim),
    FIELD(1460, cooperativeMultiDeviceUnmatchedSharedMem),
    FIELD(1464, isLargeBar),
    FIELD(1468, asicRevision),
};

EXPORT hipError_t hipGetDevicePropertiesR0600(void *target, int device);
EXPORT hipError_t hipChooseDeviceR0600(int *device, const void *wanted);

hipError_t hipGetDevicePropertiesR0600(void *target, int device) {
  hipDeviceProp_t properties;
  const hipError_t error = hipGetDeviceProperties(target ? &properties : NULL, device);
  if (error != hipSuccess)
    return error;
  memset(target, 0, BYTES);
  for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++)
    memcpy((char *)target + FIELDS[i].new, (const char *)&properties + FIELDS[i].old,
           FIELDS[i].bytes);
  return hipSuccess;
}

// There is one device, whatever is wanted.
hipError_t hipChooseDeviceR0600(int *device, const void *wanted) {
  static const hipDeviceProp_t any;
  return hipChooseDevice(device, wanted ? &any : NULL);
}
