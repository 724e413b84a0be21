// Instructions that carry on what is undefined: see carries.h.
#include "carries.h"

#include <string.h>

static bool is_vector(const Operand *operand) {
  return operand->kind == OPERAND_VGPR || operand->kind == OPERAND_VGPR_MODIFIED;
}

static bool is_one_of(const Instruction *in, const char *const *name, int names) {
  bool is = false;
  for (int i = 0; i < names; i++)
    is = is || strcmp(in->info->mnemonic, name[i]) == 0;
  return is;
}

static bool is_packed_f32(const Instruction *in) {
  static const char *const name[] = {"v_pk_fma_f32", "v_pk_mul_f32", "v_pk_add_f32"};
  return is_one_of(in, name, 3);
}

// Each half of the result is made of one half of each operand, which op_sel and op_sel_hi choose.
static void carry_half(const Instruction *in, int half, Carry *carry) {
  const Operand *operand[] = {&in->a, &in->b, &in->c};
  const uint8_t select = half ? in->op_sel_hi : in->op_sel;
  *carry = (Carry){.to = (uint16_t)(in->d.index + half)};
  for (int i = 0; i < MOST_SOURCES; i++)
    if (is_vector(operand[i]))
      carry->from[carry->sources++] = (uint16_t)(operand[i]->index + (select >> i & 1));
}

// A 32-bit index is a product, added to 64 bits of which nobody needs the upper ones.
static bool adds_to_64_bits(const Instruction *in) {
  static const char *const name[] = {"v_mad_u64_u32", "v_mad_i64_i32"};
  return is_one_of(in, name, 2) && is_vector(&in->c);
}

int carries_of(const Instruction *in, Carry carry[MOST_CARRIES]) {
  if (in->info->unit != UNIT_VALU || !in->plain)
    return 0;
  if (is_packed_f32(in)) {
    carry_half(in, 0, &carry[0]);
    carry_half(in, 1, &carry[1]);
    return 2;
  }
  if (adds_to_64_bits(in)) {
    carry[0] = (Carry){.to = (uint16_t)(in->d.index + 1),
                       .from = {(uint16_t)(in->c.index + 1)},
                       .sources = 1,
                       .lane_bit = &in->m};
    return 1;
  }
  if (strcmp(in->info->mnemonic, "v_mov_b32") == 0 && in->a.kind == OPERAND_VGPR) {
    carry[0] = (Carry){.to = in->d.index, .from = {in->a.index}, .sources = 1, .copies = true};
    return 1;
  }
  return 0;
}

int carries_need(const Instruction *in, Operand need[MOST_NEEDS]) {
  const Operand *operand[] = {&in->a, &in->b, &in->c};
  int count = 0;
  if (adds_to_64_bits(in)) {
    need[count++] = in->a;
    need[count++] = in->b;
    need[count] = in->c;
    need[count++].registers = 1;
    return count;
  }
  for (int i = 0; i < 3; i++)
    if (!is_vector(operand[i]))
      need[count++] = *operand[i];
  return count;
}
