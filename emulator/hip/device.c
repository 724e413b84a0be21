// The device as programs see it.
//
// In: queries by number, attribute or property. Out: what the architecture fixes (gfx90a.h) and the
// device's parameters. Limits of the HIP runtime itself are those of its source for gfx90a;
// regsPerBlock, totalConstMem, ECCEnabled and isLargeBar were not checked on an MI250X. Codes:
// hipamd hip_device_runtime.cpp, hip_device.cpp.
#define _GNU_SOURCE
#include "array.h"
#include "device_memory.h"
#include "device_rocm6.h"
#include "devices.h"
#include "gfx90a.h"
#include "mipmap.h"
#include "parameters.h"
#include "pool.h"
#include "program_abi.h"
#include "runtime.h"
#include "settings.h"
#include "stream.h"
#include "unawaited.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// The same for every device of the architecture.
static const hipDeviceProp_t architecture = {
    .sharedMemPerBlock = DEVICE_LDS_BYTES,
    .regsPerBlock = 65536,
    .warpSize = DEVICE_WAVEFRONT_SIZE,
    .maxThreadsPerBlock = DEVICE_MAX_WORKGROUP_SIZE,
    .maxThreadsDim = {DEVICE_MAX_WORKGROUP_SIZE, DEVICE_MAX_WORKGROUP_SIZE,
                      DEVICE_MAX_WORKGROUP_SIZE},
    .maxGridSize = {INT_MAX, INT_MAX, INT_MAX},
    .totalConstMem = INT_MAX,
    .major = 9,
    .computeMode = hipComputeModeDefault,
    .clockInstructionRate = DEVICE_CONSTANT_CLOCK_KHZ,
    .arch = {.hasGlobalInt32Atomics = 1,
             .hasGlobalFloatAtomicExch = 1,
             .hasSharedInt32Atomics = 1,
             .hasSharedFloatAtomicExch = 1,
             .hasFloatAtomicAdd = 1,
             .hasGlobalInt64Atomics = 1,
             .hasSharedInt64Atomics = 1,
             .hasDoubles = 1,
             .hasWarpVote = 1,
             .hasWarpBallot = 1,
             .hasWarpShuffle = 1,
             .hasThreadFenceSystem = 1,
             .has3dGrid = 1},
    .concurrentKernels = 1,
    .maxSharedMemoryPerMultiProcessor = DEVICE_LDS_BYTES,
    .canMapHostMemory = 1,
    .cooperativeLaunch = 1,
    .cooperativeMultiDeviceLaunch = 1,
    .cooperativeMultiDeviceUnmatchedFunc = 1, // as hipamd says of whoever can do the former
    .cooperativeMultiDeviceUnmatchedGridDim = 1,
    .cooperativeMultiDeviceUnmatchedBlockDim = 1,
    .cooperativeMultiDeviceUnmatchedSharedMem = 1,
    .maxTexture1D = DEVICE_IMAGE_COLUMNS,
    .maxTexture2D = {DEVICE_IMAGE_COLUMNS, DEVICE_IMAGE_ROWS},
    .maxTexture3D = {DEVICE_IMAGE_COLUMNS, DEVICE_IMAGE_ROWS, DEVICE_IMAGE_PLANES},
    .memPitch = INT_MAX,
    .textureAlignment = 256,
    .texturePitchAlignment = 256,
    .ECCEnabled = 1,
    .isLargeBar = 1,
    .asicRevision = 1,
    .managedMemory = 1,
    .directManagedMemAccessFromHost = 1,
    .concurrentManagedAccess = 1,
};

static const char *device_name(void) {
  static char name[sizeof architecture.name];
  const Parameters *p = parameters_device();
  snprintf(name, sizeof name, "%s (emulated%s)", p->name, p->validated ? "" : ", not validated");
  return name;
}

static void fill_properties(hipDeviceProp_t *properties, int device) {
  const Parameters *p = parameters_device();
  *properties = architecture;
  properties->pageableMemoryAccess = settings()->xnack; // the device reaches all host memory
  properties->minor = p->architecture->minor;
  properties->gcnArch = p->architecture->number;
  snprintf(properties->gcnArchName, sizeof properties->gcnArchName, "%s:sramecc+:xnack%c",
           p->architecture->target[0], settings()->xnack ? '+' : '-');
  snprintf(properties->name, sizeof properties->name, "%s", device_name());
  properties->pciBusID = device_place(device);
  properties->totalGlobalMem = device_memory_size();
  properties->clockRate = (int)(p->engine_mhz * 1000);
  properties->memoryClockRate = (int)(p->hbm_mhz * 1000);
  properties->memoryBusWidth = (int)p->hbm_bus_bits;
  properties->multiProcessorCount = (int)p->compute_units;
  properties->l2CacheSize = (int)p->l2_bytes;
  properties->maxThreadsPerMultiProcessor =
      DEVICE_SIMDS_PER_CU * (int)p->waves_per_simd * DEVICE_WAVEFRONT_SIZE;
}

