// The calls that copy and fill, also to and from variables: made, or written down on a stream that
// records.
//
// In: HIP calls. Out: copies and fills (copy.h), or nodes of a graph (capture.h).
#define _GNU_SOURCE
#include "array.h"
#include "capture.h"
#include "copy.h"
#include "device_memory.h"
#include "devices.h"
#include "graph_memory.h"
#include "graph_step.h"
#include "registration.h"
#include "runtime.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  void *to;
  const void *from; // NULL: a fill
  size_t size;      // bytes, of a fill elements
  size_t width;     // bytes of an element
  uint32_t value;
} Transfer;

static void transfer(void *data) {
  const Transfer t = *(const Transfer *)data;
  free(data);
  if (runtime_fault_code() != hipSuccess)
    return;
  device_memory_hold();
  if (t.from)
    copy_bytes(t.to, t.from, t.size, hipMemcpyDefault);
  else
    fill_elements(t.to, t.value, t.width, t.size);
  device_memory_let_go();
}

static hipError_t submit(hipStream_t stream, Transfer asked) {
  Transfer *later = malloc(sizeof *later);
  if (!later)
    return hipErrorOutOfMemory;
  *later = asked;
  queue_submit(stream_order(stream), QUEUE_DEVICE, transfer, later);
  return hipSuccess;
}

typedef enum { END_PAGEABLE, END_OF_HOST, END_OF_DEVICE } End;

static End end_at(const void *address) {
  const Allocation *memory = device_memory_find((uint64_t)address, 1);
  return !memory ? END_PAGEABLE : memory->kind == MEMORY_HOST ? END_OF_HOST : END_OF_DEVICE;
}

// Memory of the host that no HIP call knows is copied within the call, as ROCm does: the program may
// use it for something else when the call returns. So is memory of the host to memory of the host.
// NULL is an array, or an error.
static bool is_made_within(const void *to, const void *from) {
  const End target = to ? end_at(to) : END_OF_DEVICE, source = from ? end_at(from) : END_OF_DEVICE;
  return target == END_PAGEABLE || source == END_PAGEABLE ||
         (target == END_OF_HOST && source == END_OF_HOST);
}

// Before such a copy. What other threads ask of the stream meanwhile comes before it or after it.
static void wait_for_host(const void *to, const void *from, hipStream_t stream) {
  runtime_enter(__func__, CALL_NEEDS_HEALTHY_DEVICE);
  const bool waits = is_made_within(to, from);
  runtime_leave(CALL_NEEDS_HEALTHY_DEVICE, hipSuccess);
  if (waits && stream_is_null(stream))
    stream_wait_for(to, from);
  else if (waits)
    stream_wait(stream);
}

// What graphs allocate is there when they are launched, and is checked then.
static bool checked_later(const void *to, const void *from) {
  return graph_memory_has(to) || graph_memory_has(from);
}

// Checks first, so that a copy which is made later fails where it is written down.
static hipError_t copy_on(hipStream_t stream, void *to, const void *from, size_t size,
                          hipMemcpyKind kind) {
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  Stream *capturing = stream_capturing(stream);
  if (!capturing && (queue_idle(stream_order(stream)) || is_made_within(to, from)))
    return copy_bytes(to, from, size, kind);
  const bool later = !size || (capturing && checked_later(to, from));
  hipError_t error = later ? hipSuccess : copy_check(to, size, from, size, kind);
  if (error != hipSuccess || (!size && !capturing))
    return error;
  return capturing ? capture_copy(capturing, to, from, size, kind)
                   : submit(stream, (Transfer){.to = to, .from = from, .size = size});
}

// Behind the stream's work, which the caller has waited for; what is recorded cannot be waited for.
static hipError_t copy_at_once(hipStream_t stream, void *to, const void *from, size_t size,
                               hipMemcpyKind kind) {
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  const Stream *capturing = stream_capturing(stream);
  if (capturing && stream_capture_broken(capturing->capture_id))
    return hipErrorStreamCaptureUnsupported;
  return copy_bytes(to, from, size, kind);
}

hipError_t hipMemcpy(void *to, const void *from, size_t size, hipMemcpyKind kind) {
  SERVE_COPY(to, from, copy_bytes(to, from, size, kind));
}

hipError_t hipMemcpyAsync(void *to, const void *from, size_t size, hipMemcpyKind kind,
                          hipStream_t stream) {
  SERVE_AFTER(wait_for_host(to, from, stream), copy_on(stream, to, from, size, kind));
}

