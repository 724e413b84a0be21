// Copies to and from arrays.
//
// In: HIP calls; offsets in bytes along a row, in rows and in slices. Out: copies of boxes (copy.h)
// that stay inside the array, or a sentence.
#define _GNU_SOURCE
#include "array.h"
#include "capture.h"
#include "copy.h"
#include "program_abi.h"
#include "program_structs.h"
#include "runtime.h"
#include "stream.h"

#include <stdlib.h>

static hipError_t not_recorded(hipStream_t stream) {
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  if (!stream_capturing(stream))
    return hipSuccess;
  runtime_say("of copies to and from arrays the emulated device records hipMemcpy3DAsync, "
              "hipMemcpy2DToArrayAsync, hipMemcpy2DFromArrayAsync, hipMemcpyParam2DAsync and "
              "hipDrvMemcpy3DAsync of whole elements alone.");
  return hipErrorStreamCaptureUnsupported;
}

static hipError_t to_array(hipArray *to, size_t x, size_t y, const void *from, size_t pitch,
                           size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream) {
  Rows rows;
  const hipExtent box = {width, height, 1};
  hipError_t error = not_recorded(stream);
  if (error == hipSuccess)
    error = rows_in_array(to, (hipPos){x, y, 0}, box, &rows);
  return error == hipSuccess ? copy_box(rows, (Rows){(uint8_t *)from, pitch, 0}, box, kind) : error;
}

static hipError_t from_array(void *to, size_t pitch, hipArray_const_t from, size_t x, size_t y,
                             size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream) {
  Rows rows;
  const hipExtent box = {width, height, 1};
  hipError_t error = not_recorded(stream);
  if (error == hipSuccess)
    error = rows_in_array(from, (hipPos){x, y, 0}, box, &rows);
  return error == hipSuccess ? copy_box((Rows){to, pitch, 0}, rows, box, kind) : error;
}

// A node has its places and widths in elements of the array.
static bool in_elements(hipArray_const_t array, size_t *x, size_t *width) {
  ArrayPlace place;
  if (!array_place(array, &place) || *x % place.element_bytes || *width % place.element_bytes)
    return false;
  *x /= place.element_bytes;
  *width /= place.element_bytes;
  return true;
}

static hipError_t record_checked(Stream *capturing, const hipMemcpy3DParms *p) {
  hipError_t error = copy_3d_check(p);
  return error == hipSuccess ? capture_copy_3d(capturing, p) : error;
}

static hipError_t to_array_on(hipStream_t stream, hipArray *to, size_t x, size_t y,
                              const void *from, size_t pitch, size_t width, size_t height,
                              hipMemcpyKind kind) {
  Stream *capturing = stream_live(stream) ? stream_capturing(stream) : NULL;
  size_t first = x, count = width;
  if (!capturing || !in_elements(to, &first, &count))
    return to_array(to, x, y, from, pitch, width, height, kind, stream);
  return record_checked(capturing,
                        &(hipMemcpy3DParms){.srcPtr = {(void *)from, pitch, width, height},
                                            .dstArray = to,
                                            .dstPos = {first, y, 0},
                                            .extent = {count, height, 1},
                                            .kind = kind});
}

static hipError_t from_array_on(hipStream_t stream, void *to, size_t pitch, hipArray_const_t from,
                                size_t x, size_t y, size_t width, size_t height,
                                hipMemcpyKind kind) {
  Stream *capturing = stream_live(stream) ? stream_capturing(stream) : NULL;
  size_t first = x, count = width;
  if (!capturing || !in_elements(from, &first, &count))
    return from_array(to, pitch, from, x, y, width, height, kind, stream);
  return record_checked(capturing, &(hipMemcpy3DParms){.srcArray = (hipArray *)from,
                                                       .srcPos = {first, y, 0},
                                                       .dstPtr = {to, pitch, width, height},
                                                       .extent = {count, height, 1},
                                                       .kind = kind});
}

