// Trials of instructions: see undefined_trial.h.
#include "undefined_trial.h"

#include "block.h"
#include "block_registers.h"
#include "undefined_operand.h"

// Everything that an instruction of registers can change.
enum { MOST_ROWS = READ_OPERANDS * 32 };
typedef u32 Lanes[LANES];
typedef struct {
  Lanes row[MOST_ROWS]; // of the operands, in their order
  u32 sgpr[SGPR_COUNT];
  bool scc;
} State;

// The rows of the operands: those that are read, then those of the destination. Returns the number of
// all; *read is that of the first. upper: those of upper halves of 64 bits.
static int list_rows(const Instruction *in, u16 *row, bool *upper, int *read) {
  const Operand *operand[READ_OPERANDS];
  operands_read(in, operand);
  int count = 0;
  for (int i = 0; i < READ_OPERANDS; i++) {
    if (i == READ_OPERANDS - 1)
      *read = count;
    for (int r = 0; operand_is_vector(operand[i]) && r < operand[i]->registers && r < 32; r++) {
      upper[count] = r & 1;
      row[count++] = (u16)(operand[i]->index + r);
    }
  }
  return count;
}

// What undefined bits are in a trial: the pattern, as one word, or as the lower and the upper half of 64 bits. A number is
// another one in each register and lane; it has so many bits.
typedef struct {
  u32 low, high;
  u8 number_bits; // 0: the pattern
} Trial;

// Nobody can tell it from chance, but it is the same in each run.
static inline u32 number_of(const Trial *trial, u32 reg, u32 lane) {
  u32 x = (trial->low + reg) * LANES + lane;
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu; // Wellons' lowbias32
  return (x ^ x >> 16) >> (32 - trial->number_bits);
}

static u32 bits_in(const Trial *trial, u32 reg, u32 lane, bool upper) {
  return trial->number_bits ? number_of(trial, reg, lane) : upper ? trial->high : trial->low;
}

// ---- what a trial is about ----

typedef struct {
  u16 row[MOST_ROWS]; // registers of the operands
  bool upper[MOST_ROWS];
  int read, count;       // how many of them are read; all
  bool scalars;          // SGPRs or SCC take part, too
  Lanes bits[MOST_ROWS]; // that are undefined
  State before;
} Subject;

// Of most vector instructions they do not.
static bool scalars_take_part(const Shadow *shadow, const Instruction *in) {
  const Operand *operand[READ_OPERANDS];
  bool some = in->info->unit != UNIT_VALU || in->d.kind == OPERAND_SGPR ||
              in->m.kind != OPERAND_NONE || begins_with(in, "v_cmpx") || divides(in);
  for (int i = operands_read(in, operand); i--;)
    some = some || undefined_scalar(shadow, operand[i]);
  return some;
}

static void undefined_bits(const Shadow *shadow, int r, u32 *bits) {
  Lanes undefined, whole;
  expand_lanes(shadow->undefined[r], undefined);
  expand_lanes(shadow->whole[r], whole);
  FOR_LANES bits[lane] = undefined[lane] & (whole[lane] | shadow->bits[r][lane]);
}

static void begin(const Wavefront *w, const Instruction *in, Subject *subject) {
  const Shadow *shadow = w->shadow;
  subject->count = list_rows(in, subject->row, subject->upper, &subject->read);
  subject->scalars = scalars_take_part(shadow, in);
  for (int i = 0; i < subject->count; i++) {
    const u16 r = subject->row[i];
    memcpy(subject->before.row[i], w->vgpr[r], sizeof(Lanes));
    undefined_bits(shadow, r, subject->bits[i]);
  }
  if (subject->scalars) {
    memcpy(subject->before.sgpr, w->sgpr, sizeof w->sgpr);
    subject->before.scc = w->scc;
  }
}

static void put_back(Wavefront *w, const Subject *subject) {
  for (int i = 0; i < subject->count; i++)
    memcpy(w->vgpr[subject->row[i]], subject->before.row[i], sizeof(Lanes));
  if (subject->scalars) {
    memcpy(w->sgpr, subject->before.sgpr, sizeof w->sgpr);
    w->scc = subject->before.scc;
  }
}

