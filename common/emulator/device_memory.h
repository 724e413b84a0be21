// Device memory: which addresses exist, who allocated them, and what was freed.
//
// In: allocation and free requests of the runtime and of the code-object loader. Out: addresses that the host can
// dereference too (the device shares the host's address space), and for any address the nearest allocation.
// Address ranges are never used twice, and gaps of at least DEVICE_MEMORY_GAP bytes lie between them, so an access
// that misses its array or comes after hipFree is found. Fresh memory reads as zero.
// Not thread-safe for changes: the runtime serialises them; look-ups during a kernel may run on many threads.
#ifndef EMULATOR_DEVICE_MEMORY_H
#define EMULATOR_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_MEMORY_GAP = 1 << 20 }; // bytes between neighbouring allocations

typedef enum {
  MEMORY_DEVICE,  // hipMalloc and its relatives
  MEMORY_HOST,    // hipHostMalloc, hipHostRegister: host memory the device may access
  MEMORY_MANAGED, // hipMallocManaged
  MEMORY_CODE,    // a loaded code object: instructions, constants, __device__ and __constant__ variables
  MEMORY_RUNTIME, // the emulator's own: kernel arguments, dispatch packets, scratch
} MemoryKind;

typedef struct {
  uint64_t address;  // of the first byte
  uint64_t size;     // bytes asked for
  MemoryKind kind;
  bool live;         // false after free; the range then stays known so that its use can be named
  bool registered;   // pages belong to the caller (hipHostRegister), never unmapped by us
  unsigned flags;    // as given to the HIP call
  const char *name;  // variable or kernel name for MEMORY_CODE, otherwise NULL
} Allocation;

typedef enum { MEMORY_OK, MEMORY_EXHAUSTED } MemoryStatus;

// Reserves and zero-fills size > 0 bytes aligned to 4 KiB (page). MEMORY_EXHAUSTED if the device's 64 GiB
// (DEVICE_MEMORY_BYTES, counting device and managed memory) or the host's memory would not hold it.
MemoryStatus device_memory_allocate(uint64_t size, MemoryKind kind, unsigned flags, void **address);

// Makes [address, address + size) of ordinary host memory known to the device. False if it overlaps a live allocation.
bool device_memory_register(void *address, uint64_t size, unsigned flags);

// Ends the life of the allocation that begins at address; false if there is none of this kind that is live.
bool device_memory_free(void *address, MemoryKind kind);

// The live allocation that contains [address, address + size), or NULL.
const Allocation *device_memory_find(uint64_t address, uint64_t size);

// The allocation, live or freed, nearest to address, or NULL if there never was one.
// *distance is in bytes: 0 inside, > 0 behind its end, < 0 before its begin.
const Allocation *device_memory_nearest(uint64_t address, int64_t *distance);

// Bytes of live device and managed memory.
uint64_t device_memory_used(void);

#endif
