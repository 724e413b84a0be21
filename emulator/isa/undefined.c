// Uninitialised values: see undefined.h.
#include "undefined.h"

#include "bits.h"
#include "block_registers.h"
#include "defined_memory.h"
#include "device_memory.h"
#include "source_line.h"

#include <stdio.h>

// ---- saying where a value came from ----

static bool in_lds(const Wavefront *w, u64 address) {
  return address - (u64)w->group->lds < DEVICE_LDS_BYTES;
}
static bool in_scratch(const Wavefront *w, u64 address) {
  return address - (u64)w->scratch < w->scratch_bytes;
}

static void describe_memory(u64 address, char *text, size_t size) {
  int64_t distance;
  const Allocation *at = device_memory_nearest(address, &distance);
  if (at && distance == 0)
    snprintf(text, size, "memory at address 0x%llx, %llu bytes into the %s of %llu bytes at 0x%llx",
             address + 0ull, address - at->address + 0ull, at->name ? at->name : "allocation",
             at->size + 0ull, at->address + 0ull);
  else
    snprintf(text, size, "memory at address 0x%llx", address + 0ull);
}

static void describe_origin(const Wavefront *w, const Origin *origin, char *text, size_t size) {
  char line[160], memory[160];
  if (!origin->in) {
    snprintf(text, size, "a register that nothing was written to: of a variable without a value");
    return;
  }
  source_line(w->thread->program, w->thread->launch->kernel, origin->in, line, sizeof line);
  if (in_lds(w, origin->address))
    snprintf(text, size,
             "LDS byte %llu, read at %s, where no thread of the block has written a value until "
             "then: none does, or __syncthreads() is missing before it is read",
             origin->address - (u64)w->group->lds + 0ull, line);
  else if (in_scratch(w, origin->address))
    snprintf(text, size, "a variable or array of the thread, read at %s, that has no value", line);
  else {
    describe_memory(origin->address, memory, sizeof memory);
    snprintf(text, size, "%s, read at %s, where nobody has written a value", memory, line);
  }
}

_Noreturn static void refuse(Wavefront *w, int lane, const char *use, const Origin *origin) {
  char from[400];
  describe_origin(w, origin, from, sizeof from);
  wavefront_fault(w, FAULT_SANITIZER, lane, "%s an uninitialised value. It comes from %s", use,
                  from);
}

// ---- operands ----

static bool is_vector(const Operand *operand) {
  return operand->kind == OPERAND_VGPR || operand->kind == OPERAND_VGPR_MODIFIED;
}

// Lanes in which a bit of the operand is undefined.
static u64 undefined_lanes(const Shadow *shadow, const Operand *operand) {
  const u64 *undefined = &shadow->undefined[operand->index];
  u64 lanes = 0;
  if (!is_vector(operand))
    return 0;
  if (operand->registers <= 2)
    return undefined[0] | undefined[operand->registers - 1];
  for (int r = 0; r < operand->registers; r++)
    lanes |= undefined[r];
  return lanes;
}

static bool scalar_undefined(const Shadow *shadow, const Operand *operand) {
  u32 bits = 0;
  if (operand->kind <= OPERAND_VGPR_MODIFIED || operand->kind == OPERAND_CONSTANT)
    return false;
  if (operand->kind == OPERAND_SGPR)
    for (int r = 0; r < operand->registers && operand->index + r < SGPR_COUNT; r++)
      bits |= shadow->sgpr[operand->index + r];
  if (operand->kind == OPERAND_SPECIAL && operand->index == SPECIAL_SCC)
    bits = shadow->scc;
  if (operand->kind == OPERAND_SPECIAL && operand->index == SPECIAL_VCCZ)
    bits = shadow->sgpr[SGPR_VCC] | shadow->sgpr[SGPR_VCC + 1];
  return bits;
}

// Whether what is undefined of a scalar operand is more than a copy.
static bool scalar_computed(const Shadow *shadow, const Operand *operand) {
  bool computed = false;
  if (operand->kind == OPERAND_SGPR)
    for (int r = operand->index; r < operand->index + operand->registers && r < SGPR_COUNT; r++)
      computed = computed || (shadow->sgpr[r] && shadow->sgpr_computed[r]);
  if (operand->kind == OPERAND_SPECIAL && operand->index == SPECIAL_SCC)
    computed = shadow->scc && shadow->scc_computed;
  return computed;
}