hipError_t hipMemcpy2DToArray(hipArray *to, size_t x, size_t y, const void *from, size_t pitch,
                              size_t width, size_t height, hipMemcpyKind kind) {
  SERVE_BLOCKING(to_array(to, x, y, from, pitch, width, height, kind, NULL));
}
hipError_t hipMemcpy2DToArrayAsync(hipArray *to, size_t x, size_t y, const void *from, size_t pitch,
                                   size_t width, size_t height, hipMemcpyKind kind,
                                   hipStream_t stream) {
  SERVE_AFTER(stream_wait(stream), to_array_on(stream, to, x, y, from, pitch, width, height, kind));
}
hipError_t hipMemcpy2DFromArray(void *to, size_t pitch, hipArray_const_t from, size_t x, size_t y,
                                size_t width, size_t height, hipMemcpyKind kind) {
  SERVE_BLOCKING(from_array(to, pitch, from, x, y, width, height, kind, NULL));
}
hipError_t hipMemcpy2DFromArrayAsync(void *to, size_t pitch, hipArray_const_t from, size_t x,
                                     size_t y, size_t width, size_t height, hipMemcpyKind kind,
                                     hipStream_t stream) {
  SERVE_AFTER(stream_wait(stream),
              from_array_on(stream, to, pitch, from, x, y, width, height, kind));
}

EXPORT hipError_t hipMemcpy2DArrayToArray(hipArray *to, size_t to_x, size_t to_y,
                                          hipArray_const_t from, size_t from_x, size_t from_y,
                                          size_t width, size_t height, hipMemcpyKind kind);

static hipError_t between_arrays(hipArray *to, hipPos to_at, hipArray_const_t from, hipPos from_at,
                                 hipExtent box, hipMemcpyKind kind) {
  Rows target, source;
  hipError_t error = rows_in_array(to, to_at, box, &target);
  if (error == hipSuccess)
    error = rows_in_array(from, from_at, box, &source);
  return error == hipSuccess ? copy_box(target, source, box, kind) : error;
}

hipError_t hipMemcpy2DArrayToArray(hipArray *to, size_t to_x, size_t to_y, hipArray_const_t from,
                                   size_t from_x, size_t from_y, size_t width, size_t height,
                                   hipMemcpyKind kind) {
  SERVE_BLOCKING(between_arrays(to, (hipPos){to_x, to_y, 0}, from, (hipPos){from_x, from_y, 0},
                                (hipExtent){width, height, 1}, kind));
}

// `count` bytes of the array's rows, one behind the other from (x, y) on.
static hipError_t stretch(hipArray_const_t array, size_t x, size_t y, uint8_t *other, size_t count,
                          hipMemcpyKind kind, bool into_array) {
  ArrayPlace place;
  if (!array_place(array, &place))
    return hipErrorInvalidHandle;
  hipError_t error = hipSuccess;
  while (count && error == hipSuccess) {
    if (x >= place.memory.xsize)
      return hipErrorInvalidValue;
    const size_t room = place.memory.xsize - x, part = count < room ? count : room;
    error = into_array ? to_array((hipArray *)array, x, y, other, part, part, 1, kind, NULL)
                       : from_array(other, part, array, x, y, part, 1, kind, NULL);
    other += part;
    count -= part;
    x = 0;
    y++;
  }
  return error;
}

// An offset in bytes into the array's first row.
static hipError_t stretch_at(hipArray_const_t array, size_t offset, uint8_t *other, size_t count,
                             bool into_array) {
  ArrayPlace place;
  if (!array_place(array, &place))
    return hipErrorInvalidValue;
  if (offset > place.memory.xsize || count > place.memory.xsize - offset) {
    runtime_say("%zu bytes from byte %zu on are more than a row of the array, %zu bytes; copy rows "
                "with hipMemcpyParam2D.",
                count, offset, place.memory.xsize);
    return hipErrorInvalidValue;
  }
  return stretch(array, offset, 0, other, count,
                 into_array ? hipMemcpyHostToDevice : hipMemcpyDeviceToHost, into_array);
}

hipError_t hipMemcpyToArray(hipArray *to, size_t x, size_t y, const void *from, size_t count,
                            hipMemcpyKind kind) {
  SERVE_BLOCKING(stretch(to, x, y, (uint8_t *)from, count, kind, true));
}
hipError_t hipMemcpyFromArray(void *to, hipArray_const_t from, size_t x, size_t y, size_t count,
                              hipMemcpyKind kind) {
  SERVE_BLOCKING(stretch(from, x, y, to, count, kind, false));
}
hipError_t hipMemcpyHtoA(hipArray *to, size_t offset, const void *from, size_t count) {
  SERVE_BLOCKING(stretch_at(to, offset, (uint8_t *)from, count, true));
}
hipError_t hipMemcpyAtoH(void *to, hipArray *from, size_t offset, size_t count) {
  SERVE_BLOCKING(stretch_at(from, offset, to, count, false));
}

