// Allocation: device, pinned host and managed memory, and what is known of a pointer.
//
// In: the HIP allocation calls. Out: addresses that host and device share, from device_memory.
// Codes: hipamd hip_memory.cpp (ihipMalloc, ihipFree, hipHostMalloc, hipPointerGetAttributes),
// hip_hmm.cpp.
#define _GNU_SOURCE
#include "defined_memory.h"
#include "device_memory.h"
#include "devices.h"
#include "gfx90a.h"
#include "graph_memory.h"
#include "handle.h"
#include "host_limits.h"
#include "host_memory.h"
#include "ipc.h"
#include "pool.h"
#include "program_abi.h"
#include "runtime.h"
#include "settings.h"
#include "stream.h"
#include "unawaited.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define REGISTER_UNCACHED 0x80000000u // hipExtHostRegisterUncached of ROCm 6
enum { PITCH_ALIGNMENT = 256 }; // bytes; rows of hipMallocPitch, as gfx90a's image pitch alignment

static void explain_addresses(uint64_t size) {
  const uint64_t limit = host_address_space_limit();
  uint64_t begin, end;
  char limited[160] = "";
  if (limit != UINT64_MAX)
    snprintf(limited, sizeof limited,
             "ulimit -v leaves the process but %llu MiB of addresses%s: raise it. Or ",
             (unsigned long long)(limit >> 20),
             settings()->sanitize == SANITIZE_ALL
                 ? ", of which the sanitizer's records need three of four"
                 : "");
  device_memory_range(&begin, &end);
  if (*limited && size >= end - begin) {
    runtime_say("no addresses for %llu bytes: %schoose a smaller size.", (unsigned long long)size,
                limited);
    return;
  }
  runtime_say("no addresses for %llu bytes: few are used twice while anything is allocated. %s%s "
              "everything at times, or start the program again.",
              (unsigned long long)size, limited, *limited ? "free" : "Free");
}

static hipError_t allocate(void **address, uint64_t size, MemoryKind kind, unsigned flags) {
  if (!address)
    return hipErrorInvalidValue;
  *address = NULL;
  if (!size || device_memory_allocate(size, kind, flags, address) == MEMORY_OK)
    return hipSuccess;
  pools_give_up();
  if (device_memory_allocate(size, kind, flags, address) == MEMORY_OK)
    return hipSuccess;
  *address = NULL;
  if (device_memory_addresses_ran_out(size)) {
    explain_addresses(size);
    return hipErrorOutOfMemory;
  }
  runtime_say("no room for %llu bytes: %llu of the device's %llu bytes are in use, and the host "
              "must have the pages too.",
              (unsigned long long)size, (unsigned long long)device_memory_used(device_current()),
              (unsigned long long)device_memory_size());
  return hipErrorOutOfMemory;
}

// Says what is known about an address that is not what the caller expected.
static void explain_address(const void *address) {
  int64_t distance;
  const Allocation *nearest = device_memory_nearest((uint64_t)address, &distance);
  if (!nearest)
    runtime_say("%p was not allocated with a HIP call.", address);
  else if (distance == 0 && !nearest->live)
    runtime_say("%p was already freed (%llu bytes at 0x%llx).", address,
                (unsigned long long)nearest->size, (unsigned long long)nearest->address);
  else if (distance == 0 && nearest->kind == MEMORY_HEAP)
    runtime_say("%p was allocated by malloc() in a kernel; only free() in a kernel releases it.",
                address);
  else if (distance == 0 && nearest->registered)
    runtime_say("%p is memory of hipHostRegister, hipMemMap or hipIpcOpenMemHandle; free it with "
                "the call that belongs to it.",
                address);
  else if (distance == 0)
    runtime_say("%p lies %llu bytes inside an allocation; free the address that the allocation "
                "call returned, 0x%llx.",
                address, (unsigned long long)((uint64_t)address - nearest->address),
                (unsigned long long)nearest->address);
  else
    runtime_say("%p is no HIP allocation.", address);
}

static hipError_t release(void *address) {
  if (!address || pool_release(address) || graph_memory_free(address) || ipc_hide(address))
    return hipSuccess;
  const Allocation *allocation = device_memory_find((uint64_t)address, 1);
  if (allocation && allocation->kind == MEMORY_MANAGED)
    unawaited_tell("hipFree");
  if (allocation && !allocation->registered && allocation->kind <= MEMORY_MANAGED &&
      device_memory_free(address, allocation->kind))
    return hipSuccess;
  explain_address(address);
  return hipErrorInvalidValue;
}

hipError_t hipMalloc(void **address, size_t size) {
  SERVE_UNRECORDED(allocate(address, size, MEMORY_DEVICE, 0));
}

