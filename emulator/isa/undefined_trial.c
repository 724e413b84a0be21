// Trials of instructions: see undefined_trial.h.
#include "undefined_trial.h"

#include "block.h"
#include "block_registers.h"
#include "undefined_operand.h"

// Everything that an instruction of registers can change.
enum { MOST_ROWS = READ_OPERANDS * 32 };
typedef struct {
  u32 row[MOST_ROWS][LANES]; // of the operands, in their order
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

static void keep(const Wavefront *w, const u16 *row, int count, State *state) {
  for (int i = 0; i < count; i++)
    memcpy(state->row[i], w->vgpr[row[i]], sizeof *state->row);
  memcpy(state->sgpr, w->sgpr, sizeof state->sgpr);
  state->scc = w->scc;
}

static void put_back(Wavefront *w, const u16 *row, int count, const State *state) {
  for (int i = 0; i < count; i++)
    memcpy(w->vgpr[row[i]], state->row[i], sizeof *state->row);
  memcpy(w->sgpr, state->sgpr, sizeof state->sgpr);
  w->scc = state->scc;
}

// What undefined bits are in a trial: the pattern, as one word, or as the lower and the upper half of 64 bits. A number is
// another one in each register and lane; it has so many bits.
typedef struct {
  u32 low, high;
  u8 number_bits; // 0: the pattern
} Trial;

// Nobody can tell it from chance, but it is the same in each run.
static u32 number_of(const Trial *trial, u32 reg, u32 lane) {
  u32 x = (trial->low + reg) * LANES + lane;
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu; // Wellons' lowbias32
  return (x ^ x >> 16) >> (32 - trial->number_bits);
}

static u32 bits_in(const Trial *trial, u32 reg, u32 lane, bool upper) {
  return trial->number_bits ? number_of(trial, reg, lane) : upper ? trial->high : trial->low;
}

static void fill(Wavefront *w, const u16 *row, const bool *upper, int count, const Trial *trial) {
  const Shadow *shadow = w->shadow;
  for (int i = 0; i < count; i++)
    for (u64 lanes = shadow->undefined[row[i]]; lanes; lanes &= lanes - 1) {
      const int lane = __builtin_ctzll(lanes);
      const u32 bits = shadow_bits(shadow, row[i], lane);
      w->vgpr[row[i]][lane] =
          (w->vgpr[row[i]][lane] & ~bits) | (bits_in(trial, row[i], (u32)lane, upper[i]) & bits);
    }
  for (u32 i = 0; i < SGPR_COUNT; i++)
    w->sgpr[i] = (w->sgpr[i] & ~shadow->sgpr[i]) |
                 (bits_in(trial, ALL_VGPRS + i, 0, i & 1) & shadow->sgpr[i]);
  if (shadow->scc)
    w->scc = bits_in(trial, ALL_VGPRS + SGPR_COUNT, 0, false) & 1;
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
static void take_over(Wavefront *w, const Instruction *in, const u16 *row, int count, int read,
                      const State *different) {
  Shadow *shadow = w->shadow;
  const Origin origin = origin_of_any(shadow, in, w->exec);
  const u64 computed = computed_lanes(w, in, row, read);
  for (int i = read; i < count; i++) {
    u64 undefined = 0, whole = 0;
    FOR_LANES {
      undefined |= (u64)(different->row[i][lane] != 0) << lane;
      whole |= (u64)(different->row[i][lane] == ~0u) << lane;
    }
    if (undefined & w->exec) {
      shadow->origin[row[i]] = origin;
      shadow->computed[row[i]] = (shadow->computed[row[i]] & ~w->exec) | (computed & w->exec);
    }
    shadow->undefined[row[i]] = undefined;
    shadow->whole[row[i]] = whole;
    memcpy(shadow->bits[row[i]], different->row[i], sizeof *shadow->bits);
  }
  memcpy(shadow->sgpr, different->sgpr, sizeof shadow->sgpr);
  undefined_note_scalars(shadow, &in->d, origin, computed != 0);
  undefined_note_scalars(shadow, &in->m, origin, computed != 0);
  shadow->scc = different->scc;
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

static void fill_for(Wavefront *w, const Instruction *in, const u16 *row, const bool *upper,
                     int count, int number, int filled) {
  if (number < filled) {
    fill(w, row, upper, count, &trial[number]);
  } else {
    const u32 flip = number > filled ? sign_of(in->info->type_a) : 0;
    fill_alike(w, &in->a, &in->b, flip);
    fill_alike(w, &in->b, &in->a, flip);
  }
}

// The last trial is the instruction as it is.
void undefined_try(Wavefront *w, const Instruction *in) {
  static _Thread_local State before, after, first, different;
  u16 row[MOST_ROWS];
  bool upper[MOST_ROWS];
  int read = 0;
  const int count = list_rows(in, row, upper, &read);
  const bool compares = begins_with(in, "v_cmp") || begins_with(in, "s_cmp");
  const int filled = trials_of(w, in), trials = filled + (compares ? EQUAL_TRIALS : 0);
  keep(w, row, count, &before);
  memset(different.row, 0, (size_t)count * sizeof *different.row);
  memset(different.sgpr, 0, sizeof different.sgpr);
  different.scc = false;
  for (int t = 0; t <= trials; t++) {
    put_back(w, row, count, &before);
    if (t < trials)
      fill_for(w, in, row, upper, count, t, filled);
    in->execute(w, in);
    keep(w, row, count, t ? &after : &first);
    for (int i = read; t && i < count; i++)
      FOR_LANES different.row[i][lane] |= after.row[i][lane] ^ first.row[i][lane];
    for (int i = 0; t && i < SGPR_COUNT; i++)
      different.sgpr[i] |= after.sgpr[i] ^ first.sgpr[i];
    different.scc = different.scc || (t && after.scc != first.scc);
  }
  const u64 lanes = different.sgpr[SGPR_EXEC] | (u64)different.sgpr[SGPR_EXEC + 1] << 32;
  if (lanes) {
    const Origin origin = origin_of_any(w->shadow, in, ~0ull);
    undefined_refuse(w, __builtin_ctzll(lanes), "whether the thread takes a branch depends on",
                     &origin);
  }
  take_over(w, in, row, count, read, &different);
}