hipError_t hipMemcpyWithStream(void *to, const void *from, size_t size, hipMemcpyKind kind,
                               hipStream_t stream) {
  SERVE_AFTER(stream_wait(stream), copy_at_once(stream, to, from, size, kind));
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void *from, size_t size) {
  SERVE_COPY(to, from, copy_bytes(to, from, size, hipMemcpyHostToDevice));
}
hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t size) {
  SERVE_COPY(to, from, copy_bytes(to, from, size, hipMemcpyDeviceToHost));
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t size) {
  SERVE_COPY(to, from, copy_bytes(to, from, size, hipMemcpyDeviceToDevice));
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void *from, size_t size, hipStream_t stream) {
  SERVE_AFTER(wait_for_host(to, from, stream),
              copy_on(stream, to, from, size, hipMemcpyHostToDevice));
}
hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t size, hipStream_t stream) {
  SERVE_AFTER(wait_for_host(to, from, stream),
              copy_on(stream, to, from, size, hipMemcpyDeviceToHost));
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t size,
                              hipStream_t stream) {
  SERVE_AFTER(wait_for_host(to, from, stream),
              copy_on(stream, to, from, size, hipMemcpyDeviceToDevice));
}
hipError_t hipMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size) {
  SERVE_COPY(to, from,
             device_known(to_device) && device_known(from_device)
                 ? copy_bytes(to, from, size, hipMemcpyDeviceToDevice)
                 : hipErrorInvalidDevice);
}
hipError_t hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                              size_t size, hipStream_t stream) {
  SERVE_AFTER(wait_for_host(to, from, stream),
              device_known(to_device) && device_known(from_device)
                  ? copy_on(stream, to, from, size, hipMemcpyDeviceToDevice)
                  : hipErrorInvalidDevice);
}

static hipError_t copy_3d_on(hipStream_t stream, const hipMemcpy3DParms *p) {
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  if (!p)
    return hipErrorInvalidValue;
  Stream *capturing = stream_capturing(stream);
  if (capturing)
    return capture_copy_3d(capturing, p);
  if (queue_idle(stream_order(stream)) || is_made_within(p->dstPtr.ptr, p->srcPtr.ptr))
    return copy_3d_box(p);
  hipError_t error = copy_3d_check(p);
  return error == hipSuccess ? step_submit(&(Step){.type = hipGraphNodeTypeMemcpy, .copy_3d = *p},
                                           stream_order(stream))
                             : error;
}

static hipError_t copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                          size_t width, size_t height, hipMemcpyKind kind) {
  return copy_box((Rows){to, to_pitch, 0}, (Rows){(uint8_t *)from, from_pitch, 0},
                  (hipExtent){width, height, 1}, kind);
}

// A pitch of 0 means something else in three dimensions.
static hipError_t copy_2d_on(hipStream_t stream, void *to, size_t to_pitch, const void *from,
                             size_t from_pitch, size_t width, size_t height, hipMemcpyKind kind) {
  const bool recorded = stream_live(stream) && stream_capturing(stream);
  if (stream_live(stream) && !recorded && (!width || !height || !to_pitch || !from_pitch))
    return copy_2d(to, to_pitch, from, from_pitch, width, height, kind);
  return copy_3d_on(stream, &(hipMemcpy3DParms){.dstPtr = {to, to_pitch, width, height},
                                                .srcPtr = {(void *)from, from_pitch, width, height},
                                                .extent = {width, height, 1},
                                                .kind = kind});
}

hipError_t hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                       size_t height, hipMemcpyKind kind) {
  SERVE_COPY(to, from, copy_2d(to, to_pitch, from, from_pitch, width, height, kind));
}

hipError_t hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                            size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream) {
  SERVE_AFTER(wait_for_host(to, from, stream),
              copy_2d_on(stream, to, to_pitch, from, from_pitch, width, height, kind));
}

hipError_t hipMemcpy3D(const hipMemcpy3DParms *parameters) {
  SERVE_BLOCKING(copy_3d_box(parameters));
}
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *parameters, hipStream_t stream) {
  const hipMemcpy3DParms none = {0}, *p = parameters ? parameters : &none;
  SERVE_AFTER(wait_for_host(p->dstPtr.ptr, p->srcPtr.ptr, stream), copy_3d_on(stream, parameters));
}

