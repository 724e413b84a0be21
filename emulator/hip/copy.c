// Copies and fills: see copy.h.
#define _GNU_SOURCE
#include "copy.h"

#include "array.h"
#include "defined_memory.h"
#include "device_memory.h"
#include "missing_memory.h"
#include "outside_writes.h"
#include "runtime.h"
#include "settings.h"
#include "unwritten_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

// True if the byte can be read: Linux copies it and refuses what would fault. Where it refuses the call, nothing can be said.
static bool readable(const uint8_t *byte) {
  uint8_t copied;
  const struct iovec to = {&copied, 1}, from = {(void *)byte, 1};
  return process_vm_readv(gettid(), &to, 1, &from, 1, 0) == 1 || errno != EFAULT;
}

// True if all pages of ordinary host memory exist, and the outer ones can be read, perhaps once a handler of the program has opened
// them.
static bool mapped(const void *address, size_t size) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t begin = (uint64_t)address / page * page;
  if (size > UINT64_MAX - (uint64_t)address)
    return false;
  if (msync((void *)begin, (uint64_t)address + size - begin, MS_ASYNC) != 0 && errno == ENOMEM)
    return false;
  return (readable(address) && readable((const uint8_t *)address + size - 1)) ||
         missing_memory_has_handler();
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

static bool is_host(const Allocation *allocation) { return !allocation; }
static bool is_device(const Allocation *allocation) {
  return allocation && allocation->kind == MEMORY_DEVICE; // others are of both
}
static const char *name_of(const Allocation *allocation) {
  return is_host(allocation)                  ? "host"
         : is_device(allocation)              ? "device"
         : allocation->kind == MEMORY_MANAGED ? "managed"
                                              : "pinned";
}

// A copy in another direction than its kind says is right, by the addresses, and yet mostly a mistake.
static void tell_direction(const void *to, const void *from, hipMemcpyKind kind) {
  static const char *const name[] = {"hipMemcpyHostToHost", "hipMemcpyHostToDevice",
                                     "hipMemcpyDeviceToHost", "hipMemcpyDeviceToDevice"};
  static bool told;
  if (settings()->sanitize != SANITIZE_ALL || (unsigned)kind > hipMemcpyDeviceToDevice)
    return;
  const Allocation *target = device_memory_find((uint64_t)to, 1),
                   *source = device_memory_find((uint64_t)from, 1);
  const bool to_device = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice,
             from_device = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
  if (!(to_device ? is_host(target) : is_device(target)) &&
      !(from_device ? is_host(source) : is_device(source)))
    return;
  if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
    runtime_say(
        "note: the kind is %s, but the destination %p is %s memory and the source %p is %s "
        "memory. HIP goes by the addresses and copies. Either the kind is wrong, or the two "
        "pointers are exchanged. Other copies like this are not told.",
        name[kind], to, name_of(target), from, name_of(source));
}

hipError_t copy_check(const void *to, size_t to_size, const void *from, size_t from_size,
                      hipMemcpyKind kind) {
  bool to_device = false, from_device = false;
  enum { DEVICE_TO_DEVICE_NO_CU = 1024 }; // of ROCm 6
  if ((unsigned)kind > hipMemcpyDefault && (int)kind != DEVICE_TO_DEVICE_NO_CU) {
    runtime_say("%d is no hipMemcpyKind; there are hipMemcpyHostToHost (0) to hipMemcpyDefault "
                "(%d).",
                (int)kind, hipMemcpyDefault);
    return hipErrorInvalidMemcpyDirection;
  }
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
  if (error == hipSuccess)
    tell_direction(to, from, kind);
  return error;
}

enum { PAGE = 4096 }; // bytes, on x86-64

static void clear_part(uint8_t *to, size_t size) {
  static const uint8_t zeroes[PAGE];
  if (memcmp(to, zeroes, size))
    memset(to, 0, size);
}

// What nobody has written takes no memory of the host, and stays so. Of memory that others share only they may know.
static void clear(uint8_t *to, size_t size) {
  const Allocation *allocation = device_memory_find((uint64_t)to, size);
  const bool private = allocation && !device_memory_shared(allocation);
  bool unwritten[MOST_PAGES] = {false};
  for (uint32_t i = MOST_PAGES; size; i++) {
    const size_t rest = PAGE - (uint64_t)to % PAGE, part = size < rest ? size : rest;
    if (private && i >= MOST_PAGES) {
      const uint64_t left = ((uint64_t)to % PAGE + size + PAGE - 1) / PAGE;
      unwritten_pages((uint64_t)to, left < MOST_PAGES ? (uint32_t)left : MOST_PAGES, unwritten);
      i = 0;
    }
    if (!private || !unwritten[i])
      clear_part(to, part);
    to += part;
    size -= part;
  }
}