// Of ROCm 5.6 and 6.1: memory that no cache holds, and that is one piece. Neither shows here.
enum { MALLOC_UNCACHED = 3, MALLOC_CONTIGUOUS = 4 };

// What the host may write by a plain pointer counts as written.
static hipError_t allocate_with_flags(void **address, size_t size, unsigned flags) {
  if (flags > MALLOC_CONTIGUOUS || (flags == hipMallocSignalMemory && size != 8))
    return hipErrorInvalidValue;
  hipError_t error = allocate(address, size, MEMORY_DEVICE, flags);
  if (error == hipSuccess && flags != hipDeviceMallocDefault && flags != MALLOC_CONTIGUOUS)
    defined_memory_written(*address, size);
  return error;
}

hipError_t hipExtMallocWithFlags(void **address, size_t size, unsigned flags) {
  SERVE_UNRECORDED(allocate_with_flags(address, size, flags));
}

hipError_t hipFree(void *address) {
  SERVE_RELEASE(address, program_abi() >= 7 && stream_forbidden() ? hipErrorStreamCaptureUnsupported
                                                                  : release(address));
}

static hipError_t allocate_host(void **address, size_t size, unsigned flags) {
  const unsigned both = hipHostMallocCoherent | hipHostMallocNonCoherent;
  if (!address || (flags & both) != both)
    return allocate(address, size, MEMORY_HOST, flags);
  *address = NULL;
  return hipErrorInvalidValue;
}

hipError_t hipHostMalloc(void **address, size_t size, unsigned flags) {
  SERVE_UNRECORDED(allocate_host(address, size, flags));
}
hipError_t hipHostAlloc(void **address, size_t size, unsigned flags) {
  SERVE_UNRECORDED(allocate_host(address, size, flags));
}
hipError_t hipMallocHost(void **address, size_t size) {
  SERVE_UNRECORDED(allocate_host(address, size, 0));
}
hipError_t hipMemAllocHost(void **address, size_t size) {
  SERVE_UNRECORDED(allocate_host(address, size, 0));
}
hipError_t hipHostFree(void *address) { SERVE_RELEASE(address, release(address)); }
hipError_t hipFreeHost(void *address) { SERVE_RELEASE(address, release(address)); }

hipError_t hipMallocManaged(void **address, size_t size, unsigned flags) {
  SERVE_UNRECORDED(!size || (flags != hipMemAttachGlobal && flags != hipMemAttachHost)
                       ? hipErrorInvalidValue
                       : allocate(address, size, MEMORY_MANAGED, flags));
}

// msync tells of pages that are not there, and does nothing else that anyone notices.
static bool has_pages(const void *address, size_t size) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t begin = (uintptr_t)address & ~(page - 1);
  uintptr_t end;
  return !__builtin_add_overflow((uintptr_t)address, size, &end) &&
         msync((void *)begin, end - begin, MS_ASYNC) == 0;
}

static hipError_t register_host(void *address, size_t size, unsigned flags) {
  const unsigned known = hipHostRegisterPortable | hipHostRegisterMapped | hipHostRegisterIoMemory |
                         hipExtHostRegisterCoarseGrained | REGISTER_UNCACHED;
  if (!address || !size || flags & ~known)
    return hipErrorInvalidValue;
  if (!has_pages(address, size)) {
    runtime_say("%zu bytes at %p are not all memory of this program.", size, address);
    return hipErrorInvalidValue;
  }
  if (device_memory_register(address, size, flags)) {
    HostMapping mapping;
    if (host_memory_mapping((uint64_t)address, &mapping) && mapping.shared)
      device_memory_export(address);
    return hipSuccess;
  }
  runtime_say("%zu bytes at %p overlap memory that the device knows already.", size, address);
  return hipErrorHostMemoryAlreadyRegistered;
}

static hipError_t unregister_host(void *address) {
  if (!address)
    return hipErrorInvalidValue;
  const Allocation *allocation = device_memory_find((uint64_t)address, 1);
  return allocation && allocation->registered && device_memory_free(address, MEMORY_HOST)
             ? hipSuccess
             : hipErrorHostMemoryNotRegistered;
}

hipError_t hipHostRegister(void *address, size_t size, unsigned flags) {
  SERVE_UNRECORDED(register_host(address, size, flags));
}
hipError_t hipHostUnregister(void *address) {
  SERVE_RELEASE(address,
                stream_forbidden() ? hipErrorStreamCaptureUnsupported : unregister_host(address));
}

