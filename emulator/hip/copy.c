// Copies and fills: between host and device in every direction, in one, two and three dimensions,
// and to and from variables.
//
// In: addresses, extents in bytes, direction. Out: the bytes moved, or an error and the sentence
// that says which range is wrong. Where the real runtime looks at the pointers and not at the
// hipMemcpyKind, so does this (hipamd hip_memory.cpp, ihipMemcpy). A host address that is not
// mapped crashes the real runtime; here it is an error.
#define _GNU_SOURCE
#include "runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// True if the byte can be read: the kernel copies it through a pipe and refuses what would fault.
static bool readable(const uint8_t *byte) {
  static int ends[2] = {-1, -1};
  uint8_t back;
  if (ends[0] < 0 && pipe2(ends, O_CLOEXEC) != 0)
    return true; // out of descriptors: nothing can be said
  return write(ends[1], byte, 1) == 1 && read(ends[0], &back, 1) == 1;
}

// True if all pages of ordinary host memory exist, and the outer ones can be read.
static bool mapped(const void *address, size_t size) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t begin = (uint64_t)address / page * page;
  if (size > UINT64_MAX - (uint64_t)address)
    return false;
  if (msync((void *)begin, (uint64_t)address + size - begin, MS_ASYNC) != 0 && errno == ENOMEM)
    return false;
  return readable(address) && readable((const uint8_t *)address + size - 1);
}

static void explain_range(const char *role, const void *address, size_t size) {
  int64_t distance;
  const Allocation *nearest = device_memory_nearest((uint64_t)address, &distance);
  if (nearest && distance == 0 && !nearest->live)
    runtime_say("the %s %p lies in memory that was freed (%llu bytes at 0x%llx).", role, address,
                (unsigned long long)nearest->size, (unsigned long long)nearest->address);
  else if (nearest && distance == 0)
    runtime_say(
        "%zu bytes at the %s %p reach %llu bytes beyond the allocation of %llu bytes at 0x%llx.",
        size, role, address,
        (unsigned long long)((uint64_t)address + size - nearest->address - nearest->size),
        (unsigned long long)nearest->size, (unsigned long long)nearest->address);
  else if (nearest && distance > 0 && distance < DEVICE_MEMORY_GAP)
    runtime_say(
        "the %s %p begins %lld bytes behind the end of the allocation of %llu bytes at 0x%llx.",
        role, address, (long long)distance - 1, (unsigned long long)nearest->size,
        (unsigned long long)nearest->address);
  else
    runtime_say("%zu bytes at the %s %p are neither HIP memory nor mapped host memory.", size, role,
                address);
}

// True for addresses that were device memory or are the gap beside it, which may be mapped and is
// not the program's.
static bool beside_allocation(const void *address) {
  int64_t distance;
  const Allocation *nearest = device_memory_nearest((uint64_t)address, &distance);
  return nearest && !nearest->registered && distance < DEVICE_MEMORY_GAP &&
         distance > -DEVICE_MEMORY_GAP;
}

// A range must lie in one allocation, or be host memory. *device tells which.
static hipError_t check_range(const char *role, const void *address, size_t size, bool *device) {
  if (!address) {
    runtime_say("the %s is a null pointer.", role);
    return hipErrorInvalidValue;
  }
  *device = device_memory_find((uint64_t)address, 1) != NULL;
  if (*device ? device_memory_find((uint64_t)address, size) != NULL
              : !beside_allocation(address) && mapped(address, size))
    return hipSuccess;
  explain_range(role, address, size);
  return hipErrorInvalidValue;
}

static hipError_t check_copy(const void *to, size_t to_size, const void *from, size_t from_size,
                             hipMemcpyKind kind) {
  bool to_device = false, from_device = false;
  hipError_t error = check_range("destination", to, to_size, &to_device);
  if (error == hipSuccess)
    error = check_range("source", from, from_size, &from_device);
  if (error == hipSuccess && !to_device && !from_device && kind != hipMemcpyHostToHost &&
      kind != hipMemcpyDefault) {
    runtime_say("neither %p nor %p is device memory; allocate one of them with hipMalloc, or copy "
                "with hipMemcpyHostToHost.",
                to, from);
    error = hipErrorInvalidValue;
  }
  return error;
}

hipError_t memory_copy(void *to, const void *from, size_t size, hipMemcpyKind kind) {
  if (!size)
    return hipSuccess;
  hipError_t error = check_copy(to, size, from, size, kind);
  if (error == hipSuccess)
    memmove(to, from, size);
  return error;
}