typedef struct {
  hipDeviceAttribute_t attribute;
  size_t offset; // of the property that it equals
} AttributeField;

#define FIELD(ATTRIBUTE, MEMBER)                                                                   \
  { ATTRIBUTE, offsetof(hipDeviceProp_t, MEMBER) }
static const AttributeField attribute_fields[] = {
    FIELD(hipDeviceAttributeEccEnabled, ECCEnabled),
    FIELD(hipDeviceAttributeCanMapHostMemory, canMapHostMemory),
    FIELD(hipDeviceAttributeClockRate, clockRate),
    FIELD(hipDeviceAttributeComputeMode, computeMode),
    FIELD(hipDeviceAttributeConcurrentKernels, concurrentKernels),
    FIELD(hipDeviceAttributeConcurrentManagedAccess, concurrentManagedAccess),
    FIELD(hipDeviceAttributeCooperativeLaunch, cooperativeLaunch),
    FIELD(hipDeviceAttributeCooperativeMultiDeviceLaunch, cooperativeMultiDeviceLaunch),
    FIELD(hipDeviceAttributeDirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    FIELD(hipDeviceAttributeHdpMemFlushCntl, hdpMemFlushCntl),
    FIELD(hipDeviceAttributeHdpRegFlushCntl, hdpRegFlushCntl),
    FIELD(hipDeviceAttributeIntegrated, integrated),
    FIELD(hipDeviceAttributeIsMultiGpuBoard, isMultiGpuBoard),
    FIELD(hipDeviceAttributeKernelExecTimeout, kernelExecTimeoutEnabled),
    FIELD(hipDeviceAttributeL2CacheSize, l2CacheSize),
    FIELD(hipDeviceAttributeComputeCapabilityMajor, major),
    FIELD(hipDeviceAttributeComputeCapabilityMinor, minor),
    FIELD(hipDeviceAttributeManagedMemory, managedMemory),
    FIELD(hipDeviceAttributeMaxBlockDimX, maxThreadsDim[0]),
    FIELD(hipDeviceAttributeMaxBlockDimY, maxThreadsDim[1]),
    FIELD(hipDeviceAttributeMaxBlockDimZ, maxThreadsDim[2]),
    FIELD(hipDeviceAttributeMaxGridDimX, maxGridSize[0]),
    FIELD(hipDeviceAttributeMaxGridDimY, maxGridSize[1]),
    FIELD(hipDeviceAttributeMaxGridDimZ, maxGridSize[2]),
    FIELD(hipDeviceAttributeMaxTexture1DWidth, maxTexture1D),
    FIELD(hipDeviceAttributeMaxTexture2DWidth, maxTexture2D[0]),
    FIELD(hipDeviceAttributeMaxTexture2DHeight, maxTexture2D[1]),
    FIELD(hipDeviceAttributeMaxTexture3DWidth, maxTexture3D[0]),
    FIELD(hipDeviceAttributeMaxTexture3DHeight, maxTexture3D[1]),
    FIELD(hipDeviceAttributeMaxTexture3DDepth, maxTexture3D[2]),
    FIELD(hipDeviceAttributeMaxThreadsPerBlock, maxThreadsPerBlock),
    FIELD(hipDeviceAttributeMaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    FIELD(hipDeviceAttributeMaxPitch, memPitch),
    FIELD(hipDeviceAttributeMemoryBusWidth, memoryBusWidth),
    FIELD(hipDeviceAttributeMemoryClockRate, memoryClockRate),
    FIELD(hipDeviceAttributeMultiprocessorCount, multiProcessorCount),
    FIELD(hipDeviceAttributePhysicalMultiProcessorCount, multiProcessorCount),
    FIELD(hipDeviceAttributePageableMemoryAccess, pageableMemoryAccess),
    FIELD(hipDeviceAttributePageableMemoryAccessUsesHostPageTables,
          pageableMemoryAccessUsesHostPageTables),
    FIELD(hipDeviceAttributePciBusId, pciBusID),
    FIELD(hipDeviceAttributePciDeviceId, pciDeviceID),
    FIELD(hipDeviceAttributeMaxRegistersPerBlock, regsPerBlock),
    FIELD(hipDeviceAttributeMaxSharedMemoryPerBlock, sharedMemPerBlock),
    FIELD(hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, maxSharedMemoryPerMultiProcessor),
    FIELD(hipDeviceAttributeTextureAlignment, textureAlignment),
    FIELD(hipDeviceAttributeTexturePitchAlignment, texturePitchAlignment),
    FIELD(hipDeviceAttributeTotalConstantMemory, totalConstMem),
    FIELD(hipDeviceAttributeWarpSize, warpSize),
    FIELD(hipDeviceAttributeClockInstructionRate, clockInstructionRate),
    FIELD(hipDeviceAttributeIsLargeBar, isLargeBar),
    FIELD(hipDeviceAttributeAsicRevision, asicRevision),
    FIELD(hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc,
          cooperativeMultiDeviceUnmatchedFunc),
    FIELD(hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim,
          cooperativeMultiDeviceUnmatchedGridDim),
    FIELD(hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim,
          cooperativeMultiDeviceUnmatchedBlockDim),
    FIELD(hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem,
          cooperativeMultiDeviceUnmatchedSharedMem),
};

// Attributes that are no property.
typedef struct {
  hipDeviceAttribute_t attribute;
  int value;
} AttributeValue;

static const AttributeValue attribute_values[] = {
    {hipDeviceAttributeCanUseStreamWaitValue, 1},
    {hipDeviceAttributeUnifiedAddressing, 1},
    {hipDeviceAttributeImageSupport, 1},
    {hipDeviceAttributeFineGrainSupport, 1},
    {hipDeviceAttributeHostNativeAtomicSupported, 1},
    {hipDeviceAttributeMemoryPoolsSupported, 1},
    {hipDeviceAttributeMemoryPoolsSupported + 1,
     1}, // VirtualMemoryManagementSupported, from 5.3 on
    // From 5.4 on: WallClockRate, kHz; NumberOfXccs, of which no device has more here.
    {hipDeviceAttributeFineGrainSupport + 1, DEVICE_CONSTANT_CLOCK_KHZ},
    {hipDeviceAttributeFineGrainSupport + 2, 1},
};

enum { MAX_AVAILABLE_VGPRS = hipDeviceAttributeFineGrainSupport + 3 }; // from 6.4 on, of a thread

static hipError_t get_attribute(int *value, hipDeviceAttribute_t attribute, int device) {
  if (!value)
    return hipErrorInvalidValue;
  if (!device_known(device))
    return hipErrorInvalidDevice;
  for (size_t i = 0; i < sizeof attribute_values / sizeof attribute_values[0]; i++)
    if (attribute_values[i].attribute == attribute) {
      *value = attribute_values[i].value;
      return hipSuccess;
    }
  if ((int)attribute == MAX_AVAILABLE_VGPRS) {
    *value =
        DEVICE_VGPRS_PER_SIMD_LANE / (parameters_device()->architecture->unified_vgprs ? 1 : 2);
    return hipSuccess;
  }
  hipDeviceProp_t properties;
  fill_properties(&properties, device);
  for (size_t i = 0; i < sizeof attribute_fields / sizeof attribute_fields[0]; i++)
    if (attribute_fields[i].attribute == attribute) {
      memcpy(value, (const char *)&properties + attribute_fields[i].offset,
             sizeof *value); // little-endian: also of size_t
      return hipSuccess;
    }
  return device_later_attribute(value, (int)attribute, &properties) ? hipSuccess
                                                                    : hipErrorInvalidValue;
}

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
  SERVE_IF(CALL_NEEDS_DEVICE, get_attribute(value, attribute, device));
}

static hipError_t get_properties(hipDeviceProp_t *target, int device) {
  if (!target)
    return hipErrorInvalidValue;
  if (!device_known(device))
    return hipErrorInvalidDevice;
  fill_properties(target, device);
  return hipSuccess;
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t *target, int device) {
  SERVE_IF(CALL_NEEDS_DEVICE, get_properties(target, device));
}

static hipError_t count_devices(int *count) {
  if (!count)
    return hipErrorInvalidValue;
  if (runtime_refused())
    return hipErrorNotInitialized;
  *count = device_count();
  return *count ? hipSuccess : runtime_no_device();
}

hipError_t hipGetDeviceCount(int *count) { SERVE_IF(CALL_NEEDS_NOTHING, count_devices(count)); }

static hipError_t give_number(int *target, int device) {
  if (!target)
    return hipErrorInvalidValue;
  *target = device;
  return hipSuccess;
}

static hipError_t select_device(int device) {
  if (!device_known(device)) {
    runtime_say(
        "there is no device %d: %d %s, from number 0 on. EMULATOR_DEVICES=N in the environment "
        "emulates N.",
        device, device_count(), device_count() == 1 ? "is emulated" : "are emulated");
    return hipErrorInvalidDevice;
  }
  device_select(device);
  return hipSuccess;
}

hipError_t hipGetDevice(int *device) {
  SERVE_IF(CALL_NEEDS_DEVICE, give_number(device, device_current()));
}
hipError_t hipSetDevice(int device) { SERVE_IF(CALL_NEEDS_DEVICE, select_device(device)); }
hipError_t hipChooseDevice(int *device, const hipDeviceProp_t *wanted) {
  SERVE_IF(CALL_NEEDS_DEVICE, wanted ? give_number(device, 0) : hipErrorInvalidValue);
}
hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
  SERVE_IF(CALL_NEEDS_DEVICE,
           device_known(ordinal) ? give_number(device, ordinal) : hipErrorInvalidDevice);
}
hipError_t hipCtxGetDevice(hipDevice_t *device) {
  SERVE_IF(CALL_NEEDS_DEVICE, give_number(device, device_current()));
}

