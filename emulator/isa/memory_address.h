// Where the lanes of a GLOBAL, FLAT, SCRATCH or BUFFER instruction go: the encodings differ in how they form
// addresses, and in nothing else.
//
// In: addresses and offsets in registers. Out: addresses of the host that were checked, counted and shown to the
// sanitizer, or a fault.
#ifndef EMULATOR_MEMORY_ADDRESS_H
#define EMULATOR_MEMORY_ADDRESS_H

#include "vector_access.h"

// access->bytes is given. Returns the lanes that really access memory; their addresses may be dereferenced.
u64 memory_resolve(Wavefront *w, const Instruction *in, Access *access, MemoryAction action);

// The same for instructions that look at each lane's address: none is regular then.
u64 memory_resolve_lanes(Wavefront *w, const Instruction *in, Access *access, MemoryAction action);

// Of a FLAT instruction: where lane 0's first dword is, if all active lanes access the same place of their private
// memory, as by a reference to a variable. Then each dword of all lanes is a row. 0 if it is not so, or not certain;
// memory_resolve takes it then. bytes: whole dwords.
u64 memory_private_rows(Wavefront *w, const Instruction *in, u32 bytes);

// Whether the first and the last active lane are alike, of which there is one.
static inline bool ends_alike(const Wavefront *w, const u32 *row) {
  return row[__builtin_ctzll(w->exec)] == row[LANES - 1 - __builtin_clzll(w->exec)];
}

// Where all active lanes load from, if that is one place in global memory, of an allocation that was seen lately, and
// nothing is to be told or counted of it. 0 if it is not so; memory_resolve takes it then. bytes: whole dwords.
u64 memory_one_place(Wavefront *w, const Instruction *in, u32 bytes);

// Atomics that are not aligned are a fault, other accesses of a kernel are told and go on.
void memory_require_alignment(Wavefront *w, Access *access, MemoryAction action);

// In private memory consecutive dwords of a lane lie one row apart.
static inline bool is_private(const Wavefront *w, u64 address) {
  return address >= (u64)w->scratch && address < (u64)w->scratch + w->scratch_bytes;
}

#endif
