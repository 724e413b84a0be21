// Reads before writes: see first_reads.h. The code is walked in the order of its addresses, until what
// holds where jumps lead to changes no more. A register counts as written where all lanes were that are
// on: then those that are off are read by nobody, until lanes are switched on again. Doubt is a read.
#include "first_reads.h"

#include "block.h"

#include <stdlib.h>

enum {
  BITS = 64,
  MOST_WALKS = 32,      // loops within loops take one each
  MOST_SLOTS = 1 << 16, // of a kernel
  REASON = 512,
};

typedef struct {
  uint64_t word[ALL_VGPRS / BITS];
} Set;

// What is certain before an instruction.
typedef struct {
  bool reached;   // by some way
  bool all_lanes; // are on, as at the begin
  Set whole;      // written, in all lanes
  Set here;       // written, in those lanes that are on
} State;

typedef struct {
  const Instruction *begin;
  uint32_t slots;
  State *target; // by slot: where jumps lead to
  bool *decoded; // by slot
  Set read;
  bool changed, strange;
} Walk;

typedef struct {
  bool followed;
  RegisterList list;
} FirstReads;

static bool has(const Set *set, int r) { return set->word[r / BITS] >> r % BITS & 1; }
static void add(Set *set, int r) { set->word[r / BITS] |= 1ull << r % BITS; }

static bool keep_common(Set *set, const Set *other) {
  bool less = false;
  for (int i = 0; i < ALL_VGPRS / BITS; i++) {
    less = less || (set->word[i] & ~other->word[i]);
    set->word[i] &= other->word[i];
  }
  return less;
}

// Of two ways to one place. True if it is less certain than before.
static bool meet(State *state, const State *other) {
  if (!other->reached)
    return false;
  if (!state->reached) {
    *state = *other;
    return true;
  }
  bool less = state->all_lanes && !other->all_lanes;
  state->all_lanes = state->all_lanes && other->all_lanes;
  less |= keep_common(&state->whole, &other->whole);
  return keep_common(&state->here, &other->here) || less;
}

// ---- one instruction ----

static bool is(const Instruction *in, const char *part) {
  return strstr(in->info->mnemonic, part) != NULL;
}

static bool is_jump(const Instruction *in) {
  return in->info->unit == UNIT_BRANCH && is(in, "branch");
}

static bool is_strange(const Instruction *in) {
  return (in->info->unit == UNIT_BRANCH && !is_jump(in)) || in->info->calls || is(in, "fork") ||
         is(in, "join") || is(in, "gpr_idx");
}

static bool is_vector(const Operand *operand) {
  return operand->kind == OPERAND_VGPR || operand->kind == OPERAND_VGPR_MODIFIED;
}

// A lane's result depends on that lane of its operands alone.
static bool is_lane_by_lane(const Instruction *in) {
  const Unit unit = in->info->unit;
  const bool of_lds =
      unit == UNIT_LDS && !in->gds && (begins_with(in, "ds_read") || begins_with(in, "ds_write"));
  return block_registers_tell_all(in) && in->dpp_control == DPP_NONE &&
         (unit == UNIT_VALU || unit == UNIT_GLOBAL || unit == UNIT_FLAT || unit == UNIT_SCRATCH ||
          unit == UNIT_BUFFER || of_lds);
}

// A part of the destination may stay.
static bool is_partial(const Instruction *in) {
  return !in->plain || in->dst_preserve || in->op_sel & 8 || is(in, "d16") || is(in, "mix");
}

static void read(Walk *walk, const Set *written, const Operand *operand) {
  for (int r = operand->index; is_vector(operand) && r < operand->index + operand->registers; r++)
    if (!has(written, r))
      add(&walk->read, r);
}

static void write(State *now, const Operand *operand) {
  for (int r = operand->index; is_vector(operand) && r < operand->index + operand->registers; r++) {
    add(&now->here, r);
    if (now->all_lanes)
      add(&now->whole, r);
  }
}

static bool is_exec(const Operand *operand) {
  return operand->kind == OPERAND_SGPR && operand->index == SGPR_EXEC && operand->registers == 2;
}