// What is copied, or filled with elements.
typedef struct {
  uint8_t *to;
  const uint8_t *from; // NULL: a fill
  size_t size;
  size_t width; // bytes of an element
  uint32_t value;
} Move;

static bool is_moved(uint64_t address, const void *data) {
  const Move *move = data;
  return address - (uint64_t)move->to < move->size ||
         (move->from && address - (uint64_t)move->from < move->size);
}

static hipError_t tell_missing(const Move *move) {
  const uint64_t address = missing_memory_address();
  const bool written = address - (uint64_t)move->to < move->size;
  Fault fault = {.kind = FAULT_ADDRESS};
  if (move->from)
    fault_append(&fault, "a copy of %zu bytes from %p to %p", move->size, (const void *)move->from,
                 (void *)move->to);
  else
    fault_append(&fault, "a fill of %zu bytes from %p on", move->size, (void *)move->to);
  fault_append(&fault,
               ": address 0x%llx of the %s cannot be %s. The memory "
               "is %sfreed, unmapped or protected, or behind the end of a mapped file.",
               address + 0ull, written ? "destination" : "source", written ? "written" : "read",
               written ? "read-only, " : "");
  runtime_fault(&fault);
  return runtime_fault_code();
}

static void make(void *data) {
  const Move *asked = data;
  if (asked->from)
    memmove(asked->to, asked->from, asked->size);
  else if (!asked->value)
    clear(asked->to, asked->size);
  else if (asked->width == 1)
    memset(asked->to, (int)asked->value, asked->size);
  else
    for (size_t at = 0; at < asked->size; at += asked->width)
      memcpy(asked->to + at, &asked->value, asked->width);
}

// ROCm copies by the host's processor.
static hipError_t make_watched(Move asked) {
  outside_write_begin();
  const bool there = missing_memory_reach(make, is_moved, &asked, asked.from != NULL);
  const hipError_t error = there ? hipSuccess : tell_missing(&asked);
  outside_write_end();
  return error;
}

static hipError_t move(uint8_t *to, const uint8_t *from, size_t size) {
  defined_memory_copied(to, from, size);
  return make_watched((Move){.to = to, .from = from, .size = size});
}

static hipError_t fill(uint8_t *to, uint32_t value, size_t width, size_t count) {
  defined_memory_written(to, width * count);
  return make_watched((Move){.to = to, .size = width * count, .width = width, .value = value});
}

static bool overlap(const uint8_t *to, const uint8_t *from, size_t size) {
  return to != from && (to < from ? (size_t)(from - to) : (size_t)(to - from)) < size;
}

// As memcpy, it may begin at either end.
static hipError_t tell_overlap(const void *to, const void *from, size_t size) {
  const bool ends = settings()->sanitize == SANITIZE_ALL;
  runtime_say("a copy of %zu bytes from %p to %p: the two overlap, and which of them are copied "
              "before they are overwritten is undefined. %s",
              size, from, to, ends ? "It is not made." : "Here the result is right.");
  return ends ? hipErrorInvalidValue : hipSuccess;
}

hipError_t copy_bytes(void *to, const void *from, size_t size, hipMemcpyKind kind) {
  if (!size)
    return hipSuccess;
  hipError_t error = copy_check(to, size, from, size, kind);
  if (error == hipSuccess && overlap(to, from, size))
    error = tell_overlap(to, from, size);
  if (error == hipSuccess)
    error = move(to, from, size);
  return error;
}

// Bytes from the first to the last byte of the box; false on overflow.
static bool box_size(Rows rows, hipExtent box, size_t *size) {
  size_t slices, lines;
  return !__builtin_mul_overflow(rows.slice, box.depth - 1, &slices) &&
         !__builtin_mul_overflow(rows.pitch, box.height - 1, &lines) &&
         !__builtin_add_overflow(slices, lines, size) &&
         !__builtin_add_overflow(*size, box.width, size);
}