static hipError_t copy_text(char *text, int size, hipDevice_t device, const char *value) {
  if (!device_known(device))
    return hipErrorInvalidDevice;
  if (!text || size <= 0)
    return hipErrorInvalidValue;
  snprintf(text, (size_t)size, "%s", value);
  return hipSuccess;
}

static const char *pci_bus_id(int device) {
  static char id[sizeof "0000:00:00.0"];
  snprintf(id, sizeof id, "0000:%02x:00.0", (unsigned)device_place(device) & 0xff);
  return id;
}

// The function behind the point may be missing.
static hipError_t device_of_pci_bus_id(int *device, const char *id) {
  for (int i = 0; id && i < device_count(); i++)
    if (strncmp(id, pci_bus_id(i), strlen("0000:00:00")) == 0)
      return give_number(device, i);
  return hipErrorInvalidValue;
}

hipError_t hipDeviceGetName(char *name, int size, hipDevice_t device) {
  SERVE_IF(CALL_NEEDS_DEVICE, copy_text(name, size, device, device_name()));
}

// A part of it names no device.
static hipError_t copy_bus_id(char *text, int size, int device) {
  const char *id = pci_bus_id(device);
  const hipError_t error = copy_text(text, size, device, id);
  return error == hipSuccess && (size_t)size <= strlen(id) ? hipErrorInvalidValue : error;
}

