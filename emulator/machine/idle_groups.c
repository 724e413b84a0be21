// Workgroups that do nothing: see idle_groups.h. Ranges are of unsigned numbers; where a result could wrap around within its
// range, nothing is known of it. So what is found holds for each value, and a launch with fewer workgroups has fewer doubts.
#include "idle_groups.h"

#include "block.h"
#include "code_object.h"
#include "first_reads.h"
#include "initial_state.h"
#include "program.h"

#include <string.h>

enum { WORTH = 256 }; // workgroups; fewer are executed as soon

typedef struct {
  uint64_t low, high; // both are in it
} Range;

// Of the lanes that a wave has, for each wave.
typedef enum { LANES_UNKNOWN, LANES_NONE, LANES_ALL } Lanes;

typedef struct {
  const Launch *launch;
  Range sgpr[SGPR_COUNT], vgpr[ALL_VGPRS];
  uint8_t mask[SGPR_COUNT]; // Lanes, of the pair that begins there
  bool packed;              // v0 holds the work-item's three ids
  Lanes exec, scc;          // scc: none is 0, all is 1
} State;

static const Range every = {0, UINT32_MAX}, every_64 = {0, UINT64_MAX};

// ---- ranges ----

static bool is_exact(Range r) { return r.low == r.high; }

// The low 32 bits.
static Range wrapped(uint64_t low, uint64_t high) {
  return low >> 32 == high >> 32 ? (Range){(uint32_t)low, (uint32_t)high} : every;
}

static Range sum(Range a, Range b) { return wrapped(a.low + b.low, a.high + b.high); }
static Range product(Range a, Range b) { return wrapped(a.low * b.low, a.high * b.high); }
static Range difference(Range a, Range b) {
  const uint64_t above = 1ull << 32;
  return wrapped(above + a.low - b.high, above + a.high - b.low);
}
static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }
static Range lesser(Range a, Range b) {
  return (Range){least(a.low, b.low), least(a.high, b.high)};
}
static Range greater(Range a, Range b) { return (Range){most(a.low, b.low), most(a.high, b.high)}; }

static Range shifted_left(Range a, Range by) {
  return is_exact(by) ? wrapped(a.low << (by.low & 31), a.high << (by.low & 31)) : every;
}
static Range shifted_right(Range a, Range by) {
  return is_exact(by) ? (Range){a.low >> (by.low & 31), a.high >> (by.low & 31)} : every;
}

// With 2^k - 1, or where both are known.
static Range common_bits(Range a, Range b) {
  const uint64_t mask = b.low;
  if (is_exact(a) && is_exact(b))
    return (Range){a.low & b.low, a.low & b.low};
  if (!is_exact(b))
    return is_exact(a) ? common_bits(b, a) : every;
  if (mask & (mask + 1))
    return (Range){0, mask};
  return (a.low & ~mask) == (a.high & ~mask) ? (Range){a.low & mask, a.high & mask}
                                             : (Range){0, mask};
}

static Lanes negated(Lanes lanes) {
  return lanes == LANES_NONE ? LANES_ALL : lanes == LANES_ALL ? LANES_NONE : LANES_UNKNOWN;
}

static Lanes is_less(__int128 a_low, __int128 a_high, __int128 b_low, __int128 b_high) {
  return a_high < b_low ? LANES_ALL : a_low >= b_high ? LANES_NONE : LANES_UNKNOWN;
}

// Of two's complement, if no sign is in doubt.
static bool with_sign(Range *r, int bits, __int128 *low, __int128 *high) {
  const uint64_t negative = 1ull << (bits - 1);
  if ((r->low & negative) != (r->high & negative))
    return false;
  const __int128 less = r->low & negative ? (__int128)1 << bits : 0;
  *low = r->low - less;
  *high = r->high - less;
  return true;
}

// `comparison`: as "lt_i32", the end of a mnemonic.
static Lanes compared(const char *comparison, Range a, Range b) {
  const int bits = strstr(comparison, "64") ? 64 : 32;
  __int128 al = a.low, ah = a.high, bl = b.low, bh = b.high;
  if (strstr(comparison, "_i") &&
      (!with_sign(&a, bits, &al, &ah) || !with_sign(&b, bits, &bl, &bh)))
    return LANES_UNKNOWN;
  if (strncmp(comparison, "lt_", 3) == 0)
    return is_less(al, ah, bl, bh);
  if (strncmp(comparison, "gt_", 3) == 0)
    return is_less(bl, bh, al, ah);
  if (strncmp(comparison, "ge_", 3) == 0)
    return negated(is_less(al, ah, bl, bh));
  if (strncmp(comparison, "le_", 3) == 0)
    return negated(is_less(bl, bh, al, ah));
  const Lanes equal = ah < bl || bh < al                       ? LANES_NONE
                      : is_exact(a) && is_exact(b) && al == bl ? LANES_ALL
                                                               : LANES_UNKNOWN;
  if (strncmp(comparison, "eq_", 3) == 0)
    return equal;
  return strncmp(comparison, "lg_", 3) == 0 || strncmp(comparison, "ne_", 3) == 0 ? negated(equal)
                                                                                  : LANES_UNKNOWN;
}

