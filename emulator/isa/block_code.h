// The function that a block becomes, while it is written: LLVM's types and values, and where the wave's
// registers are at the instruction that the writer has come to.
//
// Straight code stands before a loop over spans of lanes, which closes when what follows depends on
// what it leaves in memory. Then there is straight code again, and perhaps another loop. A round of the loop has one span
// or two, in turns instruction by instruction: in long blocks each instruction waits for the one before, and the host
// computes the other span meanwhile.
#ifndef EMULATOR_BLOCK_CODE_H
#define EMULATOR_BLOCK_CODE_H

#include "affine.h"
#include "block_registers.h"
#include "jit.h"
#include "wavefront.h"

enum { SPAN = 16, SPANS = LANES / SPAN, VGPRS = ALL_ROWS, BYTE = 8 };
enum { CODE_BLOCKS = 64 }; // of one function

// What registers hold, of those that were read or written. A pair is one value of 64 bits as long as
// it is used as one.
typedef struct {
  LLVMValueRef word[VGPRS + 1], pair[VGPRS + 1];
  bool changed[VGPRS + 1]; // not yet in memory
} CodeRegisters;

// Where lanes lie near to the first or to the last of their span, see block_windows.h.
typedef struct {
  unsigned bytes;           // of each lane: 4, 8, 12 or 16
  LLVMValueRef first, last; // of these lanes, 32 bits
  LLVMValueRef usual;       // whether all lanes lie in the two windows
  LLVMValueRef one;         // whether the first window has all of them
  LLVMValueRef reach;   // of lanes in the first window, the largest distance from the first lane
  LLVMValueRef element; // of each lane, which one of both windows it begins with
} Windows;

// How the lanes of a span lie to each other that an address in a register gives, see block_lds.c.
enum { LDS_ADDRESSES = 8 };
typedef struct {
  LLVMBasicBlockRef head; // of the loop that it is known in
  LLVMValueRef address;
  unsigned words, distance;
  LLVMValueRef first;       // address of the first lane
  LLVMValueRef usual, near; // truth values
  Windows windows;          // distance: LDS_WINDOWS
} LdsLanes;

// A span of a round.
typedef struct {
  LLVMValueRef offset;       // of the span in a row, bytes
  LLVMValueRef exec, active; // the span's bits of EXEC, unless all are on; as truth values
  CodeRegisters vgpr;
  LLVMValueRef
      mask[SGPR_COUNT]; // truth values that the loop writes to the pair of scalar registers
} SpanCode;
enum { MOST_AT_ONCE = SPANS };

typedef struct {
  LLVMValueRef begin, bytes; // NULL: not yet known in this block
  LdsLanes lanes[LDS_ADDRESSES];
  unsigned known;
} CodeLds;

// A number of each lane that follows from one of the wave: where each span begins, and how far each lane is behind
// the one before it. But for the base none of them changes while a loop runs.
typedef struct {
  LLVMValueRef base;          // of lane 0; NULL: it is no such number
  LLVMValueRef behind[SPANS]; // of each span's first lane, never less than 0
  LLVMValueRef step, extent;  // from lane to lane; from base to the greatest
  bool same;                  // all lanes have the base
} AffineValue;

// What a loop keeps in the host's registers from round to round: see register_loop.h.
typedef struct {
  enum { KEPT_VGPR, KEPT_PAIR, KEPT_AFFINE, KEPT_SGPR, KEPT_SCC } what; // PAIR: of VGPRs
  int index;
  unsigned span;
  LLVMValueRef value; // at the start of the round
} Kept;

typedef struct {
  LLVMBuilderRef once;           // before the loop
  LLVMBasicBlockRef head, leave; // leave: where the round is done once more by other code
  LLVMValueRef may;              // be entered, as far as is known
  LLVMValueRef issued;           // instructions of the wave, this round's too
  AffineLoop affine;
  AffineValue value[VGPRS + 1];
  struct {
    LLVMValueRef carry, mask; // mask: what the first span's was where the carry was made
  } carry[SGPR_COUNT];
  Kept kept[SPANS * VGPRS + SGPR_COUNT + 1];
  unsigned kept_count;
  bool failed; // something is not as it was foreseen: never entered
} RegisterLoop;

typedef struct {
  bool all_lanes, traced, uncounted, sanitized;
  bool goes_on; // from block to block
  LLVMModuleRef module;
  LLVMValueRef function, wave;
  LLVMBuilderRef straight, lanes; // before the loop over spans, and in it
  LLVMBasicBlockRef loop; // over spans that have active lanes; NULL: no vector instruction yet
  LLVMBasicBlockRef head; // where each round begins
  unsigned at_once;       // spans of a round
  SpanCode spans[MOST_AT_ONCE], *span; // that of them which is written now
  CodeRegisters sgpr;                  // where straight code has come to
  LLVMValueRef scc;                    // the same, NULL: in memory
  bool scc_changed;
  Uses used;                  // not yet told
  const Instruction *next;    // that the writer has come to
  const Instruction *written; // the first of the block that is written
  uint32_t left;              // instructions from there to the end of the block
  bool ends;                  // the wave, with the block
  CodeLds lds;
  LLVMValueRef offsets, rows;      // room on the stack, see block_wave.h; NULL: none yet
  bool loads_lds, loads_global;    // in the loop
  Waits waits;                     // that the sanitizer was not told yet
  const Instruction *const *first; // of the blocks that the function has, and where each begins
  LLVMBasicBlockRef begin[CODE_BLOCKS], enter[CODE_BLOCKS]; // enter: from other blocks
  uint32_t blocks;
  RegisterLoop *stays; // in registers: the loop that is written now; else NULL
} BlockCode;

