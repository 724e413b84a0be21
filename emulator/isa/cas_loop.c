// Loops of compare-and-swap: see cas_loop.h. What a round does is followed by symbols: which registers hold what memory is
// expected to hold, the sum, or what memory held.
#include "cas_loop.h"

#include "block.h"
#include "memory_address.h"

#include <stdlib.h>

enum { MOST_RESULTS = 12 };

// What a register holds: what it held as the round began; a word of the sum; a word of what memory held.
typedef enum { OF_REGISTER, SUM, FOUND } What;
typedef struct {
  uint8_t what;
  uint16_t number; // of the register, or the word
} Symbol;

typedef struct {
  uint16_t vgpr;
  Symbol symbol;
} Result;

struct CasLoop {
  const Instruction *first, *last, *swap;
  uint32_t count;      // instructions of a round
  unsigned words;      // 1: f32, 2: f64
  Operand addend;      // the other operand of the sum
  unsigned expected;   // VGPR that holds what memory is expected to hold
  unsigned done, mask; // SGPRs: lanes that got through in this round, and in any
  Result result[MOST_RESULTS];
  uint32_t results;
};

// ---- what the block does ----

typedef struct {
  CasLoop *loop;
  const Instruction *sum, *compare, *either, *andn2;
  Symbol vgpr[ALL_VGPRS];
} Reading;

static bool is_vgpr(const Operand *operand) { return operand->kind == OPERAND_VGPR; }

static bool is(const Reading *r, unsigned vgpr, What what, unsigned number) {
  return r->vgpr[vgpr].what == what && r->vgpr[vgpr].number == number;
}

static bool holds(const Reading *r, const Operand *operand, What what, unsigned number) {
  for (unsigned k = 0; k < r->loop->words; k++)
    if (!is_vgpr(operand) || !is(r, operand->index + k, what, number + k))
      return false;
  return true;
}

static bool read_copy(Reading *r, const Instruction *in, unsigned words) {
  if (!is_vgpr(&in->d) || !is_vgpr(&in->a) || (words == 1 && !in->plain))
    return false;
  const Symbol first = r->vgpr[in->a.index], second = r->vgpr[in->a.index + words - 1];
  r->vgpr[in->d.index] = first;
  r->vgpr[in->d.index + words - 1] = words > 1 ? second : first;
  return true;
}

// The low word of the first source and the high one of the second.
static bool copies_pair(const Instruction *in) {
  return is_vgpr(&in->a) && is_vgpr(&in->b) && in->a.index == in->b.index && (in->op_sel & 3) == 2;
}

static bool read_sum(Reading *r, const Instruction *in, unsigned words) {
  if (r->sum || !in->plain || !is_vgpr(&in->d) || in->a.kind == OPERAND_VGPR_MODIFIED ||
      in->b.kind == OPERAND_VGPR_MODIFIED || in->a.kind == OPERAND_SPECIAL ||
      in->b.kind == OPERAND_SPECIAL)
    return false;
  r->sum = in;
  r->loop->words = words;
  for (unsigned k = 0; k < words; k++)
    r->vgpr[in->d.index + k] = (Symbol){SUM, (uint16_t)k};
  return true;
}

// The operands of the sum are looked at as they were before it.
static bool adds_to(const Reading *before, const Operand *operand, unsigned expected) {
  return holds(before, operand, OF_REGISTER, expected);
}

static bool read_swap(Reading *r, const Instruction *in) {
  CasLoop *loop = r->loop;
  const unsigned words = begins_with(in, in->info->unit == UNIT_FLAT ? "flat_atomic_cmpswap_x2"
                                                                     : "global_atomic_cmpswap_x2")
                             ? 2
                             : 1,
                 data = in->c.index;
  if (loop->swap || !r->sum || words != loop->words || !is_vgpr(&in->d) || // nothing comes back
      !is_vgpr(&in->a) || !is_vgpr(&in->c))
    return false;
  loop->swap = in;
  loop->expected = r->vgpr[data + words].number;
  for (unsigned k = 0; k < words; k++) {
    if (!is(r, data + k, SUM, k) || !is(r, data + words + k, OF_REGISTER, loop->expected + k))
      return false;
    r->vgpr[in->d.index + k] = (Symbol){FOUND, (uint16_t)k};
  }
  return true;
}

