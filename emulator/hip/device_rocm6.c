// The device as programs of ROCm 6 and 7 see it: they ask for its properties under another name,
// and want them in another order. All else that a lab's program calls is as it was in ROCm 5.
//
// In: hipGetDeviceProperties, hipChooseDevice. Out: the same in the layout hipDeviceProp_tR0600 of
// ROCm 6.0's hip_runtime_api.h, and attributes that later releases than 5.2 tell; what only that layout has is as hipamd has it
// (hip_device.cpp), zero where it says nothing.
#include "device_rocm6.h"

#include "gfx90a.h"
#include "program_abi.h"
#include "runtime.h"

#include <limits.h>
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
    FIELD(392, kernelExecTimeoutEnabled),
    FIELD(396, integrated),
    FIELD(400, canMapHostMemory),
    FIELD(404, computeMode),
    FIELD(408, maxTexture1D),
    FIELD(420, maxTexture2D),
    FIELD(436, maxTexture2D), // maxTexture2DLinear, rows and columns
    FIELD(456, maxTexture3D),
    FIELD(512, maxTexture1D), // maxSurface1D, and so on: surfaces are images, too
    FIELD(516, maxTexture2D),
    FIELD(524, maxTexture3D),
    FIELD(568, textureAlignment), // surfaceAlignment
    FIELD(576, concurrentKernels),
    FIELD(580, ECCEnabled),
    FIELD(584, pciBusID),
    FIELD(588, pciDeviceID),
    FIELD(592, pciDomainID),
    FIELD(608, memoryClockRate),
    FIELD(612, memoryBusWidth),
    FIELD(616, l2CacheSize),
    FIELD(620, l2CacheSize), // persistingL2CacheMaxSize
    FIELD(624, maxThreadsPerMultiProcessor),
    FIELD(640, maxSharedMemoryPerMultiProcessor), // sharedMemPerMultiprocessor, of the same meaning
    FIELD(648, regsPerBlock),                     // regsPerMultiprocessor
    FIELD(652, managedMemory),
    FIELD(656, isMultiGpuBoard),
    FIELD(660, pciDeviceID), // multiGpuBoardGroupID
    FIELD(672, pageableMemoryAccess),
    FIELD(676, concurrentManagedAccess),
    FIELD(688, cooperativeLaunch),
    FIELD(692, cooperativeMultiDeviceLaunch),
    FIELD(696, sharedMemPerBlock), // sharedMemPerBlockOptin
    FIELD(704, pageableMemoryAccessUsesHostPageTables),
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

// What ROCm 5's layout lacks.
static const struct {
  size_t at;
  int value;
} VALUES[] = {
    {384, 1},                                   // deviceOverlap
    {412, INT_MAX},                             // maxTexture1DMipmap
    {416, INT_MAX},                             // maxTexture1DLinear
    {444, INT_MAX},                             // maxTexture2DLinear, bytes of a row
    {600, 8},                                   // asyncEngineCount: as many as there are pipes
    {604, 1},                                   // unifiedAddressing
    {628, 1},                                   // streamPrioritiesSupported
    {632, 1},                                   // globalL1CacheSupported
    {636, 1},                                   // localL1CacheSupported
    {664, 1},                                   // hostNativeAtomicSupported
    {728, 1},                                   // hostRegisterSupported
    {744, 1},                                   // memoryPoolsSupported
    {760, hipMemHandleTypePosixFileDescriptor}, // memoryPoolSupportedHandleTypes
    {768, 1},                                   // ipcEventSupported
};

// Attributes of later releases, and where in the layout they stand. Sizes are told up to INT_MAX.
static const struct {
  int attribute;
  uint16_t at;
  bool is_size;
} ATTRIBUTES[] = {
    {hipDeviceAttributeAccessPolicyMaxWindowSize, 716, false},
    {hipDeviceAttributeAsyncEngineCount, 600, false},
    {hipDeviceAttributeCanUseHostPointerForRegisteredMem, 684, false},
    {hipDeviceAttributeComputePreemptionSupported, 680, false},
    {hipDeviceAttributeDeviceOverlap, 384, false},
    {hipDeviceAttributeGlobalL1CacheSupported, 632, false},
    {hipDeviceAttributeLocalL1CacheSupported, 636, false},
    {hipDeviceAttributeMaxBlocksPerMultiProcessor, 712, false},
    {hipDeviceAttributeMaxSurface1D, 512, false},
    {hipDeviceAttributeMaxTexture1DLinear, 416, false},
    {hipDeviceAttributeMaxTexture1DMipmap, 412, false},
    {hipDeviceAttributeMaxTextureCubemap, 480, false},
    {hipDeviceAttributeMultiGpuBoardGroupID, 660, false},
    {hipDeviceAttributePciDomainID, 592, false},
    {hipDeviceAttributePersistingL2CacheMaxSize, 620, false},
    {hipDeviceAttributeMaxRegistersPerMultiprocessor, 648, false},
    {hipDeviceAttributeReservedSharedMemPerBlock, 720, true},
    {hipDeviceAttributeSharedMemPerBlockOptin, 696, true},
    {hipDeviceAttributeSharedMemPerMultiprocessor, 640, true},
    {hipDeviceAttributeStreamPrioritiesSupported, 628, false},
    {hipDeviceAttributeSurfaceAlignment, 568, true},
    {hipDeviceAttributeTotalGlobalMem, 288, true},
    {hipDeviceAttributeMemoryPoolsSupported + 2, 728, false}, // HostRegisterSupported, of 6.0
    {hipDeviceAttributeMemoryPoolsSupported + 3, 760, false}, // MemoryPoolSupportedHandleTypes
};

EXPORT hipError_t hipGetDevicePropertiesR0600(void *target, int device);
EXPORT hipError_t hipChooseDeviceR0600(int *device, const void *wanted);

static void fill(void *target, const hipDeviceProp_t *properties) {
  const int blocks = properties->maxThreadsPerMultiProcessor / DEVICE_WAVEFRONT_SIZE;
  memset(target, 0, BYTES);
  for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++)
    memcpy((char *)target + FIELDS[i].new, (const char *)properties + FIELDS[i].old,
           FIELDS[i].bytes);
  for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++)
    memcpy((char *)target + VALUES[i].at, &VALUES[i].value, sizeof VALUES[i].value);
  memcpy((char *)target + 712, &blocks, sizeof blocks); // maxBlocksPerMultiProcessor
}

hipError_t hipGetDevicePropertiesR0600(void *target, int device) {
  hipDeviceProp_t properties;
  program_abi_calls(6, __func__);
  const hipError_t error = hipGetDeviceProperties(target ? &properties : NULL, device);
  if (error == hipSuccess)
    fill(target, &properties);
  return error;
}

bool device_later_attribute(int *value, int attribute, const hipDeviceProp_t *properties) {
  char all[BYTES];
  size_t size = 0;
  fill(all, properties);
  for (size_t i = 0; i < sizeof ATTRIBUTES / sizeof *ATTRIBUTES; i++)
    if (ATTRIBUTES[i].attribute == attribute) {
      memcpy(&size, all + ATTRIBUTES[i].at, ATTRIBUTES[i].is_size ? sizeof size : sizeof *value);
      *value = size > INT_MAX ? INT_MAX : (int)size;
      return true;
    }
  return false;
}

// There is one device, whatever is wanted.
hipError_t hipChooseDeviceR0600(int *device, const void *wanted) {
  static const hipDeviceProp_t any;
  program_abi_calls(6, __func__);
  return hipChooseDevice(device, wanted ? &any : NULL);
}