// Checks first, so that a recorded copy fails where it is written down.
static hipError_t copy_on(hipStream_t stream, void *to, const void *from, size_t size,
                          hipMemcpyKind kind) {
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  Stream *capturing = stream_capturing(stream);
  if (!capturing)
    return memory_copy(to, from, size, kind);
  hipError_t error = size ? check_copy(to, size, from, size, kind) : hipSuccess;
  return error == hipSuccess ? capture_copy(capturing, to, from, size, kind) : error;
}

// Calls that wait for the device are refused while a stream records.
#define SERVE_BLOCKING(BODY) SERVE(capture_active() ? hipErrorStreamCaptureImplicit : (BODY))

hipError_t hipMemcpy(void *to, const void *from, size_t size, hipMemcpyKind kind) {
  SERVE_BLOCKING(memory_copy(to, from, size, kind));
}
PER_THREAD_VARIANT(hipMemcpy);

hipError_t hipMemcpyAsync(void *to, const void *from, size_t size, hipMemcpyKind kind,
                          hipStream_t stream) {
  SERVE(copy_on(stream, to, from, size, kind));
}
PER_THREAD_VARIANT(hipMemcpyAsync);

hipError_t hipMemcpyWithStream(void *to, const void *from, size_t size, hipMemcpyKind kind,
                               hipStream_t stream) {
  SERVE(copy_on(stream, to, from, size, kind));
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void *from, size_t size) {
  SERVE_BLOCKING(memory_copy(to, from, size, hipMemcpyHostToDevice));
}
hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t size) {
  SERVE_BLOCKING(memory_copy(to, from, size, hipMemcpyDeviceToHost));
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t size) {
  SERVE_BLOCKING(memory_copy(to, from, size, hipMemcpyDeviceToDevice));
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void *from, size_t size, hipStream_t stream) {
  SERVE(copy_on(stream, to, from, size, hipMemcpyHostToDevice));
}
hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t size, hipStream_t stream) {
  SERVE(copy_on(stream, to, from, size, hipMemcpyDeviceToHost));
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t size,
                              hipStream_t stream) {
  SERVE(copy_on(stream, to, from, size, hipMemcpyDeviceToDevice));
}
hipError_t hipMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size) {
  SERVE(to_device || from_device ? hipErrorInvalidDevice
                                 : memory_copy(to, from, size, hipMemcpyDeviceToDevice));
}
hipError_t hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                              size_t size, hipStream_t stream) {
  SERVE(to_device || from_device ? hipErrorInvalidDevice
                                 : copy_on(stream, to, from, size, hipMemcpyDeviceToDevice));
}

// A box of rows: width bytes in a row, rows pitch bytes apart, slices slice bytes apart.
typedef struct {
  uint8_t *base;
  size_t pitch, slice;
} Rows;

// Bytes from the first to the last byte of the box; false on overflow.
static bool box_size(Rows rows, hipExtent box, size_t *size) {
  size_t slices, lines;
  return !__builtin_mul_overflow(rows.slice, box.depth - 1, &slices) &&
         !__builtin_mul_overflow(rows.pitch, box.height - 1, &lines) &&
         !__builtin_add_overflow(slices, lines, size) &&
         !__builtin_add_overflow(*size, box.width, size);
}

static hipError_t copy_box(Rows to, Rows from, hipExtent box, hipMemcpyKind kind) {
  size_t to_size, from_size;
  if (!box.width || !box.height || !box.depth)
    return hipSuccess;
  if (box.width > to.pitch || box.width > from.pitch) {
    runtime_say(
        "rows of %zu bytes do not fit into pitches of %zu (destination) and %zu bytes (source).",
        box.width, to.pitch, from.pitch);
    return hipErrorInvalidPitchValue;
  }
  if (!box_size(to, box, &to_size) || !box_size(from, box, &from_size))
    return hipErrorInvalidValue;
  hipError_t error = check_copy(to.base, to_size, from.base, from_size, kind);
  for (size_t z = 0; error == hipSuccess && z < box.depth; z++)
    for (size_t y = 0; y < box.height; y++)
      memmove(to.base + z * to.slice + y * to.pitch, from.base + z * from.slice + y * from.pitch,
              box.width);
  return error;
}

static hipError_t not_captured(hipStream_t stream) {
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  if (!stream_capturing(stream))
    return hipSuccess;
  runtime_say(
      "only one-dimensional copies and fills can be recorded into a graph of the emulated device.");
  return hipErrorStreamCaptureUnsupported;
}

static hipError_t copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                          size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream) {
  hipError_t error = not_captured(stream);
  Rows target = {to, to_pitch, 0}, source = {(uint8_t *)from, from_pitch, 0};
  return error == hipSuccess ? copy_box(target, source, (hipExtent){width, height, 1}, kind)
                             : error;
}