static hipError_t check_box(Rows to, Rows from, hipExtent box, hipMemcpyKind kind) {
  size_t to_size, from_size;
  if (box.width > to.pitch || box.width > from.pitch) {
    runtime_say(
        "rows of %zu bytes do not fit into pitches of %zu (destination) and %zu bytes (source).",
        box.width, to.pitch, from.pitch);
    return hipErrorInvalidPitchValue;
  }
  if (!box_size(to, box, &to_size) || !box_size(from, box, &from_size))
    return hipErrorInvalidValue;
  return copy_check(to.base, to_size, from.base, from_size, kind);
}

static bool empty_box(hipExtent box) { return !box.width || !box.height || !box.depth; }

static uint8_t *row_of(Rows rows, size_t y, size_t z) {
  return rows.base + z * rows.slice + y * rows.pitch;
}

// Whether a row of the source overlaps row, which is number y of slice z where it goes to. Which
// rows may follows from how far it lies behind the first.
static bool overlaps_a_row(const uint8_t *row, size_t y, size_t z, Rows from, hipExtent box) {
  const int64_t behind = row - from.base, slice = box.depth > 1 ? (int64_t)from.slice : 0;
  bool found = false;
  for (int64_t near = 0; near < 9; near++) {
    const int64_t fz = slice ? behind / slice + near / 3 - 1 : 0;
    const int64_t fy = (behind - fz * slice) / (int64_t)from.pitch + near % 3 - 1;
    if (fz < 0 || fz >= (int64_t)box.depth || fy < 0 || fy >= (int64_t)box.height)
      continue;
    const uint8_t *other = row_of(from, (size_t)fy, (size_t)fz);
    found = found || overlap(row, other, box.width) ||
            (row == other && ((size_t)fy != y || (size_t)fz != z));
  }
  return found;
}

static bool boxes_overlap(Rows to, Rows from, hipExtent box) {
  size_t to_size, from_size;
  bool found = false;
  if (!box_size(to, box, &to_size) || !box_size(from, box, &from_size) ||
      to.base >= from.base + from_size || from.base >= to.base + to_size)
    return false;
  for (size_t z = 0; z < box.depth && !found; z++)
    for (size_t y = 0; y < box.height && !found; y++)
      found = overlaps_a_row(row_of(to, y, z), y, z, from, box);
  return found;
}

// Where boxes overlap, their rows are taken from the end that none of them is overwritten before.
hipError_t copy_box(Rows to, Rows from, hipExtent box, hipMemcpyKind kind) {
  hipError_t error = empty_box(box) ? hipSuccess : check_box(to, from, box, kind);
  if (error == hipSuccess && !empty_box(box) && boxes_overlap(to, from, box))
    error = tell_overlap(to.base, from.base, box.width * box.height * box.depth);
  const bool last_first = to.base > from.base;
  for (size_t i = 0; error == hipSuccess && i < box.depth; i++)
    for (size_t j = 0; error == hipSuccess && j < box.height; j++) {
      const size_t z = last_first ? box.depth - 1 - i : i, y = last_first ? box.height - 1 - j : j;
      error = move(row_of(to, y, z), row_of(from, y, z), box.width);
    }
  return error;
}

Rows rows_at(hipPitchedPtr p, hipPos position) {
  return (Rows){(uint8_t *)p.ptr + position.x + (position.y + position.z * p.ysize) * p.pitch,
                p.pitch, p.pitch * p.ysize};
}

hipError_t rows_in_array(hipArray_const_t array, hipPos at, hipExtent box, Rows *rows) {
  ArrayPlace place;
  if (!array_place(array, &place)) {
    runtime_say("%p is no array, or was freed.", (const void *)array);
    return hipErrorInvalidHandle;
  }
  if (at.x > place.memory.xsize || box.width > place.memory.xsize - at.x ||
      at.y > place.memory.ysize || box.height > place.memory.ysize - at.y || at.z > place.depth ||
      box.depth > place.depth - at.z) {
    runtime_say(
        "%zu bytes x %zu rows x %zu slices from (%zu, %zu, %zu) on do not fit into an array "
        "of %zu x %zu x %zu.",
        box.width, box.height, box.depth, at.x, at.y, at.z, place.memory.xsize, place.memory.ysize,
        place.depth);
    return hipErrorInvalidValue;
  }
  *rows = rows_at(place.memory, at);
  return hipSuccess;
}

// In elements of the array where one takes part, else in bytes; 0 elements: no such array.
static size_t unit_of(const hipMemcpy3DParms *p) {
  ArrayPlace place = {.element_bytes = 1};
  if (p->srcArray || p->dstArray)
    return array_place(p->srcArray ? p->srcArray : p->dstArray, &place) ? place.element_bytes : 0;
  return place.element_bytes;
}