static bool read_compare(Reading *r, const Instruction *in) {
  const CasLoop *loop = r->loop;
  const unsigned expected = loop->expected;
  if (r->compare || !loop->swap || in->m.kind != OPERAND_SGPR ||
      !((holds(r, &in->a, FOUND, 0) && holds(r, &in->b, OF_REGISTER, expected)) ||
        (holds(r, &in->b, FOUND, 0) && holds(r, &in->a, OF_REGISTER, expected))))
    return false;
  r->compare = in;
  r->loop->done = in->m.index;
  return true;
}

static bool is_pair(const Operand *operand, unsigned sgpr) {
  return operand->kind == OPERAND_SGPR && operand->index == sgpr;
}

static bool read_or(Reading *r, const Instruction *in) {
  const unsigned done = r->loop->done, mask = in->d.index;
  if (r->either || !r->compare || mask == done || names_exec(&in->d) ||
      !((is_pair(&in->a, done) && is_pair(&in->b, mask)) ||
        (is_pair(&in->b, done) && is_pair(&in->a, mask))))
    return false;
  r->either = in;
  r->loop->mask = mask;
  return true;
}

static bool read_andn2(Reading *r, const Instruction *in) {
  if (r->andn2 || !r->either || !is_pair(&in->d, SGPR_EXEC) || !is_pair(&in->a, SGPR_EXEC) ||
      !is_pair(&in->b, r->loop->mask))
    return false;
  r->andn2 = in;
  return true;
}

static bool read_instruction(Reading *r, const Instruction *in) {
  const unsigned compared = r->loop->words == 2 ? 64 : 32;
  if (r->andn2)
    return false; // other lanes are on
  if (begins_with(in, "s_waitcnt"))
    return true;
  if (begins_with(in, "v_mov_b32"))
    return read_copy(r, in, 1);
  if (begins_with(in, "v_pk_mov_b32"))
    return copies_pair(in) && read_copy(r, in, 2);
  if (begins_with(in, "v_add_f32") || begins_with(in, "v_add_f64"))
    return read_sum(r, in, begins_with(in, "v_add_f64") ? 2 : 1);
  if (begins_with(in, "global_atomic_cmpswap") || begins_with(in, "flat_atomic_cmpswap"))
    return read_swap(r, in);
  if (begins_with(in, compared == 64 ? "v_cmp_eq_u64" : "v_cmp_eq_u32"))
    return read_compare(r, in);
  if (begins_with(in, "s_or_b64"))
    return read_or(r, in);
  return begins_with(in, "s_andn2_b64") && read_andn2(r, in);
}

// Registers that the next round finds as this one did.
static bool stays(const Reading *r, const Operand *operand, unsigned registers) {
  if (operand->kind == OPERAND_SGPR)
    return operand->index != r->loop->done && operand->index + 1u != r->loop->done &&
           operand->index != r->loop->mask && operand->index + 1u != r->loop->mask &&
           operand->index != r->loop->done + 1 && operand->index != r->loop->mask + 1 &&
           operand->index < SGPR_EXEC;
  for (unsigned k = 0; operand->kind == OPERAND_VGPR && k < registers; k++)
    if (!is(r, operand->index + k, OF_REGISTER, operand->index + k))
      return false;
  return true;
}