hipError_t hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                       size_t height, hipMemcpyKind kind) {
  SERVE_BLOCKING(copy_2d(to, to_pitch, from, from_pitch, width, height, kind, NULL));
}
PER_THREAD_VARIANT(hipMemcpy2D);

hipError_t hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                            size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream) {
  SERVE(copy_2d(to, to_pitch, from, from_pitch, width, height, kind, stream));
}

static hipError_t copy_parameters_2d(const hip_Memcpy2D *p, hipStream_t stream) {
  if (!p)
    return hipErrorInvalidValue;
  if (p->srcMemoryType == hipMemoryTypeArray || p->dstMemoryType == hipMemoryTypeArray) {
    runtime_say("arrays are not served by the emulated device; use linear memory.");
    return hipErrorNotSupported;
  }
  const uint8_t *from = p->srcMemoryType == hipMemoryTypeHost ? p->srcHost : p->srcDevice;
  uint8_t *to = p->dstMemoryType == hipMemoryTypeHost ? p->dstHost : p->dstDevice;
  if (!from || !to)
    return hipErrorInvalidValue;
  return copy_2d(to + p->dstXInBytes + p->dstY * p->dstPitch, p->dstPitch,
                 from + p->srcXInBytes + p->srcY * p->srcPitch, p->srcPitch, p->WidthInBytes,
                 p->Height, hipMemcpyDefault, stream);
}

hipError_t hipMemcpyParam2D(const hip_Memcpy2D *parameters) {
  SERVE_BLOCKING(copy_parameters_2d(parameters, NULL));
}
hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *parameters, hipStream_t stream) {
  SERVE(copy_parameters_2d(parameters, stream));
}

static Rows rows_at(hipPitchedPtr p, hipPos position) {
  return (Rows){(uint8_t *)p.ptr + position.x + (position.y + position.z * p.ysize) * p.pitch,
                p.pitch, p.pitch * p.ysize};
}

hipError_t memory_copy_3d(const hipMemcpy3DParms *p) {
  if (!p)
    return hipErrorInvalidValue;
  if (p->srcArray || p->dstArray) {
    runtime_say(
        "arrays are not served by the emulated device; use hipMalloc3D and pitched pointers.");
    return hipErrorNotSupported;
  }
  if (!p->srcPtr.ptr || !p->dstPtr.ptr)
    return hipErrorInvalidValue;
  return copy_box(rows_at(p->dstPtr, p->dstPos), rows_at(p->srcPtr, p->srcPos), p->extent, p->kind);
}

static hipError_t copy_3d(const hipMemcpy3DParms *parameters, hipStream_t stream) {
  hipError_t error = not_captured(stream);
  return error == hipSuccess ? memory_copy_3d(parameters) : error;
}

hipError_t hipMemcpy3D(const hipMemcpy3DParms *parameters) {
  SERVE_BLOCKING(copy_3d(parameters, NULL));
}
PER_THREAD_VARIANT(hipMemcpy3D);
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *parameters, hipStream_t stream) {
  SERVE(copy_3d(parameters, stream));
}

static hipError_t check_fill(const void *to, size_t size) {
  bool device = false;
  hipError_t error = check_range("destination", to, size, &device);
  if (error == hipSuccess && !device) {
    runtime_say("the destination %p is not device memory; fill host memory with memset.", to);
    error = hipErrorInvalidValue;
  }
  return error;
}

static void fill(void *to, uint32_t value, size_t width, size_t count) {
  if (width == 1)
    memset(to, (int)value, count);
  else
    for (size_t i = 0; i < count; i++)
      memcpy((uint8_t *)to + i * width, &value, width);
}

hipError_t memory_set(void *to, uint32_t value, size_t width, size_t count) {
  size_t size;
  if (__builtin_mul_overflow(width, count, &size))
    return hipErrorInvalidValue;
  if (!size)
    return hipSuccess;
  hipError_t error = check_fill(to, size);
  if (error == hipSuccess)
    fill(to, value, width, count);
  return error;
}

static hipError_t set_on(hipStream_t stream, void *to, uint32_t value, size_t width, size_t count) {
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  Stream *capturing = stream_capturing(stream);
  return capturing ? capture_set(capturing, to, value, width, count)
                   : memory_set(to, value, width, count);
}

