// Slow paths of operands: modifiers, SDWA, DPP, partial EXEC. See lanes.h.
#include "lanes.h"

#include "float_mode.h"

#include <pthread.h>

static void broadcast(Row *row, u64 value, int registers) {
  FOR_LANES row->word[lane] = (u32)value;
  if (registers == 2)
    FOR_LANES row->word[lane + LANES] = (u32)(value >> 32);
}

static bool is_float(Type type) { return type == TYPE_f16 || type == TYPE_f32 || type == TYPE_f64; }

// SDWA: picks a byte or half of each lane; sext makes it signed.
static void select_bits(Row *row, Select select, bool sext) {
  static const struct {
    uint8_t shift, bits;
  } part[] = {{0, 32}, {0, 8}, {8, 8}, {16, 8}, {24, 8}, {0, 16}, {16, 16}};
  if (select == SELECT_DWORD)
    return;
  int up = 32 - part[select].shift - part[select].bits, down = 32 - part[select].bits;
  FOR_LANES row->word[lane] =
      sext ? (u32)((i32)(row->word[lane] << up) >> down) : row->word[lane] << up >> down;
}

static void apply_sign(Row *row, Type type, uint8_t modifiers) {
  u32 sign = type == TYPE_f16 ? 0x8000u : 0x80000000u;
  u32 *high = type == TYPE_f64 ? row->word + LANES : row->word;
  if (modifiers & MODIFIER_ABS)
    FOR_LANES high[lane] &= ~sign;
  if (modifiers & MODIFIER_NEG)
    FOR_LANES high[lane] ^= sign;
}

// DPP: the lane that `lane` reads from, or -1 if there is none. Controls: CDNA2 ISA guide, "DPP"
// (9-bit dpp_ctrl).
static int dpp_source(uint16_t control, int lane) {
  int row = lane & ~15, column = lane & 15, n = control & 15;
  if (control <= 0xff)
    return (lane & ~3) + (control >> (2 * (lane & 3)) & 3); // quad_perm
  if (control >= 0x101 && control <= 0x10f)
    return column + n < 16 ? lane + n : -1; // row_shl
  if (control >= 0x111 && control <= 0x11f)
    return column >= n ? lane - n : -1; // row_shr
  if (control >= 0x121 && control <= 0x12f)
    return row + ((column - n) & 15); // row_ror
  switch (control) {
  case 0x130:
    return lane < 63 ? lane + 1 : -1; // wave_shl:1
  case 0x134:
    return (lane + 1) & 63; // wave_rol:1
  case 0x138:
    return lane - 1; // wave_shr:1
  case 0x13c:
    return (lane - 1) & 63; // wave_ror:1
  case 0x140:
    return row + 15 - column; // row_mirror
  case 0x141:
    return (lane & ~7) + 7 - (lane & 7); // row_half_mirror
  case 0x142:
    return row > 0 ? row - 1 : -1; // row_bcast:15: last lane of each row to the next row
  case 0x143:
    return lane >= 32 ? 31 : -1; // row_bcast:31: lane 31 to rows 2 and 3
  default:
    return control >= 0x150 && control <= 0x15f ? row + n : lane; // row_newbcast (gfx90a)
  }
}

// What a DPP control means for all lanes: the same at each execution, so it is worked out once.
typedef struct {
  u8 from[LANES]; // 0 where there is no such lane
  u64 exists;     // lanes that have a lane to read from
} DppPattern;

enum { DPP_CONTROLS = 512 };
static DppPattern dpp_patterns[DPP_CONTROLS];
static pthread_once_t dpp_once = PTHREAD_ONCE_INIT;

static void fill_dpp_patterns(void) {
  for (uint16_t control = 0; control < DPP_CONTROLS; control++)
    FOR_LANES {
      int from = dpp_source(control, lane);
      if (from < 0)
        continue;
      dpp_patterns[control].from[lane] = (u8)from;
      dpp_patterns[control].exists |= 1ull << lane;
    }
}

