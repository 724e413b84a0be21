// Memory that can be shown at several places, also of other processes.
//
// In: bytes. Out: a descriptor of a file without a name, whose pages are mapped where the caller
// says.
#ifndef EMULATOR_SHARED_MEMORY_H
#define EMULATOR_SHARED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum { SHARED_PAGE = 4096 }; // bytes: addresses, sizes and offsets are multiples of it

// -1 if the system gives none. Each is an open file: where the limit of open files is reached, it becomes the highest that the
// process may have.
int shared_memory_new(uint64_t size);
// The descriptor that a program hands in: itself, as in CUDA, or where it stands, as in HIP.
int shared_memory_descriptor(const void *handle);
bool shared_memory_show(int descriptor, uint64_t offset, uint64_t address, uint64_t size);
void shared_memory_hide(uint64_t address, uint64_t size); // nobody can touch the range any more

#endif