hipError_t hipDeviceGetPCIBusId(char *id, int size, int device) {
  SERVE_IF(CALL_NEEDS_DEVICE, copy_bus_id(id, size, device));
}
hipError_t hipDeviceGetByPCIBusId(int *device, const char *id) {
  SERVE_IF(CALL_NEEDS_DEVICE, device_of_pci_bus_id(device, id));
}

static hipError_t get_uuid(hipUUID *uuid, hipDevice_t device) {
  if (!device_known(device))
    return hipErrorInvalidDevice;
  if (!uuid)
    return hipErrorInvalidValue;
  char text[DEVICE_UUID + 1];
  device_uuid(device, text);
  memcpy(uuid->bytes, text, sizeof uuid->bytes);
  return hipSuccess;
}

hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device) {
  SERVE_IF(CALL_NEEDS_DEVICE, get_uuid(uuid, device));
}

static hipError_t capability(int *major, int *minor, hipDevice_t device) {
  if (!device_known(device))
    return hipErrorInvalidDevice;
  if (!major || !minor)
    return hipErrorInvalidValue;
  *major = architecture.major;
  *minor = architecture.minor;
  return hipSuccess;
}

hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) {
  SERVE_IF(CALL_NEEDS_DEVICE, capability(major, minor, device));
}

static hipError_t total_memory(size_t *bytes, hipDevice_t device) {
  if (!device_known(device))
    return hipErrorInvalidDevice;
  if (!bytes)
    return hipErrorInvalidValue;
  *bytes = device_memory_size();
  return hipSuccess;
}

hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
  SERVE_IF(CALL_NEEDS_DEVICE, total_memory(bytes, device));
}

