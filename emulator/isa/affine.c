// Which registers of a loop hold affine values: see affine.h.
//
// Two passes. Backwards: which registers addresses are made of. Forwards, until nothing changes: which of them keep their shape,
// the distances of the lanes to the first one, from round to round.
#include "affine.h"

#include <string.h>

AffineOperation affine_operation(const Instruction *in) {
  static const struct {
    const char *mnemonic;
    AffineOperation operation;
  } known[] = {{"v_mov_b32", AFFINE_MOVE},           {"v_add_u32", AFFINE_ADD},
               {"v_add_co_u32", AFFINE_ADD_CARRY},   {"v_addc_co_u32", AFFINE_ADD_BOTH},
               {"v_add3_u32", AFFINE_ADD_THREE},     {"v_lshlrev_b32", AFFINE_SHIFT},
               {"v_lshl_add_u32", AFFINE_SHIFT_ADD}, {"v_add_lshl_u32", AFFINE_ADD_SHIFT},
               {"v_lshlrev_b64", AFFINE_SHIFT_PAIR}, {"v_ashrrev_i32", AFFINE_SIGN}};
  if (in->info->unit != UNIT_VALU || !in->plain)
    return AFFINE_NONE;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(in->info->mnemonic, known[i].mnemonic) == 0)
      return known[i].operation;
  return AFFINE_NONE;
}

static bool is_number(const Operand *operand, uint64_t most) {
  return operand->kind == OPERAND_CONSTANT && operand->value <= most;
}

// What it shifts by must be a number.
static bool can_follow(const Instruction *in) {
  const Operand *operand[] = {&in->d, &in->a, &in->b, &in->c};
  for (int i = 0; i < 4; i++)
    if (operand[i]->kind == OPERAND_VGPR_MODIFIED || operand[i]->kind == OPERAND_SPECIAL)
      return false;
  switch (affine_operation(in)) {
  case AFFINE_NONE:
    return false;
  case AFFINE_SHIFT:
    return is_number(&in->a, 31);
  case AFFINE_SHIFT_PAIR:
    return is_number(&in->a, 31) && in->b.kind == OPERAND_VGPR;
  case AFFINE_SHIFT_ADD:
    return is_number(&in->b, 31);
  case AFFINE_ADD_SHIFT:
    return is_number(&in->c, 31);
  case AFFINE_SIGN:
    return is_number(&in->a, 31) && in->a.value == 31;
  default:
    return true;
  }
}

// ---- backwards ----

typedef struct {
  bool row[ALL_ROWS + 1], carry[SGPR_COUNT]; // a pair may begin at the last
} Needed;

static int registers_of(const Operand *operand) {
  return operand->kind == OPERAND_VGPR ? operand->registers ? operand->registers : 1 : 0;
}

static bool take(Needed *needed, const Operand *operand) {
  bool any = false;
  for (int i = 0; i < registers_of(operand); i++) {
    any |= needed->row[operand->index + i];
    needed->row[operand->index + i] = false;
  }
  return any;
}

static void need(Needed *needed, const Operand *operand) {
  for (int i = 0; i < registers_of(operand); i++)
    needed->row[operand->index + i] = true;
}

static void go_back(AffineLoop *loop, Needed *needed, AddressRegisters *address_registers) {
  for (uint32_t i = loop->count; i--;) {
    const Instruction *in = loop->in[i];
    bool result = take(needed, &in->d);
    if (in->m.kind == OPERAND_SGPR) {
      result |= needed->carry[in->m.index];
      needed->carry[in->m.index] = false;
    }
    loop->follow[i] = result && can_follow(in);
    const Operand address = {
        .kind = OPERAND_VGPR, .index = in->a.index, .registers = (uint8_t)address_registers(in)};
    if (address.registers)
      need(needed, &address);
    if (!loop->follow[i])
      continue;
    const Operand *source[] = {&in->a, &in->b, &in->c};
    for (int k = 0; k < 3; k++)
      need(needed, source[k]);
    if (affine_operation(in) == AFFINE_ADD_BOTH && in->e.kind == OPERAND_SGPR)
      needed->carry[in->e.index] = true;
  }
}