// ---- registers ----

static Range read_one(const State *s, const Operand *operand, int which) {
  const int index = operand->index + which;
  if (operand->modifiers || operand->select != SELECT_DWORD)
    return every;
  if (operand->kind == OPERAND_CONSTANT)
    return (Range){(uint32_t)(operand->value >> 32 * which),
                   (uint32_t)(operand->value >> 32 * which)};
  if (operand->kind == OPERAND_SGPR)
    return s->sgpr[index];
  return operand->kind == OPERAND_VGPR && !(s->packed && index == 0) ? s->vgpr[index] : every;
}

static Range read(const State *s, const Operand *operand) { return read_one(s, operand, 0); }

static Range read_64(const State *s, const Operand *operand) {
  if (operand->kind == OPERAND_CONSTANT)
    return (Range){operand->value, operand->value};
  const Range low = read_one(s, operand, 0), high = read_one(s, operand, 1);
  return (Range){high.low << 32 | low.low, high.high << 32 | low.high};
}

static Lanes read_mask(const State *s, const Operand *operand) {
  if (operand->kind != OPERAND_SGPR)
    return LANES_UNKNOWN;
  return operand->index == SGPR_EXEC ? s->exec : (Lanes)s->mask[operand->index];
}

// Of the pairs that a register is in.
static void forget_masks(State *s, int index) {
  s->mask[index] = LANES_UNKNOWN;
  if (index > 0)
    s->mask[index - 1] = LANES_UNKNOWN;
}

static void write_one(State *s, const Operand *operand, int which, Range value) {
  const int index = operand->index + which;
  if (operand->kind == OPERAND_SGPR && index < SGPR_COUNT) {
    s->sgpr[index] = value;
    forget_masks(s, index);
  } else if (operand->kind == OPERAND_VGPR && index < ALL_VGPRS) {
    s->vgpr[index] = value;
    s->packed = s->packed && index != 0;
  }
}

static void write_64(State *s, const Operand *operand, Range value) {
  const bool one_high = value.low >> 32 == value.high >> 32;
  write_one(s, operand, 0, one_high ? wrapped(value.low, value.high) : every);
  write_one(s, operand, 1, (Range){value.low >> 32, value.high >> 32});
}

static void write_mask(State *s, const Operand *operand, Lanes lanes) {
  for (int which = 0; which < 2; which++)
    write_one(s, operand, which, every);
  if (operand->kind == OPERAND_SGPR && operand->index < SGPR_COUNT)
    s->mask[operand->index] = (uint8_t)lanes;
}

static void forget(State *s, const Operand *operand) {
  Operand plain = *operand;
  plain.kind = operand->kind == OPERAND_VGPR_MODIFIED ? OPERAND_VGPR : operand->kind;
  for (int which = 0; which < operand->registers; which++)
    write_one(s, &plain, which, every);
}

// ---- instructions ----

static bool is(const Instruction *in, const char *mnemonic) {
  return strcmp(in->info->mnemonic, mnemonic) == 0;
}

typedef Range Meaning(Range a, Range b);
static const struct {
  const char *mnemonic;
  Meaning *meaning;
  bool turned; // the operands
} meanings[] = {
    {"s_add_u32", sum, false},
    {"s_add_i32", sum, false},
    {"s_sub_u32", difference, false},
    {"s_sub_i32", difference, false},
    {"s_mul_i32", product, false},
    {"s_min_u32", lesser, false},
    {"s_max_u32", greater, false},
    {"s_and_b32", common_bits, false},
    {"s_lshl_b32", shifted_left, false},
    {"s_lshr_b32", shifted_right, false},
    {"v_add_u32", sum, false},
    {"v_sub_u32", difference, false},
    {"v_subrev_u32", difference, true},
    {"v_mul_lo_u32", product, false},
    {"v_min_u32", lesser, false},
    {"v_max_u32", greater, false},
    {"v_and_b32", common_bits, false},
    {"v_lshlrev_b32", shifted_left, true},
    {"v_lshrrev_b32", shifted_right, true},
    {"v_add_co_u32", sum, false},
};