// Types and constants; code_span: a vector of integers, one for each lane of a span.
LLVMTypeRef code_integer(unsigned bits);
LLVMTypeRef code_span(unsigned bits);
LLVMTypeRef code_pointer(void);
LLVMValueRef code_number(unsigned bits, uint64_t value);
LLVMValueRef code_address(const void *place);
LLVMValueRef code_splat_number(unsigned bits, uint64_t value);
unsigned code_bits(Type type);

// Memory: code_field is a place in the wave.
LLVMValueRef code_load(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef from,
                       unsigned alignment);
void code_store(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef to, unsigned alignment);
LLVMValueRef code_beside(LLVMBuilderRef builder, LLVMValueRef base, LLVMValueRef bytes);
LLVMValueRef code_field(const BlockCode *t, LLVMBuilderRef builder, size_t offset);
void code_set_pointer(const BlockCode *t, size_t offset, const void *value);

// How many bits are on ("llvm.ctpop"), or how many are off before the first that is on ("llvm.cttz": there is one).
LLVMValueRef code_count_bits(const BlockCode *t, LLVMBuilderRef builder, const char *how,
                             LLVMValueRef bits);

// Where registers are in the wave: of a VGPR, the row of a span that begins so many bytes behind the first.
LLVMValueRef code_row(const BlockCode *t, LLVMBuilderRef builder, LLVMValueRef span, int index);
LLVMValueRef code_sgpr(const BlockCode *t, LLVMBuilderRef builder, int index);
LLVMValueRef code_scc(const BlockCode *t, LLVMBuilderRef builder);

// The values of registers of t->span->vgpr or t->sgpr, in 32 bits or 64.
LLVMValueRef code_read(BlockCode *t, CodeRegisters *file, int index, unsigned bits);
void code_write(BlockCode *t, CodeRegisters *file, int index, unsigned bits, LLVMValueRef value);
LLVMValueRef code_read_scc(BlockCode *t);
void code_write_scc(BlockCode *t, LLVMValueRef value);

// In a loop that stays in registers: a value that changes from round to round, from the first one on.
LLVMValueRef code_at_head(const RegisterLoop *loop, LLVMValueRef first);

// The low words of a span's pairs, or, first: 1, the high ones.
LLVMValueRef code_word_of_pairs(LLVMBuilderRef builder, LLVMValueRef pairs, unsigned first);

// There, too: an affine value of a VGPR, and the row of a span that it stands for.
void code_write_affine(BlockCode *t, int index, const AffineValue *value);
LLVMValueRef code_affine_row(const BlockCode *t, LLVMBuilderRef builder, const AffineValue *value,
                             unsigned span);

// There: goes on only if this is so, and enters the loop only if that is so.
void code_leave_unless(BlockCode *t, LLVMValueRef condition);
void code_enter_if(BlockCode *t, LLVMValueRef condition);

// Stores changes of scalar registers and SCC; forgets what all of them hold, because it may change.
void code_store_scalars(BlockCode *t);
void code_forget_scalars(BlockCode *t);

// A scalar operand as it is where the writer has come to, and the same value for each lane.
LLVMValueRef code_splat(LLVMBuilderRef builder, LLVMValueRef value);
LLVMValueRef code_scalar(BlockCode *t, const Operand *operand, unsigned bits);

// Whether the loop writes scalar registers that the operand names.
bool code_names_mask(const BlockCode *t, const Operand *operand);

// Truth values of 16 bits.
LLVMValueRef code_truth(const BlockCode *t, LLVMValueRef bits);

// Room on the stack of the function.
LLVMValueRef code_rows(const BlockCode *t, int rows, unsigned bits);

// In the loop, where some bits of the span are set, calls a function of `rows` rows of `bits` bits, as an
// array, and these bits; it leaves in the first row what is returned, elsewhere `usual`.
LLVMValueRef code_rare_call(BlockCode *t, LLVMValueRef some, LLVMValueRef usual,
                            const void *function, LLVMValueRef *row, int rows, unsigned bits);

// Begins the loop unless it has begun, and ends it if it has: then vector registers are in memory.
void code_open_loop(BlockCode *t);
void code_close_loop(BlockCode *t);

// Stores what the loop changed of a span's registers.
void code_store_rows(BlockCode *t, const Instruction *none);

// Writes the instruction for each span of a round.
typedef void CodeSpan(BlockCode *t, const Instruction *in);
void code_each_span(BlockCode *t, const Instruction *in, CodeSpan *write);

#endif
