// Where the lanes of a span are that load from global memory, in the loop over spans.
//
// In: an instruction's address registers, and how its lanes mostly lie. Out: where to load from, and whether the lanes that are on
// lie so, aligned, in the allocation that the instruction went to last.
#ifndef EMULATOR_SPAN_PLACES_H
#define EMULATOR_SPAN_PLACES_H

#include "block_windows.h"

// Bytes from lane to lane; or NEAR: to the first or the last; APART: each by itself; IN_TURN: the same one after the other,
// where the host does not gather; ANY: in no way that is loaded without a call.
enum { NEAR = 61, APART, IN_TURN, ANY };

typedef struct {
  unsigned bytes, distance; // that each lane loads; how they lie
  LLVMValueRef base;        // of all lanes, 64 bits
  LLVMValueRef low, high;   // of each lane: what it adds, or its halves; high: NULL if it has none
  LLVMValueRef upper;       // what the first lane adds above 32 bits
  LLVMValueRef first;       // address of the first
  LLVMValueRef usual;       // whether they lie as they did; NULL: in any way
  Windows windows;          // NEAR
  LLVMValueRef second;      // the same: where the second window begins
  LLVMValueRef apart;       // APART: address of each lane
} SpanPlaces;

SpanPlaces span_places_of(BlockCode *t, const Instruction *in, LLVMValueRef base, unsigned bytes,
                          unsigned distance);
LLVMValueRef span_inside(const BlockCode *t, const Instruction *in, const SpanPlaces *places);

// The address of each lane, of 64 bits.
LLVMValueRef span_addresses(const BlockCode *t, const SpanPlaces *places);

// Whether so many bytes from an address on lie in the allocation that the load went to last, aligned.
LLVMValueRef code_is_inside(const BlockCode *t, const Instruction *in, LLVMValueRef first,
                            unsigned reach, unsigned alignment);

// Of what so many bytes are a multiple of that a device loads without a notice.
unsigned span_alignment(unsigned bytes);

// The host's thread, a pointer.
LLVMValueRef span_thread(const BlockCode *t);

#endif