static void fill_row(u32 *restrict to, const u32 *restrict before, const u32 *restrict bits,
                     u32 reg, bool upper, const Trial *trial) {
  const u32 pattern = upper ? trial->high : trial->low;
  if (trial->number_bits)
    FOR_LANES to[lane] =
        (before[lane] & ~bits[lane]) | (number_of(trial, reg, (u32)lane) & bits[lane]);
  else
    FOR_LANES to[lane] = (before[lane] & ~bits[lane]) | (pattern & bits[lane]);
}

static void fill(Wavefront *w, const Subject *subject, const Trial *trial) {
  const Shadow *shadow = w->shadow;
  for (int i = 0; i < subject->count; i++)
    fill_row(w->vgpr[subject->row[i]], subject->before.row[i], subject->bits[i], subject->row[i],
             subject->upper[i], trial);
  for (u32 i = 0; subject->scalars && i < SGPR_COUNT; i++)
    w->sgpr[i] = (subject->before.sgpr[i] & ~shadow->sgpr[i]) |
                 (bits_in(trial, ALL_VGPRS + i, 0, i & 1) & shadow->sgpr[i]);
  if (subject->scalars)
    w->scc =
        shadow->scc ? bits_in(trial, ALL_VGPRS + SGPR_COUNT, 0, false) & 1 : subject->before.scc;
}

static u32 word_of(const Wavefront *w, const Operand *operand, int word, int lane) {
  if (operand_is_vector(operand))
    return w->vgpr[operand->index + word][lane];
  if (operand->kind == OPERAND_SGPR)
    return operand->index + word < SGPR_COUNT ? w->sgpr[operand->index + word] : 0;
  return operand->kind == OPERAND_CONSTANT ? (u32)(operand->value >> 32 * word) : 0;
}

// The sign of a number in its last word.
static u32 sign_of(Type type) { return type == TYPE_f16 ? 0x8000 : 0x80000000; }

// Undefined bits of what is compared take those of what it is compared with, the last of them after `flip`: the two may be
// equal, or equal but for the sign.
static void fill_alike(Wavefront *w, const Operand *one, const Operand *other, u32 flip) {
  const Shadow *shadow = w->shadow;
  for (int r = 0; operand_is_vector(one) && r < one->registers; r++)
    for (u64 lanes = shadow->undefined[one->index + r]; lanes; lanes &= lanes - 1) {
      const int lane = __builtin_ctzll(lanes);
      const u32 bits = shadow_bits(shadow, one->index + r, lane),
                alike = word_of(w, other, r, lane) ^ (r == one->registers - 1 ? flip : 0);
      u32 *value = &w->vgpr[one->index + r][lane];
      *value = (*value & ~bits) | (alike & bits);
    }
  for (int r = 0; one->kind == OPERAND_SGPR && r < one->registers; r++)
    if (one->index + r < SGPR_COUNT) {
      const u32 bits = shadow->sgpr[one->index + r],
                alike = word_of(w, other, r, 0) ^ (r == one->registers - 1 ? flip : 0);
      w->sgpr[one->index + r] = (w->sgpr[one->index + r] & ~bits) | (alike & bits);
    }
}

// Moves, also between lanes, masks, shifts, selections: bits of the sources, each of which stays what it is. All others are arithmetic.
static bool is_copy(const Instruction *in) {
  static const char *const begin[] = {
      "v_mov",    "v_accvgpr", "v_swap",  "v_cndmask", "v_and_",   "v_or",    "v_xor_",  "v_xnor_",
      "v_not_",   "v_lshl_or", "v_lshlr", "v_lshrr",   "v_ashrr",  "v_bfe_",  "v_bfi_",  "v_bfrev",
      "v_align",  "v_perm",    "v_pack",  "v_read",    "v_pk_mov", "v_pk_ls", "v_pk_as", "s_mov",
      "s_cmov",   "s_cselect", "s_and",   "s_or",      "s_xor_",   "s_xnor_", "s_nand_", "s_nor_",
      "s_not_",   "s_lshl_",   "s_lshr_", "s_ashr_",   "s_bfe_",   "s_brev",  "s_pack",  "s_sext",
      "s_bitset", "s_bitrepl", "s_wqm",   "s_quad",    "ds_"};
  for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
    if (begins_with(in, begin[i]))
      return true;
  return false;
}