static hipError_t allocate_rows(void **address, size_t *pitch, size_t width, size_t height,
                                size_t depth) {
  size_t rows, size;
  if (!address || !pitch)
    return hipErrorInvalidValue;
  *pitch = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
  if (*pitch < width || __builtin_mul_overflow(height, depth, &rows) ||
      __builtin_mul_overflow(rows, *pitch, &size))
    return hipErrorOutOfMemory;
  return allocate(address, size, MEMORY_DEVICE, 0);
}

hipError_t hipMallocPitch(void **address, size_t *pitch, size_t width, size_t height) {
  SERVE_UNRECORDED(allocate_rows(address, pitch, width, height, 1));
}

hipError_t hipMemAllocPitch(hipDeviceptr_t *address, size_t *pitch, size_t width, size_t height,
                            unsigned element) {
  const bool valid = width && height && (element == 4 || element == 8 || element == 16);
  SERVE_UNRECORDED(valid ? allocate_rows(address, pitch, width, height, 1) : hipErrorInvalidValue);
}

static hipError_t allocate_3d(hipPitchedPtr *pitched, hipExtent extent) {
  if (!pitched)
    return hipErrorInvalidValue;
  hipError_t error =
      allocate_rows(&pitched->ptr, &pitched->pitch, extent.width, extent.height, extent.depth);
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return error;
}

hipError_t hipMalloc3D(hipPitchedPtr *pitched, hipExtent extent) {
  SERVE_UNRECORDED(allocate_3d(pitched, extent));
}

// Programs that fill most of what is free would otherwise look for the rest of the device's memory.
static void tell_of_host(uint64_t free_bytes) {
  static bool told;
  const uint64_t of_device = device_memory_size() - device_memory_used(device_current());
  if (free_bytes < of_device && !told)
    runtime_say("note: %llu MiB are free, because this computer has no more memory for the device, "
                "which itself would have %llu MiB.",
                (unsigned long long)free_bytes >> 20, (unsigned long long)of_device >> 20);
  told = told || free_bytes < of_device;
}

// From ROCm 6 on, either may be NULL.
static hipError_t memory_info(size_t *free_bytes, size_t *total) {
  if ((!free_bytes || !total) && program_abi() < 6)
    return hipErrorInvalidValue;
  if (total)
    *total = device_memory_size();
  if (!free_bytes)
    return hipSuccess;
  pools_trim();
  *free_bytes = device_memory_left(device_current());
  tell_of_host(*free_bytes);
  const uint64_t hidden = settings()->hidden_mib << 20;
  *free_bytes = hidden < *free_bytes ? *free_bytes - hidden : 0;
  return hipSuccess;
}

hipError_t hipMemGetInfo(size_t *free_bytes, size_t *total) {
  SERVE(memory_info(free_bytes, total));
}

static hipError_t address_range(hipDeviceptr_t *base, size_t *size, const void *address,
                                hipError_t unknown) {
  const Allocation *allocation = device_memory_find((uint64_t)address, 1);
  if (!allocation)
    return unknown;
  if (base)
    *base = (void *)allocation->address;
  if (size)
    *size = allocation->size;
  return hipSuccess;
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *size, hipDeviceptr_t address) {
  SERVE(address_range(base, size, address,
                      program_abi() >= 6 ? hipErrorNotFound : hipErrorInvalidDevicePointer));
}

// From ROCm 7 on, what hipMalloc gives for no bytes has the size 0.
static hipError_t pointer_size(size_t *size, const void *address) {
  if (address || !size || program_abi() < 7)
    return address_range(NULL, size, address, hipErrorInvalidValue);
  *size = 0;
  return hipSuccess;
}

hipError_t hipMemPtrGetInfo(void *address, size_t *size) { SERVE(pointer_size(size, address)); }

static bool is_host(const Allocation *allocation) {
  return allocation->kind == MEMORY_HOST || allocation->kind == MEMORY_MANAGED;
}

static hipError_t host_flags(unsigned *flags, const void *address) {
  const Allocation *allocation = device_memory_find((uint64_t)address, 1);
  if (!flags || !allocation || !is_host(allocation))
    return hipErrorInvalidValue;
  *flags = allocation->flags;
  return hipSuccess;
}

hipError_t hipHostGetFlags(unsigned *flags, void *address) { SERVE(host_flags(flags, address)); }

static hipError_t device_pointer(void **device, void *host, unsigned flags) {
  if (!device || flags || !device_memory_find((uint64_t)host, 1))
    return hipErrorInvalidValue;
  *device = host;
  return hipSuccess;
}

hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned flags) {
  SERVE(device_pointer(device, host, flags));
}

static int memory_type(const Allocation *allocation) {
  return program_memory_type(is_host(allocation) ? hipMemoryTypeHost : hipMemoryTypeDevice,
                             allocation->kind == MEMORY_MANAGED);
}