// Of releases after ROCm 5.2.
EXPORT hipError_t hipMemcpyAtoD(void *to, hipArray *from, size_t offset, size_t count);
EXPORT hipError_t hipMemcpyDtoA(hipArray *to, size_t offset, void *from, size_t count);
EXPORT hipError_t hipMemcpyAtoHAsync(void *to, hipArray *from, size_t offset, size_t count,
                                     hipStream_t stream);
EXPORT hipError_t hipMemcpyHtoAAsync(hipArray *to, size_t offset, const void *from, size_t count,
                                     hipStream_t stream);
hipError_t hipMemcpyAtoD(void *to, hipArray *from, size_t offset, size_t count) {
  SERVE_BLOCKING(stretch_at(from, offset, to, count, false));
}
hipError_t hipMemcpyDtoA(hipArray *to, size_t offset, void *from, size_t count) {
  SERVE_BLOCKING(stretch_at(to, offset, from, count, true));
}

// By way of the host's memory: rows of the two may be of different lengths.
static hipError_t stretch_between(hipArray_const_t to, size_t to_offset, hipArray_const_t from,
                                  size_t from_offset, size_t count) {
  uint8_t *bytes = malloc(count + 1);
  if (!bytes)
    return hipErrorOutOfMemory;
  hipError_t error = stretch_at(from, from_offset, bytes, count, false);
  if (error == hipSuccess)
    error = stretch_at(to, to_offset, bytes, count, true);
  free(bytes);
  return error;
}

EXPORT hipError_t hipMemcpyAtoA(hipArray *to, size_t to_offset, hipArray *from, size_t from_offset,
                                size_t count);
hipError_t hipMemcpyAtoA(hipArray *to, size_t to_offset, hipArray *from, size_t from_offset,
                         size_t count) {
  SERVE_BLOCKING(stretch_between(to, to_offset, from, from_offset, count));
}

static hipError_t stretch_on(hipStream_t stream, hipArray_const_t array, size_t offset,
                             uint8_t *other, size_t count, bool into_array) {
  hipError_t error = not_recorded(stream);
  return error == hipSuccess ? stretch_at(array, offset, other, count, into_array) : error;
}

hipError_t hipMemcpyAtoHAsync(void *to, hipArray *from, size_t offset, size_t count,
                              hipStream_t stream) {
  SERVE_AFTER(stream_wait(stream), stretch_on(stream, from, offset, to, count, false));
}
hipError_t hipMemcpyHtoAAsync(hipArray *to, size_t offset, const void *from, size_t count,
                              hipStream_t stream) {
  SERVE_AFTER(stream_wait(stream), stretch_on(stream, to, offset, (uint8_t *)from, count, true));
}

// The ends of a driver-style copy as those of hipMemcpy3D, but for arrays: there all is in bytes.
typedef struct {
  hipMemoryType type;
  hipArray_const_t array;
  const void *host, *device;
  size_t pitch, height; // 0: those of the box
  hipPos at;
} DriverEnd;

static bool in_array(const DriverEnd *end) {
  return known_memory_type((int)end->type) == hipMemoryTypeArray;
}

static hipPitchedPtr memory_of_end(const DriverEnd *end, hipExtent box) {
  const bool host = known_memory_type((int)end->type) == hipMemoryTypeHost;
  return (hipPitchedPtr){.ptr = (void *)(host ? end->host : end->device),
                         .pitch = end->pitch ? end->pitch : box.width,
                         .ysize = end->height ? end->height : box.height};
}

static hipError_t rows_of_end(const DriverEnd *end, hipExtent box, Rows *rows) {
  if (in_array(end))
    return end->array ? rows_in_array(end->array, end->at, box, rows) : hipErrorInvalidValue;
  const hipPitchedPtr memory = memory_of_end(end, box);
  *rows = rows_at(memory, end->at);
  return memory.ptr ? hipSuccess : hipErrorInvalidValue;
}

