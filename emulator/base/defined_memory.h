// Which bytes of device memory were ever written, for EMULATOR_SANITIZE=1. Nothing of it costs anything
// without.
//
// In: what the host copies and fills, what kernels store. Out: the bytes that nobody has written since
// hipMalloc. Memory of other kinds (of the host, of code objects, of kernels' malloc) always counts as
// written. So does a dword of which a byte is not 0: fresh memory is, so the host wrote it by a plain pointer; but not close to
// one where a kernel has stored what it had not got itself, for that may be any value.
// Safe from any thread. Addresses are never handed out twice, so nothing is forgotten.
#ifndef EMULATOR_DEFINED_MEMORY_H
#define EMULATOR_DEFINED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

// Called by whoever wrote [address, address + size), which may be any memory.
void defined_memory_written(const void *address, uint64_t size);

// The same of each of these addresses of which a bit is set, up to 64, of so many bytes each.
void defined_memory_written_all(const uint64_t *address, uint64_t wanted, uint32_t size);

// The destination of a copy is written where its source was.
void defined_memory_copied(const void *to, const void *from, uint64_t size);

// True if every byte was written.
bool defined_memory_all(uint64_t address, uint64_t size);

// True if at each of these addresses of which a bit is set, up to 64, all of so many bytes were, up to 16.
bool defined_memory_all_of(const uint64_t *address, uint64_t wanted, uint32_t size);

// The bytes of up to 16 that nobody has written, a bit each.
uint32_t defined_memory_missing(uint64_t address, uint32_t size);

// Makes the bytes unwritten again whose bit is set: a kernel stored there what it had not got itself.
void defined_memory_forget(uint64_t address, uint32_t bytes);

#endif
