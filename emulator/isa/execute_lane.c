// Data that crosses lanes: readlane, writelane, mbcnt and the DS permutes. Rows in
// instructions_lane.def.
#include "instruction_table.h"
#include "lanes.h"
#include "spans.h"

// Bits of the lanes below one, of the first 32 lanes and of the others.
static inline u32 low_below(int lane) { return lane < 32 ? (1u << (lane & 31)) - 1 : ~0u; }
static inline u32 high_below(int lane) { return lane < 32 ? 0 : (1u << (lane & 31)) - 1; }

// An inactive wave reads lane 0.
static void do_v_readfirstlane_b32(Wavefront *w, const Instruction *in) {
  Row ra;
  const u32 *a = source(w, in, &in->a, TYPE_u32, &ra);
  set_scalar_u32(w, &in->d, a[w->exec ? __builtin_ctzll(w->exec) : 0]);
}

static void do_v_readlane_b32(Wavefront *w, const Instruction *in) {
  Row ra;
  const u32 *a = source(w, in, &in->a, TYPE_u32, &ra);
  set_scalar_u32(w, &in->d, a[scalar_u32(w, &in->b) & (LANES - 1)]);
}

static void do_v_writelane_b32(Wavefront *w, const Instruction *in) {
  w->vgpr[in->d.index][scalar_u32(w, &in->b) & (LANES - 1)] = scalar_u32(w, &in->a);
}

// ds_swizzle_b32: the lane that `lane` reads. The pattern in the offset has four forms, by its
// upper bits.
static u32 swizzle_source(u32 pattern, int lane) {
  u32 i = (u32)lane & 31, group = (u32)lane & 32, low = pattern & 31, next = pattern >> 5 & 31;
  if (pattern >= 0xe000) { // FFT: bit-reversed order inside groups of 32 >> popcount(low)
    u32 reversed = (i & 1) << 4 | (i & 2) << 2 | (i & 4) | (i & 8) >> 2 | (i & 16) >> 4;
    return group | reversed >> __builtin_popcount(low) | (i & low);
  }
  if (pattern >= 0xc000) { // rotation by `next`, bit 10: to the other side; the bits of `low` stay
    u32 rotated = (pattern & 0x400) ? i - next : i + next;
    return group | (i & low) | (rotated & ~low & 31);
  }
  if (pattern & 0x8000) // any lane of the quad
    return ((u32)lane & ~3u) | (pattern >> (2 * (lane & 3)) & 3);
  return group | (((i & low) | next) ^ (pattern >> 10 & 31)); // and, or, xor masks
}

// If several lanes push to the same one, the highest wins; a lane nobody pushes to gets 0.
static void do_ds_permute_b32(Wavefront *w, const Instruction *in) {
  Row ra, rc, result = {0};
  const u32 *a = source(w, in, &in->a, TYPE_u32, &ra), *c = source(w, in, &in->c, TYPE_u32, &rc);
  FOR_LANES if (w->exec >> lane & 1) result.word[(a[lane] + (u32)in->offset) >> 2 & (LANES - 1)] =
      c[lane];
  commit_registers(w, &in->d, 1, &result);
}

// Each active lane's word from the lane that `place` names, 0 from one that is off. EXEC is expanded.
static inline void gather(const Wavefront *w, const u32 *words, const u32 *place, u32 *to) {
  const SpanWords *active = (const SpanWords *)w->exec_lanes;
  SpanWords table[SPANS];
  for (int s = 0; s < SPANS; s++)
    table[s] = ((const SpanWords *)words)[s] & active[s];
  for (int s = 0; s < SPANS; s++) {
    const SpanWords lane = ((const SpanWords *)place)[s], upper = (SpanWords)((lane & 32) != 0);
    SpanWords low, high, *row = (SpanWords *)to + s;
    pick_of_two(&low, table, &lane);
    pick_of_two(&high, table + 2, &lane);
    *row = (((low & ~upper) | (high & upper)) & active[s]) | (*row & ~active[s]);
  }
}

// Handlers from the table.
#define MBCNT(NAME, MASK)                                                                          \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row ra, rb, result;                                                                            \
    const u32 *a = source(w, in, &in->a, TYPE_u32, &ra);                                           \
    const u32 *b = source(w, in, &in->b, TYPE_u32, &rb);                                           \
    FOR_LANES result.word[lane] = (u32)__builtin_popcount(a[lane] & MASK) + b[lane];               \
    commit(w, in, TYPE_u32, &result);                                                              \
  }
#define GATHER(NAME, OPERANDS, THIRD, DATA, FROM)                                                  \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    Row ra, rdata, place;                                                                          \
    const u32 *a = source(w, in, &in->a, TYPE_u32, &ra);                                           \
    const u32 *data = source(w, in, &in->DATA, TYPE_u32, &rdata);                                  \
    (void)a;                                                                                       \
    expand_exec(w);                                                                                \
    FOR_LANES place.word[lane] = FROM;                                                             \
    gather(w, data, place.word, w->vgpr[in->d.index]);                                             \
  }
#define CALL(NAME, OPERANDS, THIRD, UNIT, TIME)
#include "instructions_lane.def"
#undef MBCNT
#undef GATHER
#undef CALL

#define ROW(NAME, OPERANDS, THIRD, UNIT, TIME, COUNTER)                                            \
  {#NAME, do_##NAME, OPERANDS,       TYPE_u32,    TYPE_u32, TYPE_u32, TYPE_##THIRD,                \
   UNIT,  TIME,      PARTS_SELECTED, MEMORY_NONE, false,    COUNTER},
#define MBCNT(NAME, MASK) ROW(NAME, "dab", NONE, UNIT_VALU, FULL_RATE, SQ_INSTS_VALU_INT32)
#define GATHER(NAME, OPERANDS, THIRD, DATA, FROM) ROW(NAME, OPERANDS, THIRD, UNIT_LDS, 0, SQ_INSTS)
#define CALL(NAME, OPERANDS, THIRD, UNIT, TIME) ROW(NAME, OPERANDS, THIRD, UNIT, TIME, SQ_INSTS)
const InstructionInfo lane_instructions[] = {
#include "instructions_lane.def"
};
const size_t lane_instruction_count = sizeof lane_instructions / sizeof *lane_instructions;