static const Origin *origin_of(const Shadow *shadow, const Operand *operand, u64 lanes) {
  for (int r = 0; is_vector(operand) && r < operand->registers; r++)
    if (shadow->undefined[operand->index + r] & lanes)
      return &shadow->origin[operand->index + r];
  for (int r = 0; operand->kind == OPERAND_SGPR && r < operand->registers; r++)
    if (operand->index + r < SGPR_COUNT && shadow->sgpr[operand->index + r])
      return &shadow->sgpr_origin[operand->index + r];
  if (operand->kind == OPERAND_SPECIAL && scalar_undefined(shadow, operand))
    return operand->index == SPECIAL_SCC
               ? &shadow->scc_origin
               : &shadow->sgpr_origin[SGPR_VCC + (shadow->sgpr[SGPR_VCC] == 0)];
  return NULL;
}

// ---- instructions of registers ----

static bool named(const Instruction *in, const char *begin) {
  const char *name = in->info->mnemonic;
  while (*begin && *name == *begin) // most differ soon
    name++, begin++;
  return !*begin;
}

static bool reads_undefined(const Wavefront *w, const Instruction *in) {
  const Shadow *shadow = w->shadow;
  // v_readlane, matrix products: lanes that are not active count, too.
  const bool all = in->info->unit == UNIT_MFMA || in->d.kind == OPERAND_SGPR;
  const u64 lanes = all ? ~0ull : w->exec;
  const Operand *operand[READ_OPERANDS];
  const int operands = operands_read(in, operand);
  u64 undefined = 0;
  bool scalar = shadow->scc && reads_scc(in);
  for (int i = 0; i < operands; i++) {
    undefined |= undefined_lanes(shadow, operand[i]);
    scalar = scalar || scalar_undefined(shadow, operand[i]);
  }
  if ((shadow->sgpr[SGPR_VCC] | shadow->sgpr[SGPR_VCC + 1]) && named(in, "v_div_fmas"))
    scalar = true;
  return scalar || (undefined & lanes);
}

