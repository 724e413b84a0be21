// Instructions in translated code that go over all lanes of the wave at once, between loops over spans: what their lanes
// leave, other lanes may read.
//
// In: an instruction whose registers are in memory. Out: code that does it by itself where all lanes that are on lie as
// they may, and else calls its handler. Nobody wants to know what it costs.
#ifndef EMULATOR_BLOCK_WAVE_H
#define EMULATOR_BLOCK_WAVE_H

#include "block_rows.h"

// Where lanes go: from a pointer on, so many bytes each, 32 bits.
typedef struct {
  LLVMValueRef base, offset[SPANS];
} LanePlaces;
enum { MOST_PLACES = 2 };
typedef LanePlaces WavePlaces[MOST_PLACES];

// What is written where straight code has come to, t->lanes.
typedef struct {
  bool (*can)(const BlockCode *t, const Instruction *in);
  // Whether 64 lanes follow each other, and where the first one goes, at each place; and that way. Either may be NULL: there is none.
  LLVMValueRef (*follow)(BlockCode *t, const Instruction *in, LLVMValueRef first[MOST_PLACES]);
  void (*write_block)(BlockCode *t, const Instruction *in, LLVMValueRef first[MOST_PLACES]);
  // Whether all lanes that are on go where they may; NULL: they go nowhere. And the way of any lanes; NULL: there is none.
  LLVMValueRef (*may)(BlockCode *t, const Instruction *in, WavePlaces places);
  void (*write)(BlockCode *t, const Instruction *in, WavePlaces places);
  Execute *other; // is called where they do not; NULL: the handler
} WaveCode;

extern const WaveCode code_loads, code_permute, code_lds_loads, code_stores, code_few_stores,
    code_lds_stores, code_updates;

// How the instruction is written; NULL: it is called.
const WaveCode *code_wave_of(const BlockCode *t, const Instruction *in);

// The row of a register that span s has.
LLVMValueRef wave_row(const BlockCode *t, unsigned s, int index);

// Leaves in a register what lanes get that are on.
void wave_write(BlockCode *t, unsigned s, int index, LLVMValueRef value);

// The span's lanes that are on, as truth values: all where the code is for all lanes.
LLVMValueRef wave_active(BlockCode *t, unsigned s);

// Whether something is so of no lane that is on.
LLVMValueRef wave_none(BlockCode *t, LLVMValueRef truth[SPANS]);

// Whether the lanes of a register follow each other at a distance of so many bytes; 0: are alike. And its first lane.
LLVMValueRef wave_follows(BlockCode *t, int index, unsigned distance);
LLVMValueRef wave_first(const BlockCode *t, int index);

// Rows of MOST_WORDS registers, on the stack of the function, for each place; instructions use them one after the other.
enum { MOST_WORDS = 4 };
LLVMValueRef wave_room(BlockCode *t, unsigned place);
LLVMValueRef wave_room_row(const BlockCode *t, LLVMValueRef room, unsigned row);

// One lane after the other, from the first, of those that are on.
typedef struct {
  LLVMValueRef place;  // a pointer
  LLVMValueRef offset; // of its dword in a row, bytes
} WaveLane;
typedef void WriteLane(BlockCode *t, const Instruction *in, const WaveLane *lane, void *context);
void wave_each_lane(BlockCode *t, const Instruction *in, const LanePlaces *places, WriteLane *write,
                    void *context);

// Lanes that are on, of which there may be none, one after the other while each says that it fits; NULL: it always goes on. Whether
// all did.
typedef LLVMValueRef EachActive(BlockCode *t, LLVMValueRef offset, void *context);
LLVMValueRef wave_each_active(BlockCode *t, LLVMValueRef exec, EachActive *each, void *context);
LLVMValueRef wave_few_active(const BlockCode *t, LLVMValueRef exec, unsigned most);

// A register of such a lane.
LLVMValueRef wave_word(const BlockCode *t, const WaveLane *lane, int index);

// Two words as one.
LLVMValueRef wave_pair(const BlockCode *t, LLVMValueRef low, LLVMValueRef high);

#endif