// Whether it can only switch lanes off.
static bool narrows(const Instruction *in) {
  const bool both = strcmp(in->info->mnemonic, "s_and_b64") == 0,
             first = both || strcmp(in->info->mnemonic, "s_andn2_b64") == 0;
  return strcmp(in->info->mnemonic, "s_and_saveexec_b64") == 0 ||
         (is_exec(&in->d) && ((first && is_exec(&in->a)) || (both && is_exec(&in->b))));
}

static void step(Walk *walk, State *now, const Instruction *in) {
  const Operand *operand[READ_OPERANDS];
  const bool alone = is_lane_by_lane(in);
  for (int i = operands_read(in, operand); i--;)
    read(walk, alone ? &now->here : &now->whole, operand[i]);
  if (!alone)
    read(walk, &now->whole, &in->d);
  else if (is_partial(in))
    read(walk, &now->here, &in->d);
  if (alone)
    write(now, &in->d);
  if (!changes_lanes(in))
    return;
  now->all_lanes = false;
  if (!narrows(in))
    now->here = now->whole;
}

// ---- the code ----

static void jump(Walk *walk, const State *now, const Instruction *in) {
  const int64_t to = in - walk->begin + in->words + in->offset;
  if (to < 0 || to >= walk->slots)
    walk->strange = true;
  else
    walk->changed |= meet(&walk->target[to], now);
}

static void walk_once(Walk *walk, State now) {
  walk->changed = false;
  for (uint32_t at = 0; at < walk->slots; at += walk->begin[at].words) {
    const Instruction *in = &walk->begin[at];
    if (walk->target[at].reached) {
      meet(&walk->target[at], &now);
      now = walk->target[at];
    }
    if (!now.reached)
      continue;
    step(walk, &now, in);
    if (is_jump(in))
      jump(walk, &now, in);
    now.reached = strcmp(in->info->mnemonic, "s_branch") != 0 && !begins_with(in, "s_endpgm");
  }
  walk->strange |= now.reached; // the wave would run on into other code
}

static bool decode_all(Walk *walk, Program *program) {
  char message[REASON];
  for (uint32_t at = 0; at < walk->slots; at += walk->begin[at].words) {
    if (!program_decode(program, &walk->begin[at], message, sizeof message) ||
        is_strange(&walk->begin[at]))
      return false;
    walk->decoded[at] = true;
  }
  return true;
}

static bool follow(Walk *walk, uint32_t given) {
  State first = {.reached = true, .all_lanes = true};
  for (uint32_t r = 0; r < given; r++)
    add(&first.whole, (int)r);
  first.here = first.whole;
  walk->changed = true;
  for (int i = 0; i < MOST_WALKS && walk->changed && !walk->strange; i++)
    walk_once(walk, first);
  for (uint32_t at = 0; at < walk->slots; at++)
    walk->strange |= walk->target[at].reached && !walk->decoded[at];
  return !walk->changed && !walk->strange;
}

static bool find(Program *program, const Kernel *kernel, const Instruction *entry, uint32_t given,
                 Set *read) {
  const uint64_t end = kernel->entry + kernel->code_size;
  Walk walk = {.begin = entry};
  if (!entry || end > program_address(program, entry) + 4 * MOST_SLOTS ||
      !program_at(program, end - 4) || end <= program_address(program, entry))
    return false;
  walk.slots = (uint32_t)((end - program_address(program, entry)) / 4);
  walk.target = calloc(walk.slots, sizeof *walk.target);
  walk.decoded = calloc(walk.slots, sizeof *walk.decoded);
  const bool found =
      walk.target && walk.decoded && decode_all(&walk, program) && follow(&walk, given);
  *read = walk.read;
  free(walk.target);
  free(walk.decoded);
  return found;
}

const RegisterList *first_reads(Program *program, const Kernel *kernel, const Instruction *entry,
                                uint32_t given) {
  FirstReads **place = (FirstReads **)program_note(program, kernel, NOTE_FIRST_READS),
             *reads = place ? *place : NULL;
  Set read;
  if (place && !reads && (reads = *place = calloc(1, sizeof *reads))) {
    reads->followed = find(program, kernel, entry, given, &read);
    for (int r = 0; r < ALL_VGPRS && reads->followed; r++)
      if (has(&read, r))
        reads->list.number[reads->list.count++] = (uint16_t)r;
  }
  return reads && reads->followed ? &reads->list : NULL;
}