static hipError_t set_on(hipStream_t stream, void *to, uint32_t value, size_t width, size_t count) {
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  Stream *capturing = stream_capturing(stream);
  if (capturing)
    return capture_set(capturing, &(hipMemsetParams){.dst = to,
                                                     .elementSize = (unsigned)width,
                                                     .height = 1,
                                                     .value = value,
                                                     .width = count});
  if (queue_idle(stream_order(stream)))
    return fill_elements(to, value, width, count);
  hipError_t error = fill_check(to, width, count);
  return error == hipSuccess && count
             ? submit(stream, (Transfer){.to = to, .size = count, .width = width, .value = value})
             : error;
}

hipError_t hipMemset(void *to, int value, size_t size) {
  SERVE_COPY(to, NULL, fill_elements(to, (uint32_t)value, 1, size));
}
hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
  SERVE_COPY(to, NULL, fill_elements(to, value, 1, count));
}
hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count) {
  SERVE_COPY(to, NULL, fill_elements(to, value, 2, count));
}
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
  SERVE_COPY(to, NULL, fill_elements(to, (uint32_t)value, 4, count));
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

static hipMemsetParams slice_of(Rows rows, size_t z, int value, hipExtent box) {
  return (hipMemsetParams){.dst = rows.base + z * rows.slice,
                           .elementSize = 1,
                           .height = box.height,
                           .pitch = rows.pitch,
                           .value = (uint8_t)value,
                           .width = box.width};
}

// A node, or work, for each slice.
static hipError_t set_box_on(hipStream_t stream, Rows rows, int value, hipExtent box) {
  if (!box.width || !box.height || !box.depth)
    return hipSuccess;
  if (!stream_live(stream))
    return hipErrorContextIsDestroyed;
  Stream *capturing = stream_capturing(stream);
  const QueueStream order = stream_order(stream);
  if (!capturing && queue_idle(order))
    return fill_box(rows, value, box);
  hipError_t error = capturing ? hipSuccess : fill_box_check(rows, box);
  for (size_t z = 0; error == hipSuccess && z < box.depth; z++) {
    const hipMemsetParams set = slice_of(rows, z, value, box);
    error = capturing ? capture_set(capturing, &set)
                      : step_submit(&(Step){.type = hipGraphNodeTypeMemset, .set = set}, order);
  }
  return error;
}

hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  SERVE_COPY(to, NULL, fill_box((Rows){to, pitch, 0}, value, (hipExtent){width, height, 1}));
}
hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream) {
  SERVE(set_box_on(stream, (Rows){to, pitch, 0}, value, (hipExtent){width, height, 1}));
}
hipError_t hipMemset3D(hipPitchedPtr to, int value, hipExtent extent) {
  SERVE_COPY(to.ptr, NULL, fill_box(rows_at(to, (hipPos){0, 0, 0}), value, extent));
}
hipError_t hipMemset3DAsync(hipPitchedPtr to, int value, hipExtent extent, hipStream_t stream) {
  SERVE(set_box_on(stream, rows_at(to, (hipPos){0, 0, 0}), value, extent));
}

// copy_on, or copy_at_once.
typedef hipError_t Copy(hipStream_t stream, void *to, const void *from, size_t size,
                        hipMemcpyKind kind);

static hipError_t copy_to_variable(const void *symbol, const void *from, size_t size, size_t offset,
                                   hipMemcpyKind kind, Copy *copy, hipStream_t stream) {
  void *part = NULL;
  hipError_t error = registered_variable_part(symbol, size, offset, &part);
  if (kind == hipMemcpyHostToHost || kind == hipMemcpyDeviceToHost)
    return hipErrorInvalidMemcpyDirection;
  return error == hipSuccess ? copy(stream, part, from, size, kind) : error;
}

static hipError_t copy_from_variable(void *to, const void *symbol, size_t size, size_t offset,
                                     hipMemcpyKind kind, Copy *copy, hipStream_t stream) {
  void *part = NULL;
  hipError_t error = registered_variable_part(symbol, size, offset, &part);
  if (kind == hipMemcpyHostToHost || kind == hipMemcpyHostToDevice)
    return hipErrorInvalidMemcpyDirection;
  return error == hipSuccess ? copy(stream, to, part, size, kind) : error;
}