// Flags and cache preferences are accepted and change nothing, as in ROCm.
static hipError_t set_flags(unsigned flags) {
  const bool one_schedule = __builtin_popcount(flags & hipDeviceScheduleMask) <= 1;
  if (flags & ~(unsigned)(hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax) ||
      (program_abi() >= 6 && !one_schedule))
    return hipErrorInvalidValue;
  device_set_flags(flags & hipDeviceScheduleMask);
  return hipSuccess;
}

static hipError_t get_flags(unsigned *flags) {
  if (!flags)
    return hipErrorInvalidValue;
  *flags = device_flags();
  return hipSuccess;
}

// Of 7.16. The device's own stream is there in any case.
EXPORT hipError_t hipInitDevice(int device, unsigned device_flags, unsigned flags);

static hipError_t init_device(int device, unsigned of_device, unsigned flags) {
  enum { VALID = 1 };
  if (flags > VALID)
    return hipErrorInvalidValue;
  if (!device_known(device))
    return hipErrorInvalidDevice;
  return flags == VALID ? set_flags(of_device) : hipSuccess;
}

hipError_t hipInitDevice(int device, unsigned device_flags, unsigned flags) {
  SERVE_IF(CALL_NEEDS_DEVICE, init_device(device, device_flags, flags));
}
hipError_t hipSetDeviceFlags(unsigned flags) { SERVE_IF(CALL_NEEDS_DEVICE, set_flags(flags)); }
hipError_t hipGetDeviceFlags(unsigned *flags) { SERVE_IF(CALL_NEEDS_DEVICE, get_flags(flags)); }

static hipError_t get_cache_config(hipFuncCache_t *configuration) {
  if (!configuration)
    return hipErrorInvalidValue;
  *configuration = hipFuncCachePreferNone;
  return hipSuccess;
}

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *configuration) {
  SERVE_IF(CALL_NEEDS_DEVICE, get_cache_config(configuration));
}
// A preference, which changes nothing.
static hipError_t wish(unsigned configuration, unsigned last) {
  return configuration > last                      ? hipErrorInvalidValue
         : program_abi() >= 7 && stream_recorded() ? hipErrorStreamCaptureUnsupported
                                                   : hipSuccess;
}

hipError_t hipDeviceSetCacheConfig(hipFuncCache_t configuration) {
  SERVE_IF(CALL_NEEDS_DEVICE, wish((unsigned)configuration, hipFuncCachePreferEqual));
}

static hipError_t get_bank_size(hipSharedMemConfig *configuration) {
  if (!configuration)
    return hipErrorInvalidValue;
  *configuration = hipSharedMemBankSizeFourByte;
  return hipSuccess;
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *configuration) {
  SERVE_IF(CALL_NEEDS_DEVICE, get_bank_size(configuration));
}
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig *configuration) {
  SERVE_IF(CALL_NEEDS_DEVICE, get_bank_size(configuration));
}
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig configuration) {
  SERVE_IF(CALL_NEEDS_DEVICE, wish((unsigned)configuration, hipSharedMemBankSizeEightByte));
}

// Forgets a fault, the streams and the device's memory. Memory of the host, which all devices share,
// stays.
static hipError_t reset(void) {
  unawaited_tell("hipDeviceReset");
  runtime_forget_fault();
  device_set_flags(0);
  streams_destroy_all();
  pools_empty();
  mipmaps_free_all();
  arrays_free_all();
  device_memory_free_all(device_current());
  return hipSuccess;
}

hipError_t hipDeviceReset(void) {
  queue_wait_all();
  device_lock(); // before the call's own lock, as runtime_enter does
  hipError_t error = runtime_enter(__func__, CALL_NEEDS_DEVICE);
  error = runtime_leave(CALL_NEEDS_DEVICE, error == hipSuccess ? reset() : error);
  device_unlock();
  return error;
}

// Programs ask for it, and do not run with an earlier one: for theirs, that of ROCm 6.4.3 or 7.0.
static hipError_t version(int *value) {
  if (!value)
    return hipErrorInvalidValue;
  *value = program_abi() >= 7 ? 70051831 : program_abi() == 6 ? 60443484 : HIP_VERSION;
  return hipSuccess;
}

hipError_t hipDriverGetVersion(int *value) { SERVE_IF(CALL_NEEDS_NOTHING, version(value)); }
hipError_t hipRuntimeGetVersion(int *value) { SERVE_IF(CALL_NEEDS_NOTHING, version(value)); }