static const DppPattern *dpp_pattern(const Instruction *in) {
  pthread_once(&dpp_once, fill_dpp_patterns);
  return &dpp_patterns[in->dpp_control];
}

// The lanes whose source lane exists and is active.
static u64 dpp_valid(const Wavefront *w, const DppPattern *pattern) {
  if (w->exec == ~0ull)
    return pattern->exists;
  u8 active[LANES], source_active[LANES];
  bytes_of_mask(w->exec, active);
  FOR_LANES source_active[lane] = active[pattern->from[lane]];
  return pattern->exists & mask_of_bytes(source_active);
}

// A lane is written by a DPP instruction if its row and bank are enabled and its source lane exists
// and is active, or if bound_ctrl makes missing sources read as 0.
static u64 dpp_written(const Wavefront *w, const Instruction *in) {
  u64 rows = 0, banks = 0;
  for (int i = 0; i < 4; i++) {
    rows |= (in->row_mask >> i & 1) ? 0xffffull << 16 * i : 0;
    banks |= (in->bank_mask >> i & 1) ? 0x000f000f000f000full << 4 * i : 0;
  }
  return rows & banks & (in->bound_ctrl ? ~0ull : dpp_valid(w, dpp_pattern(in)));
}

static void permute(const Wavefront *w, const Instruction *in, Row *row, int registers) {
  const DppPattern *pattern = dpp_pattern(in);
  u8 valid[LANES];
  bytes_of_mask(dpp_valid(w, pattern), valid);
  u32 before[2 * LANES];
  memcpy(before, row->word, (size_t)registers * LANES * sizeof before[0]);
  for (int r = 0; r < registers; r++)
    FOR_LANES row->word[lane + r * LANES] =
        before[pattern->from[lane] + r * LANES] & -(u32)valid[lane];
}

const u32 *source_prepared(Wavefront *w, const Instruction *in, const Operand *operand, Type type,
                           Row *scratch) {
  int registers = type_registers(type);
  switch ((OperandKind)operand->kind) {
  case OPERAND_VGPR:
    return w->vgpr[operand->index];
  case OPERAND_VGPR_MODIFIED:
    memcpy(scratch->word, w->vgpr[operand->index], (size_t)registers * sizeof w->vgpr[0]);
    if (in->dpp_control != DPP_NONE && operand == &in->a)
      permute(w, in, scratch, registers);
    break;
  default:
    broadcast(scratch, registers == 2 ? scalar_u64(w, operand) : scalar_u32(w, operand), registers);
  }
  select_bits(scratch, operand->select, operand->modifiers & MODIFIER_SEXT);
  if (is_float(type))
    apply_sign(scratch, type, operand->modifiers);
  return scratch->word;
}

void expand_lanes(u64 lanes, u32 *row) {
  enum { HALF = LANES / 2 }; // which a register of the host's vectors can shift by lanes
  const u32 low = (u32)lanes, high = (u32)(lanes >> HALF);
  for (int lane = 0; lane < HALF; lane++)
    row[lane] = -(low >> lane & 1);
  for (int lane = 0; lane < HALF; lane++)
    row[HALF + lane] = -(high >> lane & 1);
}

void expand_exec_anew(Wavefront *w) {
  expand_lanes(w->exec, w->exec_lanes);
  w->expanded_exec = w->exec;
}

void commit_registers(Wavefront *w, const Operand *destination, int registers, const Row *result) {
  expand_exec(w);
  for (int r = 0; r < registers; r++) {
    u32 *to = w->vgpr[destination->index + r];
    const u32 *from = result->word + r * LANES;
    FOR_LANES to[lane] = (from[lane] & w->exec_lanes[lane]) | (to[lane] & ~w->exec_lanes[lane]);
  }
}