// The instruction may be a copy of the program's own, with other registers (s_set_gpr_idx_on).
static bool copies(const Wavefront *w, const Instruction *in) {
  enum { UNKNOWN, COPIES, COMPUTES };
  Program *program = w->thread->program;
  uint8_t *known = &program_slot(program, program_instruction(program, in->id))->copies;
  if (__atomic_load_n(known, __ATOMIC_RELAXED) == UNKNOWN)
    __atomic_store_n(known, is_copy(in) ? COPIES : COMPUTES, __ATOMIC_RELAXED);
  return __atomic_load_n(known, __ATOMIC_RELAXED) == COPIES;
}

// Lanes of the result that are more than a copy: the instruction is arithmetic, or what made a source, or chose it.
static u64 computed_lanes(const Wavefront *w, const Instruction *in, const u16 *row, int read) {
  const Operand *operand[READ_OPERANDS];
  const Shadow *shadow = w->shadow;
  u64 lanes = copies(w, in) && !(reads_scc(in) && shadow->scc && shadow->scc_computed) ? 0 : ~0ull;
  for (int i = operands_read(in, operand); i--;)
    lanes |= undefined_scalar_computed(shadow, operand[i]) ? ~0ull : 0;
  for (int i = 0; i < read; i++)
    lanes |= shadow->computed[row[i]] & shadow->undefined[row[i]];
  return lanes;
}

static Origin origin_of_any(const Shadow *shadow, const Instruction *in, u64 lanes) {
  const Operand *operand[READ_OPERANDS];
  operands_read(in, operand);
  for (int i = 0; i < READ_OPERANDS; i++) {
    const Origin *origin = undefined_origin(shadow, operand[i], lanes);
    if (origin)
      return *origin;
  }
  return shadow->scc_origin;
}

// What differed between the trials is undefined from now on.
static void take_over(Wavefront *w, const Instruction *in, const Subject *subject,
                      const State *different) {
  Shadow *shadow = w->shadow;
  const Origin origin = origin_of_any(shadow, in, w->exec);
  const u64 computed = computed_lanes(w, in, subject->row, subject->read);
  for (int i = subject->read; i < subject->count; i++) {
    const u16 r = subject->row[i];
    const u32 *bits = different->row[i];
    uint8_t some[LANES], all[LANES];
    FOR_LANES {
      some[lane] = bits[lane] != 0;
      all[lane] = bits[lane] == ~0u;
    }
    const u64 undefined = mask_of_bytes(some), whole = mask_of_bytes(all);
    if (undefined & w->exec) {
      shadow->origin[r] = origin;
      shadow->computed[r] = (shadow->computed[r] & ~w->exec) | (computed & w->exec);
    }
    shadow->undefined[r] = undefined;
    shadow->whole[r] = whole;
    memcpy(shadow->bits[r], bits, sizeof *shadow->bits);
  }
  if (subject->scalars) {
    memcpy(shadow->sgpr, different->sgpr, sizeof shadow->sgpr);
    undefined_note_scalars(shadow, &in->d, origin, computed != 0);
    undefined_note_scalars(shadow, &in->m, origin, computed != 0);
    shadow->scc = different->scc;
  }
  if (writes_scc(in)) {
    shadow->scc_origin = origin;
    shadow->scc_computed = computed != 0;
  }
}