// ---- forwards ----

// Shapes: 0 is that of numbers that are the same in all lanes, 1 + n that of VGPR n at the start, and others are of results.
enum { UNKNOWN = -1, SAME = 0, OTHERS = 1 + ALL_ROWS };
typedef struct {
  int row[ALL_ROWS + 1];
  bool carry[SGPR_COUNT];
} Shapes;

static int shape_of(const Shapes *shapes, const Operand *operand) {
  if (operand->kind != OPERAND_VGPR)
    return SAME;
  for (int i = 1; i < registers_of(operand); i++) // of a pair that is shifted: the high half
    if (shapes->row[operand->index + i] == UNKNOWN)
      return UNKNOWN;
  return shapes->row[operand->index];
}

static int shape_of_result(const Shapes *shapes, const Instruction *in, int other) {
  const int a = shape_of(shapes, &in->a), b = shape_of(shapes, &in->b),
            c = in->c.kind == OPERAND_NONE ? SAME : shape_of(shapes, &in->c);
  const AffineOperation operation = affine_operation(in);
  if (a == UNKNOWN || b == UNKNOWN || c == UNKNOWN ||
      (operation == AFFINE_ADD_BOTH && !(in->e.kind == OPERAND_SGPR && shapes->carry[in->e.index])))
    return UNKNOWN;
  if (operation == AFFINE_SIGN)
    return SAME;
  const int differing = (a != SAME) + (b != SAME) + (c != SAME);
  const bool sum = operation <= AFFINE_ADD_THREE;
  return differing == 0 ? SAME : differing == 1 && sum ? a + b + c : other;
}

// Masks that the instruction writes are no carry that is known.
static void forget_carries(Shapes *shapes, const Instruction *in) {
  const Operand *written[] = {&in->d, &in->m};
  for (int k = 0; k < 2; k++)
    for (int i = -1; written[k]->kind == OPERAND_SGPR && i < 2 + written[k]->registers; i++)
      if (written[k]->index + i >= 0 && written[k]->index + i < SGPR_COUNT)
        shapes->carry[written[k]->index + i] = false;
}

static void go_forward(AffineLoop *loop, Shapes *shapes) {
  for (uint32_t i = 0; i < loop->count; i++) {
    const Instruction *in = loop->in[i];
    const int shape = loop->follow[i] ? shape_of_result(shapes, in, OTHERS + (int)i) : UNKNOWN;
    loop->follow[i] = shape != UNKNOWN;
    forget_carries(shapes, in);
    for (int k = 0; k < registers_of(&in->d); k++)
      shapes->row[in->d.index + k] = k && shape != UNKNOWN ? SAME : shape;
    if (shape != UNKNOWN && in->m.kind == OPERAND_SGPR)
      shapes->carry[in->m.index] = true;
  }
}

static bool drop_changing(AffineLoop *loop) {
  Shapes shapes = {{0}, {0}};
  bool dropped = false;
  for (int i = 0; i < ALL_ROWS; i++)
    shapes.row[i] = loop->enters[i] ? 1 + i : UNKNOWN;
  go_forward(loop, &shapes);
  for (int i = 0; i < ALL_ROWS; i++)
    if (loop->enters[i] && shapes.row[i] != 1 + i) {
      loop->enters[i] = false;
      dropped = true;
    }
  return dropped;
}

void affine_find(AffineLoop *loop, AddressRegisters *address_registers) {
  Needed needed = {{0}, {0}};
  for (int round = 0; round < 8;
       round++) // what the end of one round needs, the start of the next does
    go_back(loop, &needed, address_registers);
  memcpy(loop->enters, needed.row, sizeof loop->enters);
  while (drop_changing(loop))
    ;
}