// One end of a node, whose places and widths are in elements of an array. False if these are not whole.
static bool place_end(const DriverEnd *end, hipExtent box, hipArray **array, hipPitchedPtr *memory,
                      hipPos *at, size_t *width) {
  *at = end->at;
  if (!in_array(end)) {
    *memory = memory_of_end(end, box);
    return true;
  }
  *array = (hipArray *)end->array;
  *width = box.width;
  return in_elements(end->array, &at->x, width);
}

static hipError_t record_between(Stream *capturing, hipStream_t stream, const DriverEnd *target,
                                 const DriverEnd *source, hipExtent box) {
  hipMemcpy3DParms p = {.extent = box, .kind = hipMemcpyDefault};
  size_t to_width = box.width, from_width = box.width;
  const bool whole = place_end(target, box, &p.dstArray, &p.dstPtr, &p.dstPos, &to_width) &&
                     place_end(source, box, &p.srcArray, &p.srcPtr, &p.srcPos, &from_width),
             alike = !p.dstArray || !p.srcArray || to_width == from_width;
  if (!whole || !alike)
    return not_recorded(stream);
  p.extent.width = p.dstArray ? to_width : from_width;
  return p.dstArray || p.srcArray ? record_checked(capturing, &p) : capture_copy_3d(capturing, &p);
}

static hipError_t copy_between(const DriverEnd *target, const DriverEnd *source, hipExtent box,
                               hipStream_t stream) {
  Rows to, from;
  Stream *capturing = stream_live(stream) ? stream_capturing(stream) : NULL;
  if (capturing)
    return record_between(capturing, stream, target, source, box);
  hipError_t error = not_recorded(stream);
  if (error == hipSuccess)
    error = rows_of_end(target, box, &to);
  if (error == hipSuccess)
    error = rows_of_end(source, box, &from);
  if (error == hipSuccess)
    error = copy_box(to, from, box, hipMemcpyDefault);
  // The only code that driver-style copies have for it.
  return error == hipErrorInvalidPitchValue ? hipErrorInvalidValue : error;
}

static hipError_t driver_copy(const HIP_MEMCPY3D *of_program, hipStream_t stream) {
  if (!of_program)
    return hipErrorInvalidValue;
  const DriverCopy p = driver_copy_of(of_program);
  const DriverEnd to = {p.target.type,
                        p.target.array,
                        p.target.host,
                        p.target.device,
                        p.target.pitch,
                        p.target.height,
                        {p.target.x_bytes, p.target.y, p.target.z}},
                  from = {p.source.type,
                          p.source.array,
                          p.source.host,
                          p.source.device,
                          p.source.pitch,
                          p.source.height,
                          {p.source.x_bytes, p.source.y, p.source.z}};
  return copy_between(&to, &from, (hipExtent){p.width_bytes, p.height, p.depth}, stream);
}

hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *parameters) {
  SERVE_BLOCKING(driver_copy(parameters, NULL));
}
hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *parameters, hipStream_t stream) {
  SERVE_AFTER(stream_wait(stream), driver_copy(parameters, stream));
}

static hipError_t driver_copy_2d(const hip_Memcpy2D *p, hipStream_t stream) {
  if (!p)
    return hipErrorInvalidValue;
  const DriverEnd to = {p->dstMemoryType,
                        p->dstArray,
                        p->dstHost,
                        p->dstDevice,
                        p->dstPitch,
                        0,
                        {p->dstXInBytes, p->dstY, 0}},
                  from = {p->srcMemoryType,
                          p->srcArray,
                          p->srcHost,
                          p->srcDevice,
                          p->srcPitch,
                          0,
                          {p->srcXInBytes, p->srcY, 0}};
  return copy_between(&to, &from, (hipExtent){p->WidthInBytes, p->Height, 1}, stream);
}

hipError_t hipMemcpyParam2D(const hip_Memcpy2D *parameters) {
  SERVE_BLOCKING(driver_copy_2d(parameters, NULL));
}
hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *parameters, hipStream_t stream) {
  SERVE_AFTER(stream_wait(stream), driver_copy_2d(parameters, stream));
}
hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *parameters) {
  SERVE_BLOCKING(driver_copy_2d(parameters, NULL));
}