// The id along an axis, of packed ones.
static bool is_packed_id(const State *s, const Instruction *in, int *axis) {
  const Operand *v = is(in, "v_and_b32") ? &in->b : &in->a;
  if (!s->packed || v->kind != OPERAND_VGPR || v->index != 0)
    return false;
  const uint64_t first = in->a.value;
  *axis = is(in, "v_and_b32") ? 0 : in->b.value == 10 ? 1 : 2;
  return is(in, "v_and_b32")
             ? in->a.kind == OPERAND_CONSTANT && first == 0x3ff
             : is(in, "v_bfe_u32") && in->c.kind == OPERAND_CONSTANT && in->c.value == 10 &&
                   in->b.kind == OPERAND_CONSTANT && (in->b.value == 10 || in->b.value == 20);
}

static Range item_ids(const Launch *launch, int axis) {
  return (Range){0, launch->block[axis] - 1};
}

static bool compute(State *s, const Instruction *in) {
  int axis;
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    if (is(in, meanings[i].mnemonic) && !is_packed_id(s, in, &axis)) {
      const Range a = read(s, &in->a), b = read(s, &in->b);
      if (in->m.kind != OPERAND_NONE)
        write_mask(s, &in->m, LANES_UNKNOWN);
      write_one(s, &in->d, 0,
                meanings[i].turned ? meanings[i].meaning(b, a) : meanings[i].meaning(a, b));
      return true;
    }
  if (is_packed_id(s, in, &axis))
    write_one(s, &in->d, 0, item_ids(s->launch, axis));
  else if (is(in, "v_mov_b32") || is(in, "s_mov_b32"))
    write_one(s, &in->d, 0, read(s, &in->a));
  else if (is(in, "v_mad_u32_u24") && read(s, &in->a).high < 1 << 24 &&
           read(s, &in->b).high < 1 << 24)
    write_one(s, &in->d, 0, sum(product(read(s, &in->a), read(s, &in->b)), read(s, &in->c)));
  else if (is(in, "v_lshl_add_u32"))
    write_one(s, &in->d, 0, sum(shifted_left(read(s, &in->a), read(s, &in->b)), read(s, &in->c)));
  else if (is(in, "v_lshl_or_b32") && is_exact(read(s, &in->b)) &&
           read(s, &in->c).high >> (read(s, &in->b).low & 31) == 0)
    write_one(s, &in->d, 0, sum(shifted_left(read(s, &in->a), read(s, &in->b)), read(s, &in->c)));
  else if (is(in, "v_addc_co_u32")) {
    const Range carried = sum(sum(read(s, &in->a), read(s, &in->b)), (Range){0, 1});
    write_mask(s, &in->m, LANES_UNKNOWN);
    write_one(s, &in->d, 0, carried);
  } else
    return false;
  return true;
}

// a x b + c, if no value of it has more than 64 bits.
static void multiply_add_64(State *s, const Instruction *in) {
  const Range a = read(s, &in->a), b = read(s, &in->b), c = read_64(s, &in->c);
  const unsigned __int128 high = (unsigned __int128)a.high * b.high + c.high;
  write_mask(s, &in->m, LANES_UNKNOWN);
  write_64(s, &in->d, high >> 64 ? every_64 : (Range){a.low * b.low + c.low, (uint64_t)high});
}

static void compute_masks(State *s, const Instruction *in) {
  const Lanes a = read_mask(s, &in->a), b = read_mask(s, &in->b);
  Lanes lanes = LANES_UNKNOWN;
  if (is(in, "s_and_b64"))
    lanes = a == LANES_NONE || b == LANES_NONE ? LANES_NONE
            : a == LANES_ALL                   ? b
            : b == LANES_ALL                   ? a
                                               : LANES_UNKNOWN;
  else if (is(in, "s_or_b64"))
    lanes = a == LANES_NONE ? b : b == LANES_NONE ? a : LANES_UNKNOWN;
  else if (is(in, "s_mov_b64"))
    lanes = a;
  write_mask(s, &in->d, lanes);
}