static hipError_t pointer_attributes(hipPointerAttribute_t *attributes, const void *address) {
  const bool told_of_any = program_abi() >= 7;
  if (!attributes || (!address && !told_of_any))
    return hipErrorInvalidValue;
  // From 6 on a type of 0 is memory that HIP does not know.
  memset(attributes, 0, sizeof *attributes);
  const Allocation *allocation = address ? device_memory_find((uint64_t)address, 1) : NULL;
  if (!allocation) {
    attributes->device = MEMORY_NO_DEVICE;
    return told_of_any ? hipSuccess : hipErrorInvalidValue;
  }
  attributes->memoryType = (hipMemoryType)memory_type(allocation);
  attributes->device = allocation->device;
  attributes->devicePointer = (void *)address;
  attributes->hostPointer = is_host(allocation) ? (void *)address : NULL;
  attributes->isManaged = allocation->kind == MEMORY_MANAGED;
  attributes->allocationFlags = allocation->flags;
  return hipSuccess;
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *address) {
  SERVE(pointer_attributes(attributes, address));
}

// One attribute, in the type that its documentation gives it.
static hipError_t pointer_attribute(void *data, hipPointer_attribute attribute,
                                    const void *address) {
  const Allocation *allocation = data && address ? device_memory_find((uint64_t)address, 1) : NULL;
  if (data && attribute == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE &&
      handle_live(HANDLE_ARRAY, address)) {
    *(uint32_t *)data = (uint32_t)program_memory_type(hipMemoryTypeArray, false);
    return hipSuccess;
  }
  if (!allocation)
    return hipErrorInvalidValue;
  switch (attribute) {
  case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *(uint32_t *)data = (uint32_t)memory_type(allocation);
    return hipSuccess;
  case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
    *(const void **)data = address;
    return hipSuccess;
  case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
    *(const void **)data = is_host(allocation) ? address : NULL;
    return is_host(allocation) ? hipSuccess : hipErrorInvalidValue;
  case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
    *(bool *)data = allocation->kind == MEMORY_MANAGED;
    return hipSuccess;
  case HIP_POINTER_ATTRIBUTE_BUFFER_ID: // no two allocations begin in the same page
    *(uint32_t *)data = (uint32_t)(allocation->address >> 12);
    return hipSuccess;
  case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *(int *)data = allocation->device;
    return hipSuccess;
  case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    *(uint64_t *)data = allocation->address;
    return hipSuccess;
  case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
    *(uint32_t *)data = (uint32_t)allocation->size; // 32 bits, as the real runtime writes
    return hipSuccess;
  case HIP_POINTER_ATTRIBUTE_MAPPED:
    *(bool *)data = true;
    return hipSuccess;
  default:
    return hipErrorNotSupported;
  }
}

hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute,
                                  hipDeviceptr_t address) {
  SERVE(pointer_attribute(data, attribute, address));
}

EXPORT hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute attribute,
                                         hipDeviceptr_t address);

// Of all attributes a program may set one: that what touches the memory is done when a call returns.
static hipError_t set_pointer_attribute(const void *value, hipPointer_attribute attribute,
                                        const void *address) {
  if (!value || !address || attribute != HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS)
    return hipErrorInvalidValue;
  const Allocation *allocation = device_memory_find((uint64_t)address, 1);
  return allocation && allocation->kind == MEMORY_DEVICE ? hipSuccess
                                                         : hipErrorInvalidDevicePointer;
}

hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute attribute,
                                  hipDeviceptr_t address) {
  SERVE(set_pointer_attribute(value, attribute, address));
}

static size_t attribute_bytes(hipPointer_attribute attribute) {
  switch (attribute) {
  case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
  case HIP_POINTER_ATTRIBUTE_MAPPED:
    return sizeof(bool);
  case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
  case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
  case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
  case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
    return sizeof(uint32_t);
  default:
    return sizeof(uint64_t);
  }
}

// What the pointer does not have, or one that HIP does not know, is 0.
static hipError_t pointer_attributes_of(size_t count, const hipPointer_attribute *attributes,
                                        void **data, const void *address) {
  if (!count || !attributes || !data || !address)
    return hipErrorInvalidValue;
  for (size_t i = 0; i < count; i++) {
    const hipError_t error = pointer_attribute(data[i], attributes[i], address);
    if (error == hipErrorNotSupported)
      return error;
    if (error != hipSuccess && data[i])
      memset(data[i], 0, attribute_bytes(attributes[i]));
  }
  return hipSuccess;
}

hipError_t hipDrvPointerGetAttributes(unsigned count, hipPointer_attribute *attributes, void **data,
                                      hipDeviceptr_t address) {
  SERVE(pointer_attributes_of(count, attributes, data, address));
}