static bool keep_results(Reading *r) {
  CasLoop *loop = r->loop;
  const unsigned expected = loop->expected, words = loop->words;
  for (unsigned v = 0; v < ALL_VGPRS; v++) {
    const Symbol symbol = r->vgpr[v];
    if (is(r, v, OF_REGISTER, v))
      continue;
    const bool known = symbol.what != OF_REGISTER || symbol.number - expected < words;
    if (!known || loop->results == MOST_RESULTS)
      return false;
    loop->result[loop->results++] = (Result){(uint16_t)v, symbol};
  }
  return true;
}

// Which operand of the sum memory is expected to hold follows from what the swap compares; a copy of it counts, too, if it was made
// before the sum: `before` has the symbols then.
static bool choose_addend(Reading *r, const Reading *before) {
  CasLoop *loop = r->loop;
  const Operand *a = &r->sum->a, *b = &r->sum->b;
  const bool adds_a = adds_to(before, a, loop->expected),
             adds_b = adds_to(before, b, loop->expected);
  if (!adds_a && !adds_b)
    return false;
  loop->addend = adds_a ? *b : *a;
  return true;
}

static bool leads_to_itself(const Instruction *first, const Instruction *last) {
  return begins_with(last, "s_cbranch_execnz") && last + last->words + last->offset == first;
}

static bool read_block(Reading *r, Reading *before, uint32_t count) {
  CasLoop *loop = r->loop;
  const Instruction *in = loop->first;
  for (unsigned v = 0; v < ALL_VGPRS; v++)
    r->vgpr[v] = (Symbol){OF_REGISTER, (uint16_t)v};
  for (uint32_t i = 0; i + 1 < count; i++, in += in->words) {
    if (!r->sum)
      *before = *r;
    if (!read_instruction(r, in))
      return false;
  }
  if (!r->andn2 || !choose_addend(r, before))
    return false;
  for (unsigned k = 0; k < loop->words; k++)
    if (!is(r, loop->expected + k, FOUND, k))
      return false;
  const Instruction *swap = loop->swap;
  return stays(r, &loop->addend, loop->words) && stays(r, &swap->a, swap->a.registers) &&
         stays(r, &swap->b, 2) && keep_results(r);
}

CasLoop *cas_loop_of(const Instruction *first, uint32_t count) {
  enum { LEAST = 6, MOST = 16 }; // instructions: sum, swap, compare, or, andn2, branch
  const Instruction *last = count >= LEAST && count <= MOST ? block_last(first, count) : NULL;
  if (!last || !leads_to_itself(first, last))
    return NULL;
  CasLoop *loop = calloc(1, sizeof *loop);
  Reading *reading = calloc(2, sizeof *reading);
  bool is_one = false;
  if (loop && reading) {
    loop->first = first;
    loop->last = last;
    loop->count = count;
    reading->loop = reading[1].loop = loop;
    is_one = read_block(reading, reading + 1, count);
  }
  free(reading);
  if (is_one)
    return loop;
  free(loop);
  return NULL;
}

// ---- all rounds ----

// A place that lanes meet at.
typedef struct {
  u64 address;  // 0: none
  u64 value;    // of memory
  u64 begun;    // what the lanes that are left expect
  u64 expected; // what all lanes expected at first
  u32 round;
} Meeting;

enum { MEETINGS = 2 * LANES };
typedef struct {
  Meeting meeting[MEETINGS];
  u64 old[LANES], sum[LANES];
  u32 round[LANES]; // in which the lane gets through
} Rounds;

static u64 lane_value(Wavefront *w, const Operand *operand, unsigned words, int lane) {
  if (operand->kind == OPERAND_VGPR)
    return words == 2 ? get_u64(w->vgpr[operand->index], lane) : w->vgpr[operand->index][lane];
  return words == 2 ? scalar_u64(w, operand) : scalar_u32(w, operand);
}

static u64 add(u64 a, u64 b, unsigned words) {
  return words == 2 ? bits_of_f64(f64_of(a) + f64_of(b))
                    : bits_of_f32(f32_of((u32)a) + f32_of((u32)b));
}