// What the launch's own memory holds: nobody changes it meanwhile.
static void load(State *s, const Instruction *in) {
  const Launch *launch = s->launch;
  enum { PACKET_BYTES = 64 };
  const Range base = read_64(s, &in->a), offset = read(s, &in->b);
  const uint64_t address = base.low + offset.low, end = address + 4u * in->d.registers,
                 arguments = (uint64_t)launch->kernarg;
  const bool inside = (address >= arguments && end <= arguments + launch->kernel->kernarg_size) ||
                      (address >= launch->packet && end <= launch->packet + PACKET_BYTES);
  for (int which = 0; which < in->d.registers; which++) {
    const uint32_t *word = (const uint32_t *)address + which;
    const bool known =
        inside && is_exact(base) && in->b.kind == OPERAND_CONSTANT && address % 4 == 0;
    write_one(s, &in->d, which, known ? (Range){*word, *word} : every);
  }
}

// What a conditional branch does; unknown: nobody can tell.
static Lanes jumps(const State *s, const Instruction *in) {
  const Lanes vcc = (Lanes)s->mask[SGPR_VCC];
  return is(in, "s_branch")           ? LANES_ALL
         : is(in, "s_cbranch_execz")  ? negated(s->exec)
         : is(in, "s_cbranch_execnz") ? s->exec
         : is(in, "s_cbranch_vccz")   ? negated(vcc)
         : is(in, "s_cbranch_vccnz")  ? vcc
         : is(in, "s_cbranch_scc0")   ? negated(s->scc)
         : is(in, "s_cbranch_scc1")   ? s->scc
                                      : LANES_UNKNOWN;
}

static bool keeps_scc(const Instruction *in) {
  return begins_with(in, "s_mov") || begins_with(in, "s_mul_i32");
}

// Than its operands tell: EXEC, other registers, or what it reads.
static bool writes_more(const Instruction *in) {
  static const char *const words[] = {"v_cmpx", "exec", "movrel", "gpr_idx", "swap"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(in->info->mnemonic, words[i]))
      return true;
  return in->info->calls;
}

// One that no lane may be off for. False if what it does is not known here.
static bool execute(State *s, const Instruction *in) {
  const bool plain = in->info->unit != UNIT_VALU || (in->plain && in->dpp_control == DPP_NONE);
  if (is(in, "s_and_saveexec_b64")) {
    const Lanes mask = read_mask(s, &in->a), before = s->exec;
    write_mask(s, &in->d, before);
    s->exec = mask == LANES_ALL ? before : mask;
    s->scc = LANES_UNKNOWN;
    return s->exec != LANES_UNKNOWN;
  }
  if (names_exec(&in->d) || names_exec(&in->m) || writes_more(in))
    return false;
  if (begins_with(in, "s_cmp_")) {
    s->scc = strstr(in->info->mnemonic, "64")
                 ? compared(in->info->mnemonic + 6, read_64(s, &in->a), read_64(s, &in->b))
                 : compared(in->info->mnemonic + 6, read(s, &in->a), read(s, &in->b));
    return true;
  }
  if (in->info->unit == UNIT_SALU && !keeps_scc(in))
    s->scc = LANES_UNKNOWN;
  if (begins_with(in, "v_cmp_") && plain) {
    const char *comparison = in->info->mnemonic + 6;
    const bool of_64 = strstr(comparison, "i64") || strstr(comparison, "u64");
    const bool known = of_64 || strstr(comparison, "i32") || strstr(comparison, "u32");
    write_mask(s, &in->m,
               !known  ? LANES_UNKNOWN
               : of_64 ? compared(comparison, read_64(s, &in->a), read_64(s, &in->b))
                       : compared(comparison, read(s, &in->a), read(s, &in->b)));
  } else if (is(in, "s_and_b64") || is(in, "s_or_b64") || is(in, "s_mov_b64")) {
    compute_masks(s, in);
  } else if (is(in, "v_mad_u64_u32") && plain) {
    multiply_add_64(s, in);
  } else if (!plain || !compute(s, in)) {
    forget(s, &in->d);
    forget(s, &in->m);
  }
  return true;
}

// ---- workgroups ----

static void begin(State *s, const Launch *launch, const Range *id) {
  const ScalarPlaces places = initial_scalar_places(launch->kernel);
  *s = (State){.launch = launch, .exec = LANES_ALL, .packed = launch->packed_ids};
  for (int r = 0; r < SGPR_COUNT; r++)
    s->sgpr[r] = every;
  for (int r = 0; r < ALL_VGPRS; r++)
    s->vgpr[r] = every;
  const uint64_t arguments = (uint64_t)launch->kernarg;
  const Operand kernarg = {OPERAND_SGPR, .registers = 2, .index = (uint16_t)places.kernarg},
                packet = {OPERAND_SGPR, .registers = 2, .index = (uint16_t)places.packet};
  if (places.kernarg >= 0)
    write_64(s, &kernarg, (Range){arguments, arguments});
  if (places.packet >= 0)
    write_64(s, &packet, (Range){launch->packet, launch->packet});
  for (int axis = 0; axis < 3; axis++) {
    if (places.id[axis] >= 0)
      s->sgpr[places.id[axis]] = id[axis];
    if (!launch->packed_ids)
      s->vgpr[axis] = item_ids(launch, axis);
  }
  if (launch->packed_ids && launch->block[1] == 1 && launch->block[2] == 1) {
    s->vgpr[0] = item_ids(launch, 0);
    s->packed = false;
  }
}

