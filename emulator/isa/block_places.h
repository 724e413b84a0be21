// Where the lanes of the wave go in memory and in LDS, in code that goes over all of them (block_wave.h).
//
// In: an instruction whose address is in VGPRs, and how many bytes each lane has. Out: truth values of whether they may go
// there, and the places: one in memory, in the allocation that the instruction went to last, aligned; in LDS one, or two where
// it has a stride, which its two offsets of 8 bits count.
#ifndef EMULATOR_BLOCK_PLACES_H
#define EMULATOR_BLOCK_PLACES_H

#include "block_wave.h"

// How many places there are, and how many bytes one is behind the address in LDS.
unsigned places_count(unsigned stride);
unsigned places_move(const Instruction *in, unsigned stride, unsigned i);

// Whether 64 lanes follow each other. first: where the first one goes.
LLVMValueRef places_follow_in_memory(BlockCode *t, const Instruction *in, unsigned bytes,
                                     LLVMValueRef *first);
LLVMValueRef places_follow_in_lds(BlockCode *t, const Instruction *in, unsigned bytes,
                                  unsigned stride, LLVMValueRef first[MOST_PLACES]);

// Of a lane whose dword in a row is so many bytes behind the first one's: where it goes, a pointer, and whether it may. The
// base is what all lanes have in common, found before any lane's.
LLVMValueRef places_base(BlockCode *t, const Instruction *in);
LLVMValueRef place_in_memory(BlockCode *t, const Instruction *in, unsigned bytes, LLVMValueRef base,
                             LLVMValueRef offset, LLVMValueRef *place);

// Of any lanes, of which those that are on decide. An allocation of more than 4 GiB is none.
LLVMValueRef places_in_memory(BlockCode *t, const Instruction *in, unsigned bytes,
                              WavePlaces places);
LLVMValueRef places_in_lds(BlockCode *t, const Instruction *in, unsigned bytes, unsigned stride,
                           unsigned alignment, WavePlaces places);

#endif