// Output modifiers of floating-point results: omod multiplies by 2, 4 or 1/2, in few modes; clamp limits to [0,
// 1] and, as DX10_CLAMP is set in every kernel descriptor, turns NaN into 0.
static void modify_float(const Wavefront *w, const Instruction *in, Type type, Row *result) {
  static const double factor[] = {1.0, 2.0, 4.0, 0.5};
  const bool multiplies = type == TYPE_f32 && float_mode_multiplies(w);
  FOR_LANES {
    double value = type == TYPE_f64   ? get_f64(result->word, lane)
                   : type == TYPE_f32 ? (double)get_f32(result->word, lane)
                                      : (double)get_f16(result->word, lane);
    value *= multiplies ? factor[in->omod] : 1;
    if (in->clamp)
      value = value > 0.0 ? fmin(value, 1.0) : 0.0;
    if (type == TYPE_f64)
      put_f64(result, lane, value);
    else if (type == TYPE_f32)
      put_f32(result, lane, (f32)value);
    else
      put_f16(result, lane, (f16)value);
  }
}

// SDWA destination: the result's low bits go to the selected part; the rest is zeroed,
// sign-extended or kept.
static void place_bits(const Wavefront *w, const Instruction *in, Row *result) {
  static const struct {
    uint8_t shift, bits;
  } part[] = {{0, 32}, {0, 8}, {8, 8}, {16, 8}, {24, 8}, {0, 16}, {16, 16}};
  int shift = part[in->dst_select].shift, bits = part[in->dst_select].bits;
  u32 mask = (u32)((1ull << bits) - 1) << shift;
  const u32 *old = w->vgpr[in->d.index];
  FOR_LANES {
    u32 placed = result->word[lane] << shift & mask;
    u32 rest = in->dst_preserve ? old[lane] & ~mask : 0;
    if (in->dst_sext && (placed >> (shift + bits - 1) & 1))
      rest = ~(mask | (mask - 1)) | rest; // copies of the sign above the selected part
    result->word[lane] = placed | rest;
  }
}

void commit_modified(Wavefront *w, const Instruction *in, Type type, Row *result) {
  if (is_float(type) && (in->clamp || in->omod))
    modify_float(w, in, type, result);
  if (in->dst_select != SELECT_DWORD)
    place_bits(w, in, result);
  u64 exec = w->exec;
  if (in->dpp_control != DPP_NONE)
    w->exec &= dpp_written(w, in);
  commit_registers(w, &in->d, type_registers(type), result);
  w->exec = exec;
}

enum {
  PRIVATE_APERTURE_HIGH = 0x20000,
  SHARED_APERTURE_HIGH = 0x10000
}; // Linux amdkfd MAKE_*_APP_BASE_V9: 2<<48, 1<<48

u64 scalar_special_u64(const Wavefront *w, uint16_t which) {
  switch ((Special)which) {
  case SPECIAL_VCCZ:
    return w->vcc == 0;
  case SPECIAL_EXECZ:
    return w->exec == 0;
  case SPECIAL_SCC:
    return w->scc;
  case SPECIAL_SHARED_BASE:
    return (u64)SHARED_APERTURE_HIGH << 32;
  case SPECIAL_SHARED_LIMIT:
    return (u64)SHARED_APERTURE_HIGH << 32 | 0xffffffff;
  case SPECIAL_PRIVATE_BASE:
    return (u64)PRIVATE_APERTURE_HIGH << 32;
  case SPECIAL_PRIVATE_LIMIT:
    return (u64)PRIVATE_APERTURE_HIGH << 32 | 0xffffffff;
  case SPECIAL_POPS:
    break;
  }
  return 0;
}

// A 32-bit read of an aperture register yields its high word, the only part that is not constant.
u32 scalar_special(const Wavefront *w, uint16_t which) {
  u64 value = scalar_special_u64(w, which);
  return which >= SPECIAL_SHARED_BASE && which <= SPECIAL_PRIVATE_LIMIT ? (u32)(value >> 32)
                                                                        : (u32)value;
}