static bool may_pass(const Instruction *in) {
  return in->info->unit == UNIT_INTERNAL && !is_barrier(in);
}

// Whether all workgroups with these ids do nothing; with the instructions that they execute.
static bool do_nothing(const Launch *launch, const Range *id, IdleAxis *found) {
  State s;
  Program *program = launch->kernel->object->program;
  const Instruction *in = launch->entry;
  char message[512];
  begin(&s, launch, id);
  for (found->steps = 0;
       found->steps < IDLE_STEPS && program_decode(program, in, message, sizeof message);) {
    const Unit unit = (Unit)in->info->unit;
    found->step[found->steps++] = in;
    if (is(in, "s_endpgm"))
      return true;
    if (unit == UNIT_BRANCH) {
      const Lanes jump = jumps(&s, in);
      if (jump == LANES_UNKNOWN || (jump == LANES_ALL && in->offset < 0))
        return false;
      in += in->words + (jump == LANES_ALL ? in->offset : 0);
      continue;
    }
    if (unit == UNIT_SMEM && begins_with(in, "s_load_dword"))
      load(&s, in);
    else if (!may_pass(in) &&
             (s.exec != LANES_ALL || (unit != UNIT_SALU && unit != UNIT_VALU) || !execute(&s, in)))
      return false;
    in += in->words;
  }
  return false;
}

static bool do_nothing_from(const Launch *launch, int axis, uint32_t from, IdleAxis *found) {
  Range id[3];
  for (int i = 0; i < 3; i++)
    id[i] = (Range){i == axis ? from : 0, launch->grid[i] - 1};
  return do_nothing(launch, id, found);
}

static void find_along(const Launch *launch, int axis, IdleAxis *found) {
  uint32_t busy = 0,
           idle = launch->grid[axis]; // from `idle` on, the grid's end included, nothing is done
  if (do_nothing_from(launch, axis, 0, found))
    idle = 0;
  while (busy + 1 < idle) {
    const uint32_t middle = busy + (idle - busy) / 2;
    if (do_nothing_from(launch, axis, middle, found))
      idle = middle;
    else
      busy = middle;
  }
  found->from = idle;
  found->steps = 0;
  if (idle < launch->grid[axis])
    do_nothing_from(launch, axis, idle, found);
}

static bool last_does_nothing(const Launch *launch) {
  IdleAxis found;
  Range id[3];
  for (int i = 0; i < 3; i++)
    id[i] = (Range){launch->grid[i] - 1, launch->grid[i] - 1};
  return do_nothing(launch, id, &found);
}

void idle_groups_find(const Launch *launch, IdleGroups *idle) {
  const bool whole = !launch->cut[0] && !launch->cut[1] && !launch->cut[2];
  idle->any = false;
  if (launch->traced || !whole || launch->workgroups < WORTH || !last_does_nothing(launch))
    return;
  for (int axis = 0; axis < 3; axis++) {
    find_along(launch, axis, &idle->axis[axis]);
    idle->any = idle->any || idle->axis[axis].from < launch->grid[axis];
  }
}

uint64_t idle_groups_from(const IdleGroups *idle, const Launch *launch, const uint32_t *id,
                          int *axis) {
  const uint64_t row = launch->grid[0], plane = row * launch->grid[1];
  const uint64_t rest[] = {row - id[0], plane - id[1] * row - id[0],
                           launch->workgroups - id[2] * plane - id[1] * row - id[0]};
  for (*axis = 2; *axis >= 0; --*axis)
    if (id[*axis] >= idle->axis[*axis].from)
      return rest[*axis];
  return 0;
}

void idle_groups_count(const IdleAxis *axis, const Launch *launch, uint64_t groups,
                       InstructionProfile *profile) {
  for (uint32_t i = 0; groups && i < axis->steps; i++) {
    InstructionProfile *of_step = &profile[axis->step[i]->id];
    of_step->executions += groups * launch->waves_per_workgroup;
    if (axis->step[i]->info->unit == UNIT_VALU)
      of_step->lanes += groups * launch->items_per_workgroup;
  }
}