hipError_t hipMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                             hipMemcpyKind kind) {
  SERVE_BLOCKING(copy_to_variable(symbol, from, size, offset, kind, copy_at_once, NULL));
}
hipError_t hipMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                               hipMemcpyKind kind) {
  SERVE_BLOCKING(copy_from_variable(to, symbol, size, offset, kind, copy_at_once, NULL));
}
hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream) {
  SERVE_AFTER(stream_wait(stream),
              copy_to_variable(symbol, from, size, offset, kind, copy_on, stream));
}
hipError_t hipMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream) {
  SERVE_AFTER(stream_wait(stream),
              copy_from_variable(to, symbol, size, offset, kind, copy_on, stream));
}

static hipError_t variable_address(void **address, const void *symbol) {
  return address ? registered_variable_part(symbol, 0, 0, address) : hipErrorInvalidValue;
}

static hipError_t variable_size(size_t *size, const void *symbol) {
  uint64_t address;
  return size ? registered_variable(symbol, &address, size) : hipErrorInvalidValue;
}

hipError_t hipGetSymbolAddress(void **address, const void *symbol) {
  SERVE(variable_address(address, symbol));
}
hipError_t hipGetSymbolSize(size_t *size, const void *symbol) {
  SERVE(variable_size(size, symbol));
}

// ---- of releases after ROCm 5.2 ----

EXPORT hipError_t hipMemcpyBatchAsync(void **to, void **from, const size_t *sizes, size_t count,
                                      const void *attributes, const size_t *first_of_attribute,
                                      size_t attribute_count, size_t *failed, hipStream_t stream);

// Copies of a batch are made in its order.
static hipError_t copy_batch(void **to, void **from, const size_t *sizes, size_t count,
                             size_t *failed, hipStream_t stream) {
  hipError_t error = to && from && sizes && count ? hipSuccess : hipErrorInvalidValue;
  if (failed)
    *failed = SIZE_MAX;
  for (size_t i = 0; error == hipSuccess && i < count; i++) {
    error = copy_on(stream, to[i], from[i], sizes[i], hipMemcpyDefault);
    if (error != hipSuccess && failed)
      *failed = i;
  }
  return error;
}

// Attributes say how early a source may be read.
hipError_t hipMemcpyBatchAsync(void **to, void **from, const size_t *sizes, size_t count,
                               const void *attributes, const size_t *first_of_attribute,
                               size_t attribute_count, size_t *failed, hipStream_t stream) {
  (void)attributes, (void)first_of_attribute, (void)attribute_count;
  SERVE_AFTER(stream_wait(stream), copy_batch(to, from, sizes, count, failed, stream));
}

// hipMemcpy3DPeerParms.
typedef struct {
  hipArray_t from_array;
  hipPos from_at;
  hipPitchedPtr from;
  int from_device;
  hipArray_t to_array;
  hipPos to_at;
  hipPitchedPtr to;
  int to_device;
  hipExtent extent;
} PeerBox;
EXPORT hipError_t hipMemcpy3DPeer(const PeerBox *p);
EXPORT hipError_t hipMemcpy3DPeerAsync(const PeerBox *p, hipStream_t stream);

// Known devices, and what is to be copied between them.
static hipError_t read_peer_box(const PeerBox *p, hipMemcpy3DParms *box) {
  if (!p)
    return hipErrorInvalidValue;
  if (!device_known(p->from_device) || !device_known(p->to_device))
    return hipErrorInvalidDevice;
  *box = (hipMemcpy3DParms){.srcArray = p->from_array,
                            .srcPos = p->from_at,
                            .srcPtr = p->from,
                            .dstArray = p->to_array,
                            .dstPos = p->to_at,
                            .dstPtr = p->to,
                            .extent = p->extent,
                            .kind = hipMemcpyDeviceToDevice};
  return hipSuccess;
}

static hipError_t copy_peer_box(const PeerBox *p) {
  hipMemcpy3DParms box;
  hipError_t error = read_peer_box(p, &box);
  return error == hipSuccess ? copy_3d_box(&box) : error;
}

static hipError_t copy_peer_box_on(hipStream_t stream, const PeerBox *p) {
  hipMemcpy3DParms box;
  hipError_t error = read_peer_box(p, &box);
  return error == hipSuccess ? copy_3d_on(stream, &box) : error;
}

hipError_t hipMemcpy3DPeer(const PeerBox *p) { SERVE_BLOCKING(copy_peer_box(p)); }
hipError_t hipMemcpy3DPeerAsync(const PeerBox *p, hipStream_t stream) {
  SERVE_AFTER(stream_wait(stream), copy_peer_box_on(stream, p));
}