// Errors as of ihipMemcpy3D_validate (ROCclr, hip_memory.cpp).
static hipError_t row_fits(hipPitchedPtr memory, size_t x, size_t width) {
  if (width <= memory.pitch && x <= memory.pitch - width)
    return hipSuccess;
  runtime_say("rows of %zu bytes from byte %zu on do not fit into a pitch of %zu bytes.", width, x,
              memory.pitch);
  return memory.pitch < memory.xsize ? hipErrorInvalidPitchValue : hipErrorInvalidValue;
}

static hipError_t rows_of_end(hipArray_const_t array, hipPitchedPtr memory, hipPos at, size_t unit,
                              hipExtent box, Rows *rows) {
  if (array)
    return rows_in_array(array, (hipPos){at.x * unit, at.y, at.z}, box, rows);
  const bool packed = !memory.pitch;
  if (packed) // nothing lies between the rows
    memory.pitch = box.width;
  if (!memory.ysize)
    memory.ysize = box.height;
  *rows = rows_at(memory, at);
  if (!memory.ptr)
    return hipErrorInvalidValue;
  return packed ? hipSuccess : row_fits(memory, at.x, box.width);
}

typedef struct {
  Rows to, from;
  hipExtent box; // in bytes
} Box;

static hipError_t box_of(const hipMemcpy3DParms *p, Box *b) {
  if (!p || (p->dstArray && p->dstPtr.ptr) || (p->srcArray && p->srcPtr.ptr))
    return hipErrorInvalidValue;
  const size_t unit = unit_of(p);
  if (!unit)
    return hipErrorInvalidHandle;
  b->box = (hipExtent){p->extent.width * unit, p->extent.height, p->extent.depth};
  hipError_t error = rows_of_end(p->dstArray, p->dstPtr, p->dstPos, unit, b->box, &b->to);
  return error == hipSuccess
             ? rows_of_end(p->srcArray, p->srcPtr, p->srcPos, unit, b->box, &b->from)
             : error;
}

static hipPitchedPtr memory_of(Rows rows, hipExtent box) {
  return (hipPitchedPtr){rows.base, rows.pitch, box.width,
                         rows.pitch ? rows.slice / rows.pitch : 0};
}

hipError_t copy_3d_settle(hipMemcpy3DParms *p) {
  Box b;
  hipError_t error = box_of(p, &b);
  if (error == hipSuccess)
    *p = (hipMemcpy3DParms){.srcPtr = memory_of(b.from, b.box),
                            .dstPtr = memory_of(b.to, b.box),
                            .extent = b.box,
                            .kind = p->kind};
  return error;
}

hipError_t copy_3d_check(const hipMemcpy3DParms *p) {
  Box b;
  hipError_t error = box_of(p, &b);
  return error != hipSuccess || empty_box(b.box) ? error : check_box(b.to, b.from, b.box, p->kind);
}

hipError_t copy_3d_box(const hipMemcpy3DParms *p) {
  Box b;
  hipError_t error = box_of(p, &b);
  return error == hipSuccess ? copy_box(b.to, b.from, b.box, p->kind) : error;
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

hipError_t fill_check(const void *to, size_t width, size_t count) {
  size_t size;
  if (__builtin_mul_overflow(width, count, &size))
    return hipErrorInvalidValue;
  return size ? check_fill(to, size) : hipSuccess;
}

hipError_t fill_elements(void *to, uint32_t value, size_t width, size_t count) {
  hipError_t error = fill_check(to, width, count);
  return error == hipSuccess && count ? fill(to, value, width, count) : error;
}

hipError_t fill_box_check(Rows rows, hipExtent box) {
  size_t size;
  if (empty_box(box))
    return hipSuccess;
  if (box.width > rows.pitch || !box_size(rows, box, &size))
    return hipErrorInvalidValue;
  return check_fill(rows.base, size);
}

hipError_t fill_box(Rows rows, int value, hipExtent box) {
  hipError_t error = fill_box_check(rows, box);
  for (size_t z = 0; error == hipSuccess && !empty_box(box) && z < box.depth; z++)
    for (size_t y = 0; error == hipSuccess && y < box.height; y++)
      error = fill(rows.base + z * rows.slice + y * rows.pitch, (uint8_t)value, 1, box.width);
  return error;
}