static Meeting *meeting_at(Rounds *rounds, u64 address, unsigned words) {
  u32 i = (u32)((address * 0x9e3779b97f4a7c15ull) >> 57);
  while (rounds->meeting[i].address && rounds->meeting[i].address != address)
    i = (i + 1) % MEETINGS;
  Meeting *meeting = &rounds->meeting[i];
  if (!meeting->address) {
    *meeting = (Meeting){.address = address};
    memcpy(&meeting->value, (const void *)address, 4 * words);
  }
  return meeting;
}

// In the order of lanes. Of those that expect the same, the first one gets through, and so do those behind it as long as it adds
// nothing; all others find what it left, and expect that in the next round. False if lanes expect different values.
static bool meet(Wavefront *w, const CasLoop *loop, const Access *access, Rounds *rounds) {
  const unsigned words = loop->words;
  const Operand expected = {.kind = OPERAND_VGPR, .index = (uint16_t)loop->expected};
  memset(rounds->meeting, 0, sizeof rounds->meeting);
  FOR_LANES_OF(w->exec) {
    Meeting *at = meeting_at(rounds, access->address[lane], words);
    const u64 own = lane_value(w, &expected, words, lane);
    if (!at->round) {
      at->expected = at->begun = own;
      at->round = 1;
    }
    if (own != at->expected)
      return false;
    if (at->value != at->begun) {
      at->begun = at->value;
      at->round++;
    }
    rounds->old[lane] = at->value;
    rounds->round[lane] = at->round;
    at->value = add(at->value, lane_value(w, &loop->addend, words, lane), words);
    rounds->sum[lane] = at->value;
  }
  return true;
}

static void write_back(Wavefront *w, const CasLoop *loop, const Rounds *rounds, u32 last) {
  u64 done = 0;
  for (int i = 0; i < MEETINGS; i++)
    if (rounds->meeting[i].address)
      memcpy((void *)rounds->meeting[i].address, &rounds->meeting[i].value, 4 * loop->words);
  FOR_LANES_OF(w->exec) {
    done |= (u64)(rounds->round[lane] == last) << lane;
    for (u32 i = 0; i < loop->results; i++) {
      const Symbol symbol = loop->result[i].symbol;
      const u64 value = symbol.what == SUM ? rounds->sum[lane] : rounds->old[lane];
      const unsigned word =
          symbol.what == OF_REGISTER ? symbol.number - loop->expected : symbol.number;
      w->vgpr[loop->result[i].vgpr][lane] = (u32)(value >> 32 * word);
    }
  }
  memcpy(&w->sgpr[loop->done], &done, sizeof done);
}

bool cas_loop_run(Wavefront *w, const CasLoop *loop, uint64_t until) {
  const u64 lanes = w->exec;
  u64 mask, sum = 0;
  u32 last = 0;
  memcpy(&mask, &w->sgpr[loop->mask], sizeof mask);
  if (!(lanes & (lanes - 1)) || mask & lanes || w->shadow || traffic_wanted(w) || !w->trace.off)
    return false;
  Access access;
  Rounds rounds;
  access.bytes = 4 * loop->words;
  w->in = loop->swap;
  if (memory_resolve_lanes(w, loop->swap, &access, MEMORY_ATOMIC) != lanes || access.shared ||
      !meet(w, loop, &access, &rounds))
    return false;
  FOR_LANES_OF(lanes) {
    last = rounds.round[lane] > last ? rounds.round[lane] : last;
    sum += rounds.round[lane];
  }
  if (w->issued + (u64)last * loop->count > until)
    return false;
  write_back(w, loop, &rounds, last);
  mask |= lanes;
  memcpy(&w->sgpr[loop->mask], &mask, sizeof mask);
  w->exec = 0;
  w->scc = false;
  InstructionProfile *profile = &w->thread->profile[loop->first->id];
  profile->blocks += last;
  profile->block_lanes += sum;
  w->issued += (u64)last * loop->count;
  w->in = loop->last;
  w->next = loop->last + loop->last->words;
  return true;
}
