// Accesses of private memory that go over the end of a dword, as to members of packed structs. The lane's next dword lies a row
// further on, so the bytes do not lie side by side: they are brought together where instructions find them as elsewhere.
//
// In: where lanes' first bytes are. Out: addresses of copies of their bytes, for a load; for a store, which writes to
// such copies, the bytes where they belong.
#ifndef EMULATOR_PRIVATE_BYTES_H
#define EMULATOR_PRIVATE_BYTES_H

#include "vector_access.h"

// Of those lanes the ones that go over the end of a dword of the wave's private memory; their addresses are of copies then.
u64 private_bytes_gather(Wavefront *w, Access *access, u64 lanes);

// What a store has written to copies of these lanes.
void private_bytes_scatter(Wavefront *w, const Access *access);

#endif