// The destinations are defined where the instruction writes.
static void define_destinations(Wavefront *w, const Instruction *in) {
  Shadow *shadow = w->shadow;
  const u64 kept = in->info->unit == UNIT_MFMA ? 0 : ~w->exec;
  for (int r = 0; is_vector(&in->d) && r < in->d.registers; r++)
    shadow->undefined[in->d.index + r] &= kept;
  for (int r = 0; in->d.kind == OPERAND_SGPR && r < in->d.registers; r++)
    shadow->sgpr[in->d.index + r] = 0;
  for (int r = 0; in->m.kind == OPERAND_SGPR && r < in->m.registers; r++)
    shadow->sgpr[in->m.index + r] = 0;
  shadow->scc = shadow->scc && !writes_scc(in);
}

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
    for (int r = 0; is_vector(operand[i]) && r < operand[i]->registers && r < 32; r++) {
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
  if (is_vector(operand))
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
  for (int r = 0; is_vector(one) && r < one->registers; r++)
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

// Moves, masks, shifts, selections: bits of the sources, each of which stays what it is. All others are arithmetic.
static bool copies(const Instruction *in) {
  static const char *const begin[] = {
      "v_mov",    "v_accvgpr", "v_swap",  "v_cndmask", "v_and_",   "v_or",    "v_xor_",  "v_xnor_",
      "v_not_",   "v_lshl_or", "v_lshlr", "v_lshrr",   "v_ashrr",  "v_bfe_",  "v_bfi_",  "v_bfrev",
      "v_align",  "v_perm",    "v_pack",  "v_read",    "v_pk_mov", "v_pk_ls", "v_pk_as", "s_mov",
      "s_cmov",   "s_cselect", "s_and",   "s_or",      "s_xor_",   "s_xnor_", "s_nand_", "s_nor_",
      "s_not_",   "s_lshl_",   "s_lshr_", "s_ashr_",   "s_bfe_",   "s_brev",  "s_pack",  "s_sext",
      "s_bitset", "s_bitrepl", "s_wqm",   "s_quad"};
  for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
    if (named(in, begin[i]))
      return true;
  return false;
}

// Lanes of the result that are more than a copy: the instruction is arithmetic, or what made a source, or chose it.
static u64 computed_lanes(const Wavefront *w, const Instruction *in, const u16 *row, int read) {
  const Operand *operand[READ_OPERANDS];
  const Shadow *shadow = w->shadow;
  u64 lanes = copies(in) && !(reads_scc(in) && shadow->scc && shadow->scc_computed) ? 0 : ~0ull;
  for (int i = operands_read(in, operand); i--;)
    lanes |= scalar_computed(shadow, operand[i]) ? ~0ull : 0;
  for (int i = 0; i < read; i++)
    lanes |= shadow->computed[row[i]] & shadow->undefined[row[i]];
  return lanes;
}

static Origin origin_of_any(const Shadow *shadow, const Instruction *in, u64 lanes) {
  const Operand *operand[READ_OPERANDS];
  operands_read(in, operand);
  for (int i = 0; i < READ_OPERANDS; i++) {
    const Origin *origin = origin_of(shadow, operand[i], lanes);
    if (origin)
      return *origin;
  }
  return shadow->scc_origin;
}

static void note_scalars(Shadow *shadow, const Operand *to, Origin origin, bool computed) {
  for (int r = to->index; to->kind == OPERAND_SGPR && r < to->index + to->registers; r++) {
    shadow->sgpr_origin[r] = origin;
    shadow->sgpr_computed[r] = computed;
  }
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
  note_scalars(shadow, &in->d, origin, computed != 0);
  note_scalars(shadow, &in->m, origin, computed != 0);
  shadow->scc = different->scc;
  if (writes_scc(in)) {
    shadow->scc_origin = origin;
    shadow->scc_computed = computed != 0;
  }
}

// Near 0, and far from it on both sides, as an integer and in each floating-point format; numbers of all sizes; then, for
// comparisons, what is equal; and, for those of classes, infinities.
static const Trial trial[] = {{0, 0, 0},
                              {1, 0, 0},
                              {~0u, ~0u, 0},
                              {0x3f8ccccd, 0x3f8ccccd, 0},
                              {0x7bff7bff, 0x7bff7bff, 0},
                              {0xfbfffbff, 0xfbfffbff, 0},
                              {1, 0, 32},
                              {2, 0, 32},
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
enum { TRIALS = sizeof trial / sizeof *trial, CLASS_TRIALS = 6, EQUAL_TRIALS = 2 };

// Of the instruction: fewer than all, but for comparisons of classes.
static int trials_of(const Instruction *in) {
  return named(in, "v_cmp_class") || named(in, "v_cmpx_class") ? TRIALS : TRIALS - CLASS_TRIALS;
}

static void fill_for(Wavefront *w, const Instruction *in, const u16 *row, const bool *upper,
                     int count, int number) {
  if (number < trials_of(in)) {
    fill(w, row, upper, count, &trial[number]);
  } else {
    const u32 flip = number > trials_of(in) ? sign_of(in->info->type_a) : 0;
    fill_alike(w, &in->a, &in->b, flip);
    fill_alike(w, &in->b, &in->a, flip);
  }
}

// The last trial is the instruction as it is.
static void try_out(Wavefront *w, const Instruction *in) {
  static _Thread_local State before, after, first, different;
  u16 row[MOST_ROWS];
  bool upper[MOST_ROWS];
  int read = 0;
  const int count = list_rows(in, row, upper, &read);
  const bool compares = named(in, "v_cmp") || named(in, "s_cmp");
  const int trials = trials_of(in) + (compares ? EQUAL_TRIALS : 0);
  keep(w, row, count, &before);
  memset(different.row, 0, (size_t)count * sizeof *different.row);
  memset(different.sgpr, 0, sizeof different.sgpr);
  different.scc = false;
  for (int t = 0; t <= trials; t++) {
    put_back(w, row, count, &before);
    if (t < trials)
      fill_for(w, in, row, upper, count, t);
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
    refuse(w, __builtin_ctzll(lanes), "whether the thread takes a branch depends on", &origin);
  }
  take_over(w, in, row, count, read, &different);
}

// Whose registers or modes depend on values so that a trial would fault.
static bool cannot_be_tried(const Instruction *in) {
  return named(in, "s_movrel") || named(in, "s_setreg") || named(in, "s_set_gpr");
}

// It writes one lane, active or not.
static void write_lane(Wavefront *w, const Instruction *in) {
  const u64 lane = 1ull << (scalar_u32(w, &in->b) & (LANES - 1));
  Shadow *shadow = w->shadow;
  const u32 bits = in->a.kind == OPERAND_SGPR ? shadow->sgpr[in->a.index] : 0;
  in->execute(w, in);
  shadow->undefined[in->d.index] = (shadow->undefined[in->d.index] & ~lane) | (bits ? lane : 0);
  shadow->whole[in->d.index] &= ~lane;
  shadow->bits[in->d.index][__builtin_ctzll(lane)] = bits;
  shadow->computed[in->d.index] &= ~lane;
  if (scalar_computed(shadow, &in->a))
    shadow->computed[in->d.index] |= lane;
}

static void swap_lanes(u64 *a, u64 *b, u64 lanes) {
  const u64 different = (*a ^ *b) & lanes;
  *a ^= different;
  *b ^= different;
}

// v_swap_b32, the one instruction with two registers of results: each is as defined as the other was.
static void swap_registers(Wavefront *w, const Instruction *in) {
  Shadow *shadow = w->shadow;
  const int a = in->a.index, d = in->d.index;
  const Origin origin = shadow->origin[a];
  in->execute(w, in);
  swap_lanes(&shadow->undefined[a], &shadow->undefined[d], w->exec);
  swap_lanes(&shadow->whole[a], &shadow->whole[d], w->exec);
  swap_lanes(&shadow->computed[a], &shadow->computed[d], w->exec);
  for (u64 lanes = w->exec; lanes; lanes &= lanes - 1) {
    const int lane = __builtin_ctzll(lanes);
    const u32 bits = shadow->bits[a][lane];
    shadow->bits[a][lane] = shadow->bits[d][lane];
    shadow->bits[d][lane] = bits;
  }
  shadow->origin[a] = shadow->origin[d];
  shadow->origin[d] = origin;
}

// A matrix product that is added to what is wholly undefined stays so, and is computed; trials of it are slow.
static bool stays_undefined(const Wavefront *w, const Instruction *in) {
  bool undefined = in->info->unit == UNIT_MFMA && is_vector(&in->c) && in->c.index == in->d.index;
  for (int r = 0; undefined && r < in->c.registers; r++)
    undefined = w->shadow->undefined[in->c.index + r] == ~0ull;
  return undefined;
}

// The compiler computes 32-bit indices as sums of 64 bits, whose addend has above it whatever stood in the register. That
// reaches nothing but the upper half of the sum, and the carry.
static bool knows_lower_half(const Wavefront *w, const Instruction *in) {
  const Shadow *shadow = w->shadow;
  const u64 *addend = &shadow->undefined[in->c.index];
  return (named(in, "v_mad_u64_u32") || named(in, "v_mad_i64_i32")) && is_vector(&in->c) &&
         !scalar_undefined(shadow, &in->a) && !scalar_undefined(shadow, &in->b) &&
         !((undefined_lanes(shadow, &in->a) | undefined_lanes(shadow, &in->b) | addend[0] |
            (addend[1] & ~shadow->whole[in->c.index + 1])) &
           w->exec);
}

static void lose_upper_half(Wavefront *w, const Instruction *in) {
  Shadow *shadow = w->shadow;
  const u64 lanes = shadow->undefined[in->c.index + 1] & w->exec;
  const Origin origin = shadow->origin[in->c.index + 1];
  const int upper = in->d.index + 1;
  in->execute(w, in);
  define_destinations(w, in);
  shadow->undefined[upper] |= lanes;
  shadow->whole[upper] |= lanes;
  shadow->computed[upper] |= lanes;
  shadow->origin[upper] = origin;
  for (int r = 0; in->m.kind == OPERAND_SGPR && r < in->m.registers; r++)
    shadow->sgpr[in->m.index + r] = (u32)(lanes >> 32 * r);
  note_scalars(shadow, &in->m, origin, true);
}

void undefined_compute(Wavefront *w, const Instruction *in) {
  const bool one_lane = is_vector(&in->d) && !is_vector(&in->a) && !is_vector(&in->b) &&
                        in->b.kind != OPERAND_NONE && named(in, "v_writelane");
  if (one_lane) {
    write_lane(w, in);
  } else if (swaps_registers(in)) {
    swap_registers(w, in);
  } else if (stays_undefined(w, in)) {
    in->execute(w, in);
    for (int r = 0; r < in->d.registers; r++)
      w->shadow->computed[in->d.index + r] = ~0ull;
  } else if (reads_undefined(w, in) && !cannot_be_tried(in)) {
    if (knows_lower_half(w, in))
      lose_upper_half(w, in);
    else
      try_out(w, in);
  } else {
    in->execute(w, in);
    define_destinations(w, in);
  }
}

// ---- uses ----

static void check_branch(Wavefront *w, const Instruction *in) {
  static const char use[] = "which way the wave goes depends on";
  const Shadow *shadow = w->shadow;
  const u64 unknown = shadow->sgpr[SGPR_VCC] | (u64)shadow->sgpr[SGPR_VCC + 1] << 32;
  if (shadow->scc && strstr(in->info->mnemonic, "_scc"))
    refuse(w, -1, use, &shadow->scc_origin);
  if (unknown && !(w->vcc & ~unknown) && strstr(in->info->mnemonic, "_vcc"))
    refuse(w, __builtin_ctzll(unknown), use,
           &shadow->sgpr_origin[SGPR_VCC + (shadow->sgpr[SGPR_VCC] == 0)]);
  if (scalar_undefined(shadow, &in->a))
    refuse(w, -1, "jumps to an address that depends on", origin_of(shadow, &in->a, 0));
}

static void check_address(Wavefront *w, const Instruction *in) {
  static const char use[] = "the address of a memory access depends on";
  const Shadow *shadow = w->shadow;
  const bool scalar = in->info->unit == UNIT_SMEM;
  const Operand *operand[] = {&in->a, in->info->unit == UNIT_LDS ? &in->a : &in->b,
                              in->info->unit == UNIT_BUFFER ? &in->e : &in->a};
  for (int i = 0; (scalar || w->exec) && i < 3; i++) {
    const u64 lanes = undefined_lanes(shadow, operand[i]) & w->exec;
    if (lanes)
      refuse(w, __builtin_ctzll(lanes), use, origin_of(shadow, operand[i], lanes));
    if (scalar_undefined(shadow, operand[i]) && operand[i]->kind == OPERAND_SGPR)
      refuse(w, -1, use, origin_of(shadow, operand[i], 0));
  }
}

void undefined_check_use(Wavefront *w, const Instruction *in) {
  if (in->info->unit == UNIT_BRANCH)
    check_branch(w, in);
  else if (in->info->action != MEMORY_NONE || (in->info->unit == UNIT_SMEM && in->a.registers))
    check_address(w, in);
}

// ---- to and from memory ----

// The dword of a lane's data; in private memory they lie apart.
static u64 word_at(const Wavefront *w, u64 address, int word) {
  return address + (u64)word * (in_scratch(w, address) ? 4 * LANES : 4);
}

// Bytes of up to 4 that were never written, a bit each.
static u32 missing(const Wavefront *w, u64 address, u32 bytes) {
  if (in_lds(w, address))
    return bits_missing(w->group->shadow->written, address - (u64)w->group->lds, bytes);
  if (in_scratch(w, address))
    return bits_missing(w->shadow->scratch_written, address - (u64)w->scratch, bytes);
  return defined_memory_missing(address, bytes);
}

static void mark(const Wavefront *w, u64 address, u64 bytes, u32 undefined) {
  u8 *bits = in_lds(w, address)       ? w->group->shadow->written
             : in_scratch(w, address) ? w->shadow->scratch_written
                                      : NULL;
  const u64 first = address - (u64)(in_lds(w, address) ? w->group->lds : w->scratch);
  if (!bits) {
    defined_memory_written((const void *)address, bytes);
    if (undefined)
      defined_memory_forget(address, undefined);
    return;
  }
  bits_set(bits, first, bytes);
  bits_clear(bits, first, undefined);
}

// Whether arithmetic made what is undefined of a dword: of LDS and of private memory, for in global memory that is refused.
static bool is_computed(const Wavefront *w, u64 address) {
  if (in_lds(w, address))
    return bit_is_set(w->group->shadow->computed, (address - (u64)w->group->lds) / 4);
  return in_scratch(w, address) &&
         bit_is_set(w->shadow->scratch_computed, (address - (u64)w->scratch) / 4);
}

static void mark_computed(const Wavefront *w, u64 address, bool computed) {
  u8 *bits = in_lds(w, address)       ? w->group->shadow->computed
             : in_scratch(w, address) ? w->shadow->scratch_computed
                                      : NULL;
  if (!bits)
    return;
  const u64 dword = (address - (u64)(in_lds(w, address) ? w->group->lds : w->scratch)) / 4;
  if (computed)
    bits_set(bits, dword, 1);
  else
    bits_clear(bits, dword, 1);
}

static bool all_written(const Wavefront *w, u64 address, u64 bytes) {
  if (in_lds(w, address))
    return bits_all_set(w->group->shadow->written, address - (u64)w->group->lds, bytes);
  if (in_scratch(w, address))
    return bits_all_set(w->shadow->scratch_written, address - (u64)w->scratch, bytes);
  return defined_memory_all(address, bytes);
}

static bool pieces_written(const Wavefront *w, const Places *at) {
  bool all = at->pieces;
  for (int i = 0; all && i < at->pieces; i++)
    all = all_written(w, at->piece[i].begin, at->piece[i].bytes);
  return all;
}

// All lanes read of LDS what was written: up to 16 bytes are a bit each in a word.
static bool lds_written(const Wavefront *w, const Places *at) {
  const u8 *written = w->group->shadow->written;
  const u32 all = (1u << at->bytes) - 1;
  u32 missing = 0;
  for (u64 lanes = at->lanes; lanes; lanes &= lanes - 1) {
    const u64 byte = place_of(at, __builtin_ctzll(lanes)) - (u64)w->group->lds;
    u32 bits;
    memcpy(&bits, written + byte / 8 % (DEVICE_LDS_BYTES / 8), sizeof bits);
    missing |= byte + at->bytes > DEVICE_LDS_BYTES ? all : ~(bits >> byte % 8) & all;
  }
  return !missing;
}

// The bytes from the first to the last that the lanes touch; 0 if they lie far apart, or in private
// memory, where what is between them is of other lanes.
static u64 span(const Wavefront *w, const Places *at, u64 *first) {
  enum { FAR = 1 << 16 };
  u64 lowest = UINT64_MAX, highest = 0;
  FOR_LANES if (at->lanes >> lane & 1) {
    lowest = place_of(at, lane) < lowest ? place_of(at, lane) : lowest;
    highest = place_of(at, lane) > highest ? place_of(at, lane) : highest;
  }
  *first = lowest;
  return highest - lowest < FAR && !in_scratch(w, lowest) ? highest - lowest + at->bytes : 0;
}

static bool span_written(const Wavefront *w, const Places *at) {
  u64 first = 0, bytes = span(w, at, &first);
  return bytes && all_written(w, first, bytes);
}

// The bits of a register that a load changes.
static u32 loads_into(const Instruction *in) {
  const char *half = strstr(in->info->mnemonic, "_d16");
  return !half ? ~0u : strstr(half, "_hi") ? 0xffff0000 : 0xffff;
}

// Undefined bits of a register into which the bytes were loaded.
static u32 loaded_bits(const Instruction *in, u32 bytes, u32 missing) {
  static const char *const extended[] = {"_sbyte", "_sshort", "_i8", "_i16"}; // by their sign
  u32 bits = 0;
  for (u32 i = 0; i < bytes; i++)
    bits |= (missing >> i & 1) * 0xffu << (8 * i);
  if (bytes == 4 || !bits)
    return bits;
  for (size_t i = 0; i < sizeof extended / sizeof *extended; i++)
    if (strstr(in->info->mnemonic, extended[i]))
      bits = ~0u;
  return (loads_into(in) == 0xffff0000 ? bits << 16 : bits) & loads_into(in);
}

// Where the lanes are, which `spread` has room for.
static const u64 *addresses_of(const Places *at, u64 *spread) {
  if (!at->regular)
    return at->address;
  FOR_LANES spread[lane] = place_of(at, lane);
  return spread;
}

static bool lanes_written(const Places *at) {
  u64 spread[LANES];
  return defined_memory_all_of(addresses_of(at, spread), at->lanes, at->bytes);
}

static bool places_written(const Wavefront *w, const Instruction *in, const Places *at) {
  return !at->lanes || pieces_written(w, at) ||
         (in->info->unit == UNIT_LDS && lds_written(w, at)) ||
         (in->info->unit == UNIT_GLOBAL ? lanes_written(at) : span_written(w, at));
}

// The other half of the register stays as it was.
static void define_half(Wavefront *w, int r, u32 half) {
  Shadow *shadow = w->shadow;
  FOR_LANES_OF(shadow->undefined[r] & w->exec) {
    const u32 bits = shadow_bits(shadow, r, lane) & ~half;
    shadow->bits[r][lane] = bits;
    shadow->whole[r] &= ~(1ull << lane);
    if (!bits)
      shadow->undefined[r] &= ~(1ull << lane);
  }
}

bool undefined_place(const Wavefront *w, const Instruction *in, const Places *at) {
  return !places_written(w, in, at);
}

static void load(Wavefront *w, const Instruction *in, Places *at, int first_register) {
  Shadow *shadow = w->shadow;
  const int words = (int)(at->bytes + 3) / 4;
  if (loads_into(in) != ~0u)
    define_half(w, first_register, loads_into(in));
  for (int i = 0; i < words && loads_into(in) == ~0u; i++)
    shadow->undefined[first_register + i] &= ~w->exec;
  if (places_written(w, in, at))
    return;
  bool found = false; // the lowest lane's is the origin that is named
  FOR_LANES for (int i = 0; (at->lanes >> lane & 1) && i < words; i++) {
    const u32 here = at->bytes < 4 ? at->bytes : 4;
    const u64 address = word_at(w, place_of(at, lane), i);
    const u32 absent = missing(w, address, here), bits = loaded_bits(in, here, absent);
    if (!bits)
      continue;
    const u32 kept = shadow->undefined[first_register + i] >> lane & 1
                         ? shadow_bits(shadow, first_register + i, lane)
                         : 0;
    shadow->undefined[first_register + i] |= 1ull << lane;
    shadow->computed[first_register + i] &= ~(1ull << lane);
    shadow->computed[first_register + i] |= (u64)is_computed(w, address) << lane;
    shadow->whole[first_register + i] &= ~(1ull << lane);
    shadow->bits[first_register + i][lane] = kept | bits;
    if (!found || lane == __builtin_ctzll(shadow->undefined[first_register + i] & w->exec))
      shadow->origin[first_register + i] = (Origin){in, address + (u32)__builtin_ctz(absent)};
    found = true;
  }
}

// Bytes whose bits are all undefined; of what arithmetic made, as a truth value, those with any such bit.
static u32 undefined_bytes(u32 bits, u32 count, bool computed) {
  u32 bytes = 0;
  for (u32 i = 0; i < count; i++) {
    const u32 byte = bits >> (8 * i) & 0xff;
    bytes |= (u32)(computed ? byte != 0 : byte == 0xff) << i;
  }
  return bytes;
}

// Kernels of rocPRIM, and so of hipCUB and rocThrust, compute whole blocks beyond the end of their input
// and store what no later one uses. There such values stay undefined where they go.
static bool stores_unused(const Wavefront *w) {
  static const char begin[] = "void rocprim::detail::";
  return strncmp(w->thread->launch->kernel->name, begin, strlen(begin)) == 0;
}

static void store_lane(Wavefront *w, const Instruction *in, const Places *at, const Operand *data,
                       int lane) {
  const Shadow *shadow = w->shadow;
  for (int i = 0; i < (int)(at->bytes + 3) / 4; i++) {
    const int r = data->index + i;
    const u32 here = at->bytes < 4 ? at->bytes : 4;
    const u64 address = word_at(w, place_of(at, lane), i);
    const bool undefined = shadow->undefined[r] >> lane & 1;
    const u32 all = undefined ? shadow_bits(shadow, r, lane) : 0,
              bits = all && strstr(in->info->mnemonic, "d16_hi") ? all >> 16 : all;
    const bool computed = shadow->computed[r] >> lane & 1;
    if (bits && computed && !in_lds(w, address) && !in_scratch(w, address) && !stores_unused(w))
      refuse(w, lane, "stores to global memory what was computed from", &shadow->origin[r]);
    if (bits)
      mark_computed(w, address, computed);
    mark(w, address, here, undefined_bytes(bits, here, computed));
  }
}

// What all lanes have stored in LDS is written, as in lds_written().
static void mark_lds(Wavefront *w, const Places *at) {
  u8 *written = w->group->shadow->written;
  const u32 all = (1u << at->bytes) - 1;
  FOR_LANES_OF(at->lanes) {
    const u64 byte = place_of(at, lane) - (u64)w->group->lds;
    u8 *place = written + byte / 8 % (DEVICE_LDS_BYTES / 8);
    u32 bits;
    memcpy(&bits, place, sizeof bits);
    bits |= all << byte % 8;
    memcpy(place, &bits, sizeof bits);
  }
}

static void store(Wavefront *w, const Instruction *in, Places *at, const Operand *data) {
  const u64 undefined = undefined_lanes(w->shadow, data) & at->lanes;
  if (!at->lanes)
    return;
  if (at->pieces && !undefined) {
    for (int i = 0; i < at->pieces; i++)
      mark(w, at->piece[i].begin, at->piece[i].bytes, 0);
    return;
  }
  if (undefined || (in->info->unit != UNIT_GLOBAL && in->info->unit != UNIT_LDS)) {
    FOR_LANES if (at->lanes >> lane & 1) store_lane(w, in, at, data, lane);
    return;
  }
  if (in->info->unit == UNIT_LDS) {
    mark_lds(w, at);
  } else {
    u64 spread[LANES];
    defined_memory_written_all(addresses_of(at, spread), at->lanes, at->bytes);
  }
}

// What stands there does not count; a compare-and-swap compares it.
static bool exchanges(const Instruction *in) {
  return (strstr(in->info->mnemonic, "swap") && !strstr(in->info->mnemonic, "cmpswap")) ||
         strstr(in->info->mnemonic, "wrxchg");
}

// The first byte of a lane's that nobody has written, counted from its place; as many as it has, if all were.
static u32 first_missing(const Wavefront *w, const Places *at, int lane) {
  for (u32 i = 0; i < at->bytes; i += 4) {
    const u32 bytes = missing(w, place_of(at, lane) + i, at->bytes < 4 ? at->bytes : 4);
    if (bytes)
      return i + (u32)__builtin_ctz(bytes);
  }
  return at->bytes;
}

void undefined_check_update(Wavefront *w, const Instruction *in, Places *at) {
  at->unwritten = 0;
  if (places_written(w, in, at))
    return;
  FOR_LANES_OF(at->lanes) {
    const u32 byte = first_missing(w, at, lane);
    if (byte == at->bytes)
      continue;
    at->unwritten |= 1ull << lane;
    if (!exchanges(in))
      refuse(w, lane, "updates atomically", &(Origin){in, place_of(at, lane) + byte});
  }
}

// An update with what is undefined is arithmetic; in LDS its result stays undefined until it is used.
static void update_with(Wavefront *w, const Places *at, const Operand *data) {
  const u64 undefined = undefined_lanes(w->shadow, data) & at->lanes;
  for (u64 lanes = undefined; lanes; lanes &= lanes - 1) {
    const int lane = __builtin_ctzll(lanes);
    const u64 address = place_of(at, lane);
    if (!in_lds(w, address) && !stores_unused(w))
      refuse(w, lane, "updates global memory atomically with", origin_of(w->shadow, data, lanes));
    for (u32 byte = 0; byte < at->bytes; byte += 4) {
      mark(w, address + byte, 4, 0xf);
      mark_computed(w, address + byte, true);
    }
  }
}

// What an exchange brings back of a place that nobody had written.
static void bring_back(Wavefront *w, const Instruction *in, const Places *at) {
  Shadow *shadow = w->shadow;
  for (int r = 0; is_vector(&in->d) && r < in->d.registers; r++) {
    shadow->undefined[in->d.index + r] &= ~w->exec;
    if (!at->unwritten)
      continue;
    shadow->undefined[in->d.index + r] |= at->unwritten;
    shadow->whole[in->d.index + r] |= at->unwritten;
    shadow->computed[in->d.index + r] &= ~at->unwritten;
    shadow->origin[in->d.index + r] =
        (Origin){in, place_of(at, __builtin_ctzll(at->unwritten)) + 4ull * (u32)r};
  }
}

static void update(Wavefront *w, const Instruction *in, Places *at, int access) {
  FOR_LANES_OF(at->unwritten) mark(w, place_of(at, lane), at->bytes, 0);
  if (exchanges(in)) {
    store(w, in, at, access ? &in->e : &in->c);
  } else {
    update_with(w, at, &in->c);
    update_with(w, at, &in->e);
  }
  bring_back(w, in, at);
}

static void load_scalars(Wavefront *w, const Instruction *in, const Places *at) {
  Shadow *shadow = w->shadow;
  for (u32 i = 0; i < at->bytes / 4 && in->d.index + i < SGPR_COUNT; i++) {
    const u64 address = place_of(at, 0) + 4ull * i;
    const u32 absent = defined_memory_missing(address, 4);
    shadow->sgpr[in->d.index + i] = loaded_bits(in, 4, absent);
    shadow->sgpr_origin[in->d.index + i] =
        (Origin){in, address + (absent ? (u32)__builtin_ctz(absent) : 0)};
    shadow->sgpr_computed[in->d.index + i] = false;
  }
}

// What lanes beyond a buffer's records bring is 0.
static void bring(Wavefront *w, const Instruction *in, const Places *from, const Places *to) {
  FOR_LANES_OF(to->lanes) {
    const u64 address = place_of(from, lane);
    const u32 bits = from->lanes >> lane & 1
                         ? loaded_bits(in, from->bytes, missing(w, address, from->bytes))
                         : 0;
    mark(w, place_of(to, lane), 4, undefined_bytes(bits, 4, false));
  }
}

void undefined_transfer(Wavefront *w, const Instruction *in) {
  Shadow *shadow = w->shadow;
  if (shadow_loads_into_lds(shadow, in)) {
    bring(w, in, &shadow->touched[0].at, &shadow->touched[1].at);
    return;
  }
  for (int k = 0; k < shadow->accesses; k++) {
    Places *at = &shadow->touched[k].at;
    if (in->info->unit == UNIT_SMEM)
      load_scalars(w, in, at);
    else if (in->info->action == MEMORY_LOAD)
      load(w, in, at, in->d.index + k * (int)(at->bytes + 3) / 4);
    else if (in->info->action == MEMORY_STORE)
      store(w, in, at, k ? &in->e : &in->c);
    else
      update(w, in, at, k);
  }
  if (!shadow->accesses)
    define_destinations(w, in);
}