hipError_t hipMemset(void *to, int value, size_t size) {
  SERVE_BLOCKING(memory_set(to, (uint32_t)value, 1, size));
}
PER_THREAD_VARIANT(hipMemset);
hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
  SERVE_BLOCKING(memory_set(to, value, 1, count));
}
hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count) {
  SERVE_BLOCKING(memory_set(to, value, 2, count));
}
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
  SERVE_BLOCKING(memory_set(to, (uint32_t)value, 4, count));
}
hipError_t hipMemsetAsync(void *to, int value, size_t size, hipStream_t stream) {
  SERVE(set_on(stream, to, (uint32_t)value, 1, size));
}
hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count,
                            hipStream_t stream) {
  SERVE(set_on(stream, to, value, 1, count));
}
hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count,
                             hipStream_t stream) {
  SERVE(set_on(stream, to, value, 2, count));
}
hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream) {
  SERVE(set_on(stream, to, (uint32_t)value, 4, count));
}

static hipError_t set_box(Rows rows, int value, hipExtent box, hipStream_t stream) {
  size_t size;
  if (!box.width || !box.height || !box.depth)
    return hipSuccess;
  if (box.width > rows.pitch || !box_size(rows, box, &size))
    return hipErrorInvalidValue;
  hipError_t error = not_captured(stream);
  if (error == hipSuccess)
    error = check_fill(rows.base, size);
  for (size_t z = 0; error == hipSuccess && z < box.depth; z++)
    for (size_t y = 0; y < box.height; y++)
      memset(rows.base + z * rows.slice + y * rows.pitch, value, box.width);
  return error;
}

hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  SERVE_BLOCKING(set_box((Rows){to, pitch, 0}, value, (hipExtent){width, height, 1}, NULL));
}
PER_THREAD_VARIANT(hipMemset2D);
hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream) {
  SERVE(set_box((Rows){to, pitch, 0}, value, (hipExtent){width, height, 1}, stream));
}
hipError_t hipMemset3D(hipPitchedPtr to, int value, hipExtent extent) {
  SERVE_BLOCKING(set_box(rows_at(to, (hipPos){0, 0, 0}), value, extent, NULL));
}
PER_THREAD_VARIANT(hipMemset3D);
hipError_t hipMemset3DAsync(hipPitchedPtr to, int value, hipExtent extent, hipStream_t stream) {
  SERVE(set_box(rows_at(to, (hipPos){0, 0, 0}), value, extent, stream));
}

// The part of a __device__ or __constant__ variable that a copy touches.
static hipError_t variable_part(const void *symbol, size_t size, size_t offset, void **part) {
  uint64_t address;
  size_t whole;
  hipError_t error = runtime_variable(symbol, &address, &whole);
  if (error != hipSuccess)
    return error;
  if (offset > whole || size > whole - offset) {
    runtime_say("%zu bytes at offset %zu exceed the variable's %zu bytes.", size, offset, whole);
    return hipErrorInvalidValue;
  }
  *part = (void *)(address + offset);
  return hipSuccess;
}

static hipError_t copy_to_variable(const void *symbol, const void *from, size_t size, size_t offset,
                                   hipMemcpyKind kind, hipStream_t stream) {
  void *part = NULL;
  hipError_t error = variable_part(symbol, size, offset, &part);
  return error == hipSuccess ? copy_on(stream, part, from, size, kind) : error;
}

static hipError_t copy_from_variable(void *to, const void *symbol, size_t size, size_t offset,
                                     hipMemcpyKind kind, hipStream_t stream) {
  void *part = NULL;
  hipError_t error = variable_part(symbol, size, offset, &part);
  return error == hipSuccess ? copy_on(stream, to, part, size, kind) : error;
}

hipError_t hipMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                             hipMemcpyKind kind) {
  SERVE_BLOCKING(copy_to_variable(symbol, from, size, offset, kind, NULL));
}
PER_THREAD_VARIANT(hipMemcpyToSymbol);
hipError_t hipMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                               hipMemcpyKind kind) {
  SERVE_BLOCKING(copy_from_variable(to, symbol, size, offset, kind, NULL));
}
PER_THREAD_VARIANT(hipMemcpyFromSymbol);
hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream) {
  SERVE(copy_to_variable(symbol, from, size, offset, kind, stream));
}
hipError_t hipMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream) {
  SERVE(copy_from_variable(to, symbol, size, offset, kind, stream));
}

static hipError_t variable_address(void **address, const void *symbol) {
  return address ? variable_part(symbol, 0, 0, address) : hipErrorInvalidValue;
}

static hipError_t variable_size(size_t *size, const void *symbol) {
  uint64_t address;
  return size ? runtime_variable(symbol, &address, size) : hipErrorInvalidValue;
}

hipError_t hipGetSymbolAddress(void **address, const void *symbol) {
  SERVE(variable_address(address, symbol));
}
hipError_t hipGetSymbolSize(size_t *size, const void *symbol) {
  SERVE(variable_size(size, symbol));
}
