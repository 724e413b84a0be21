// Device memory: which addresses exist, who allocated them, and what was freed.
//
// In: allocation and free requests of the runtime and of the code-object loader. Out: addresses
// that the host can dereference too (the device shares the host's address space), and for any
// address the nearest allocation. Gaps of at least DEVICE_MEMORY_GAP bytes lie between address ranges, and none is used
// twice, so an access that misses its array or comes after hipFree is found; but what a program frees again and again, in a loop,
// it gets again, unless it is sanitized. Fresh memory reads as zero. Threads that look addresses up hold the memory as
// it is meanwhile; a change waits until nobody else does, and lets go of what its own thread holds.
#ifndef EMULATOR_DEVICE_MEMORY_H
#define EMULATOR_DEVICE_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_MEMORY_GAP = 1 << 20 }; // bytes between neighbouring allocations

typedef enum {
  MEMORY_DEVICE,  // hipMalloc and its relatives
  MEMORY_HOST,    // hipHostMalloc, hipHostRegister: host memory the device may access
  MEMORY_MANAGED, // hipMallocManaged
  MEMORY_HEAP,    // what malloc() of kernels hands out
  MEMORY_CODE,    // a loaded code object: instructions, constants, __device__ and __constant__
                  // variables
  MEMORY_RUNTIME, // the emulator's own: kernel arguments, dispatch packets, scratch
} MemoryKind;

// What a program advised for a page of managed memory. It changes nothing; the program can ask for
// it.
typedef struct {
  bool read_mostly, coarse;
  int8_t preferred, prefetched; // devices, MEMORY_NO_DEVICE: none
  uint16_t accessed_by;         // a bit for each device, the last one for the host
} MemoryHints;
enum { MEMORY_NO_DEVICE = -2, MEMORY_OF_HOST = -1 }; // hipInvalidDeviceId, hipCpuDeviceId

typedef struct {
  uint64_t address; // of the first byte
  uint64_t size;    // bytes asked for
  uint64_t opened; // from here on accessible for it: a part of the gap before, where there are many
  MemoryKind kind;
  bool live;        // false after free; the range then stays known so that its use can be named
  bool resting;     // not live, and may be so again: what hipFreeAsync gave back to a pool
  bool registered;  // pages belong to the caller (hipHostRegister, hipMemMap), never unmapped by us
  bool exported;    // other processes have it, too (device_memory_export)
  unsigned flags;   // as given to the HIP call
  uint32_t turns;   // how often in a row one of its size was freed and asked for again
  int device;       // whose memory it takes
  uint32_t guests;  // a bit for each other device whose kernels may use it
  const char *name; // what it holds, for people (device_memory_set_name), or NULL
  MemoryHints *hints; // of each page, NULL: nothing was advised or asked for
} Allocation;

typedef enum { MEMORY_OK, MEMORY_EXHAUSTED } MemoryStatus;

// Between these two, which may be nested, other threads change nothing, so that what a look-up
// found stays. Kernels let go between the turns of their workgroups: memory comes and goes while
// they run.
void device_memory_hold(void);
void device_memory_let_go(void);
// Around fork(): what the child gets is not half changed, and nobody else holds it there.
void device_memory_before_fork(void);
void device_memory_after_fork(bool child);
// Takes a lock whose holders may change memory, which waits for all who hold it: the caller, if it does,
// lets go until it has the lock.
void device_memory_lock(pthread_mutex_t *lock);

// Reserves and zero-fills size > 0 bytes, aligned to 4 KiB, from 2 MiB on to 2 MiB.
// MEMORY_EXHAUSTED if the device's memory (counting those kinds and the kernels' heap) or the
// host's free memory (MemAvailable and the control group's limit, less a margin) would not hold it.
MemoryStatus device_memory_allocate(uint64_t size, MemoryKind kind, unsigned flags, void **address);

// Makes [address, address + size) of ordinary host memory known to the device. False if it is empty
// or wraps around, overlaps another registered range, or lies where allocations come from.
bool device_memory_register(void *address, uint64_t size, unsigned flags);