// Zeros, ones and numbers, which do for copies; near 0, and far from it on both sides, as an integer and in each
// floating-point format, and numbers of all sizes; then, for comparisons, what is equal; and, for those of classes, infinities.
static const Trial trial[] = {{0, 0, 0},
                              {~0u, ~0u, 0},
                              {1, 0, 32},
                              {2, 0, 32},
                              {1, 0, 0},
                              {0x3f8ccccd, 0x3f8ccccd, 0},
                              {0x7bff7bff, 0x7bff7bff, 0},
                              {0xfbfffbff, 0xfbfffbff, 0},
                              {3, 0, 32},
                              {4, 0, 32},
                              {5, 0, 16},
                              {6, 0, 8},
                              {0x7f800000, 0x7c00, 0},
                              {0xff800000, 0xfc00, 0},
                              {0x7c00, 0x7c00, 0},
                              {0xfc00, 0xfc00, 0},
                              {0, 0x7ff00000, 0},
                              {0, 0xfff00000, 0}};
enum { TRIALS = sizeof trial / sizeof *trial, COPY_TRIALS = 4, CLASS_TRIALS = 6, EQUAL_TRIALS = 2 };

// Of the instruction: fewer than all, but for comparisons of classes. Two values that differ are unlike in few tries.
static int trials_of(const Wavefront *w, const Instruction *in) {
  if (copies(w, in) && !strstr(in->info->mnemonic, "_x"))
    return COPY_TRIALS;
  return begins_with(in, "v_cmp_class") || begins_with(in, "v_cmpx_class") ? TRIALS
                                                                           : TRIALS - CLASS_TRIALS;
}

static void fill_for(Wavefront *w, const Instruction *in, const Subject *subject, int number,
                     int filled) {
  if (number < filled) {
    fill(w, subject, &trial[number]);
    return;
  }
  const u32 flip = number > filled ? sign_of(in->info->type_a) : 0;
  put_back(w, subject);
  fill_alike(w, &in->a, &in->b, flip);
  fill_alike(w, &in->b, &in->a, flip);
}

static void keep_results(const Wavefront *w, const Subject *subject, State *state) {
  for (int i = subject->read; i < subject->count; i++)
    memcpy(state->row[i], w->vgpr[subject->row[i]], sizeof(Lanes));
  memcpy(state->sgpr, w->sgpr, sizeof w->sgpr);
  state->scc = w->scc;
}

static void note_differences(const Wavefront *w, const Subject *subject, const State *first,
                             State *different) {
  for (int i = subject->read; i < subject->count; i++) {
    const u32 *now = w->vgpr[subject->row[i]];
    FOR_LANES different->row[i][lane] |= now[lane] ^ first->row[i][lane];
  }
  for (int i = 0; subject->scalars && i < SGPR_COUNT; i++)
    different->sgpr[i] |= w->sgpr[i] ^ first->sgpr[i];
  different->scc = different->scc || w->scc != first->scc;
}

// The last trial is the instruction as it is.
void undefined_try(Wavefront *w, const Instruction *in) {
  State first, different;
  Subject subject;
  begin(w, in, &subject);
  const bool compares = begins_with(in, "v_cmp") || begins_with(in, "s_cmp");
  const int filled = trials_of(w, in), trials = filled + (compares ? EQUAL_TRIALS : 0);
  memset(different.row[subject.read], 0, (size_t)(subject.count - subject.read) * sizeof(Lanes));
  memset(different.sgpr, 0, sizeof different.sgpr);
  different.scc = false;
  for (int t = 0; t <= trials; t++) {
    if (t < trials)
      fill_for(w, in, &subject, t, filled);
    else
      put_back(w, &subject);
    in->execute(w, in);
    if (t)
      note_differences(w, &subject, &first, &different);
    else
      keep_results(w, &subject, &first);
  }
  const u64 lanes = different.sgpr[SGPR_EXEC] | (u64)different.sgpr[SGPR_EXEC + 1] << 32;
  if (lanes) {
    const Origin origin = origin_of_any(w->shadow, in, ~0ull);
    undefined_refuse(w, __builtin_ctzll(lanes), "whether the thread takes a branch depends on",
                     &origin);
  }
  take_over(w, in, &subject, &different);
}