// hipMemcpy3DBatchOp: lengths in elements of the array that takes part, else in bytes.
typedef struct {
  enum { BATCH_POINTER = 1, BATCH_ARRAY = 2 } type;
  union {
    struct {
      void *address;
      size_t row, rows; // 0: as many as are copied
      hipMemLocation hint;
    } memory;
    struct {
      hipArray_t array;
      hipPos at;
    } array;
  };
} BatchEnd;
typedef struct {
  BatchEnd from, to;
  hipExtent extent;
  int access_order;
  unsigned flags;
} BatchBox;
EXPORT hipError_t hipMemcpy3DBatchAsync(size_t count, BatchBox *boxes, size_t *failed,
                                        unsigned long long flags, hipStream_t stream);

static size_t element_of(const BatchBox *box) {
  ArrayPlace place;
  if ((box->from.type == BATCH_ARRAY && array_place(box->from.array.array, &place)) ||
      (box->to.type == BATCH_ARRAY && array_place(box->to.array.array, &place)))
    return place.element_bytes;
  return 1;
}

static hipPitchedPtr memory_of(const BatchEnd *end, hipExtent extent, size_t element) {
  return (hipPitchedPtr){.ptr = end->memory.address,
                         .pitch = (end->memory.row ? end->memory.row : extent.width) * element,
                         .ysize = end->memory.rows ? end->memory.rows : extent.height};
}

static hipError_t copy_batch_box(const BatchBox *box, hipStream_t stream) {
  const size_t element = element_of(box);
  hipMemcpy3DParms p = {.extent = box->extent, .kind = hipMemcpyDefault};
  if (box->from.type == BATCH_ARRAY)
    p.srcArray = box->from.array.array, p.srcPos = box->from.array.at;
  else if (box->from.type == BATCH_POINTER)
    p.srcPtr = memory_of(&box->from, box->extent, element);
  if (box->to.type == BATCH_ARRAY)
    p.dstArray = box->to.array.array, p.dstPos = box->to.array.at;
  else if (box->to.type == BATCH_POINTER)
    p.dstPtr = memory_of(&box->to, box->extent, element);
  return copy_3d_on(stream, &p);
}

static hipError_t copy_boxes(size_t count, const BatchBox *boxes, size_t *failed,
                             hipStream_t stream) {
  hipError_t error = boxes && count ? hipSuccess : hipErrorInvalidValue;
  if (failed)
    *failed = SIZE_MAX;
  for (size_t i = 0; error == hipSuccess && i < count; i++) {
    error = copy_batch_box(&boxes[i], stream);
    if (error != hipSuccess && failed)
      *failed = i;
  }
  return error;
}

hipError_t hipMemcpy3DBatchAsync(size_t count, BatchBox *boxes, size_t *failed,
                                 unsigned long long flags, hipStream_t stream) {
  SERVE_AFTER(stream_wait(stream),
              flags ? hipErrorInvalidValue : copy_boxes(count, boxes, failed, stream));
}

// width: elements in each of `height` rows.
static hipError_t set_rows(hipStream_t stream, void *to, size_t pitch, uint32_t value,
                           size_t element, size_t width, size_t height) {
  hipError_t error = !width || pitch / element >= width ? hipSuccess : hipErrorInvalidValue;
  for (size_t row = 0; error == hipSuccess && row < height; row++)
    error = set_on(stream, (uint8_t *)to + row * pitch, value, element, width);
  return error;
}

#define SET_ROWS(NAME, TYPE)                                                                       \
  EXPORT hipError_t NAME(void *to, size_t pitch, TYPE value, size_t width, size_t height);         \
  EXPORT hipError_t NAME##Async(void *to, size_t pitch, TYPE value, size_t width, size_t height,   \
                                hipStream_t stream);                                               \
  hipError_t NAME(void *to, size_t pitch, TYPE value, size_t width, size_t height) {               \
    SERVE_BLOCKING(set_rows(NULL, to, pitch, value, sizeof value, width, height));                 \
  }                                                                                                \
  hipError_t NAME##Async(void *to, size_t pitch, TYPE value, size_t width, size_t height,          \
                         hipStream_t stream) {                                                     \
    SERVE(set_rows(stream, to, pitch, value, sizeof value, width, height));                        \
  }
SET_ROWS(hipMemsetD2D8, unsigned char)
SET_ROWS(hipMemsetD2D16, unsigned short)
SET_ROWS(hipMemsetD2D32, unsigned)