// Addresses without memory, of those that allocations come from: the caller maps memory there and
// tells by device_memory_place which of it the device may use, as memory of the kind;
// device_memory_free makes that unknown again. False if the range overlaps one that is known.
MemoryStatus device_memory_reserve(uint64_t size, uint64_t alignment, void **address);
bool device_memory_place(void *address, uint64_t size, MemoryKind kind, int device);

// Whether the chosen device has room for so many bytes that the caller maps; then they are counted.
bool device_memory_take(uint64_t size);
void device_memory_give_back(uint64_t size, int device);

// Ends the life of the allocation that begins at address; false if there is none of this kind that
// is live. The host can no longer touch the range either; at least the latest 16384 freed ranges
// stay known. A registered range only becomes unknown.
bool device_memory_free(void *address, MemoryKind kind);

// Ends the life of all that hipMalloc gave on the device, but for ranges that are registered.
void device_memory_free_all(int device);

// Ends the life of the allocation that begins at address and keeps its memory; begins it anew, of so many bytes, at most
// those that it was allocated with (0: as many as it had).
void device_memory_rest(void *address);
void device_memory_wake(void *address, uint64_t size);

// Other processes have the pages of the live allocation that begins at address, too.
void device_memory_export(void *address);
// Whether there was ever any such.
bool device_memory_has_partners(void);

// Whether others than the device may change its bytes while a kernel runs: the host program, or another process.
bool device_memory_shared(const Allocation *allocation);

// Whether it is memory of the host that is coherent (fine-grained): hipHostRegister, and
// hipHostMalloc without flags or with those that ask for it. Source: hipamd hip_memory.cpp, the uses
// of CL_MEM_SVM_ATOMICS.
bool device_memory_coherent(const Allocation *allocation);

// Names the live allocation that begins at address, also after its free: the text is a constant.
void device_memory_set_name(void *address, const char *name);

// The hints of the *pages pages that [address, address + size) touches; NULL if it does not lie in
// managed memory or in what hipHostRegister got, or there is no memory for them.
MemoryHints *device_memory_hints(uint64_t address, uint64_t size, size_t *pages);

// The live allocation that contains [address, address + size), or NULL. Found by binary search.
// This pointer and the one of device_memory_nearest are good until the next allocation,
// registration or free, or until the memory is let go.
const Allocation *device_memory_find(uint64_t address, uint64_t size);

// True where allocations come from, live or not; and from where to where that is, once there was
// one.
bool device_memory_reserved(uint64_t address);
void device_memory_range(uint64_t *begin, uint64_t *end);

// The live allocation that the range begins in or behind, if it ends on the pages that the device
// maps for it: there an access goes unnoticed. NULL if there is none. Pages end where the last one
// does; what is smaller than 2 MiB shares a block of that size, and one page of it counts.
const Allocation *device_memory_beyond(uint64_t address, uint64_t size);

// The allocation, live or freed, nearest to address, or NULL if there never was one.
// *distance is in bytes to its nearest byte: 0 inside, 1 for the first byte behind its end, -1 for
// the last byte before it.
const Allocation *device_memory_nearest(uint64_t address, int64_t *distance);

// Bytes of each device's memory: hbm_bytes.
uint64_t device_memory_size(void);

// Bytes that the host can give without swapping or being stopped by its control group, less a margin.
uint64_t device_memory_host_left(void);

// Bytes of live device and managed memory of a device, and of the kernels' heap.
uint64_t device_memory_used(int device);

// Whether there are no addresses left for so many bytes, though there were once.
bool device_memory_addresses_ran_out(uint64_t size);

// What an allocation may take of it yet: the host must have the pages, too.
uint64_t device_memory_left(int device);

// Whose memory the next allocations of this thread take. At first that of device 0.
void device_memory_choose(int device);

// Whether kernels of a device may touch what hipMalloc gave on another.
void device_memory_open(int device, int peer, bool open);
bool device_memory_reaches(int device, const Allocation *allocation);

// Which other devices may use the allocation that begins at address, besides the device's peers: a
// bit for each.
void device_memory_invite(void *address, uint32_t devices);

#endif
