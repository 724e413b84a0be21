// Wrong code of the compiler: see compiler_defect.h.
#include "compiler_defect.h"

#include "block.h"
#include "lanes.h"
#include "source_line.h"

#include <stdio.h>
#include <stdlib.h>

enum {
  TWO_BYTES = 0xffff,
  BITS_OF_A_BYTE = 3
}; // a mask; the index shifted left by that counts bits
static const uint64_t ALL_ONES = ~0ull;

// What registers hold. RECIPROCAL: of a whole number, as divisions begin; then the dividend times that, without its fraction.
typedef enum {
  ANYTHING,
  MASK,
  BYTE_INDEX,
  SHIFTED_MASK,
  RECIPROCAL,
  QUOTIENT,
  WHOLE_QUOTIENT
} Content;
typedef struct {
  uint8_t sgpr[SGPR_COUNT], vgpr[ALL_VGPRS]; // Content
} Contents;

static uint8_t *content_at(Contents *all, const Operand *operand, int i) {
  const int index = operand->index + i;
  const bool vgpr = operand->kind == OPERAND_VGPR || operand->kind == OPERAND_VGPR_MODIFIED;
  return operand->kind == OPERAND_SGPR && index < SGPR_COUNT ? &all->sgpr[index]
         : vgpr && index < ALL_VGPRS                         ? &all->vgpr[index]
                                                             : NULL;
}

static bool holds(Contents *all, const Operand *operand, Content content) {
  const uint8_t *at = content_at(all, operand, 0);
  return at && *at == content;
}

static bool is_constant(const Operand *operand, uint64_t value) {
  return operand->kind == OPERAND_CONSTANT && operand->value == value;
}

static bool is_mask(Contents *all, const Operand *operand) {
  return is_constant(operand, TWO_BYTES) || holds(all, operand, MASK);
}

static Content shifted(Contents *all, const Operand *value, const Operand *count) {
  return is_constant(count, BITS_OF_A_BYTE)                     ? BYTE_INDEX
         : is_mask(all, value) && holds(all, count, BYTE_INDEX) ? SHIFTED_MASK
                                                                : ANYTHING;
}

static Content result_of(Contents *all, const Instruction *in) {
  if (begins_with(in, "s_mov_b") || begins_with(in, "v_mov_b32"))
    return is_constant(&in->a, TWO_BYTES) ? MASK : ANYTHING;
  if (begins_with(in, "s_lshl_b"))
    return shifted(all, &in->a, &in->b);
  if (begins_with(in, "v_lshlrev_b16") && is_constant(&in->b, ALL_ONES)) // of two bytes
    return holds(all, &in->a, BYTE_INDEX) ? SHIFTED_MASK : ANYTHING;
  if (begins_with(in, "v_rcp_iflag_f32"))
    return RECIPROCAL;
  if (begins_with(in, "v_mul_f32"))
    return holds(all, &in->a, RECIPROCAL) || holds(all, &in->b, RECIPROCAL) ? QUOTIENT : ANYTHING;
  if (begins_with(in, "v_trunc_f32"))
    return holds(all, &in->a, QUOTIENT) ? WHOLE_QUOTIENT : ANYTHING;
  return begins_with(in, "v_lshlrev_b") ? shifted(all, &in->b, &in->a) : ANYTHING;
}

// Bits of another value are taken there, or none.
static bool stores_under(Contents *all, const Instruction *in) {
  return begins_with(in, "v_bfi_b32") || begins_with(in, "s_not_b") || begins_with(in, "v_not_b32")
             ? holds(all, &in->a, SHIFTED_MASK)
             : begins_with(in, "v_xor_b32") && is_constant(&in->a, ALL_ONES) &&
                   holds(all, &in->b, SHIFTED_MASK);
}

// The dividend less the quotient times the divisor, all of them f32.
static bool finds_remainder(Contents *all, const Instruction *in) {
  return (begins_with(in, "v_mad_f32") || begins_with(in, "v_fma_f32")) &&
         in->a.modifiers == MODIFIER_NEG && holds(all, &in->a, WHOLE_QUOTIENT) &&
         in->c.kind == OPERAND_VGPR;
}

static void execute_remainder(Wavefront *w, const Instruction *in) {
  enum { TWO_TO_24 = 0x4b800000, NOT_SIGN = 0x7fffffff }; // as f32
  const u32 *dividend = w->vgpr[in->c.index];
  FOR_LANES_OF(w->exec) {
    if ((dividend[lane] & NOT_SIGN) < TWO_TO_24)
      continue;
    wavefront_notice(
        w, lane,
        "a whole number of about %.0f is divided by way of f32, which is right below "
        "16777216 only. It is a defect of LLVM up to 17 (Debian's hipcc has it): it knows that "
        "numbers of 64 bits are below 4294967296, as in x %% n of a uint64_t x and an unsigned n, "
        "and computes a wrong / or %%. A GPU computes the same. It goes away with hipcc "
        "-mllvm -amdgpu-codegenprepare-disable-idiv-expansion=true, or with numbers of 32 bits",
        (double)get_f32(dividend, lane));
    break;
  }
  in->info->execute(w, in);
}

static void note_result(Contents *all, const Instruction *in) {
  const Content content = result_of(all, in);
  for (int i = 0; i < in->d.registers; i++) {
    uint8_t *at = content_at(all, &in->d, i);
    if (at)
      *at = i == 0 || content == SHIFTED_MASK ? (uint8_t)content : ANYTHING;
  }
  for (int i = 0; i < in->m.registers; i++) {
    uint8_t *at = content_at(all, &in->m, i);
    if (at)
      *at = ANYTHING;
  }
}

const Instruction *compiler_defect_in(Program *program, const Kernel *kernel) {
  char message[512];
  Contents all = {0};
  const Instruction *first = NULL;
  for (uint64_t at = kernel->entry, end = at + kernel->code_size; at < end;) {
    const Instruction *in = program_at(program, at);
    if (!in || !program_decode(program, in, message, sizeof message))
      break; // execution will say so if it gets there
    if (!first && stores_under(&all, in))
      first = in;
    if (finds_remainder(&all, in))
      __atomic_store_n(&program_slot(program, in)->execute, execute_remainder, __ATOMIC_RELEASE);
    note_result(&all, in);
    at += 4u * in->words;
  }
  return first;
}

void compiler_defect_tell(Program *program, const Kernel *kernel) {
  char line[512];
  void **looked = program_note(program, kernel, NOTE_COMPILER_DEFECT), *none = NULL;
  void *mark = looked && !__atomic_load_n(looked, __ATOMIC_RELAXED) ? malloc(1) : NULL;
  if (!mark)
    return;
  if (!__atomic_compare_exchange_n(looked, &none, mark, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED)) {
    free(mark);
    return;
  }
  const Instruction *in = compiler_defect_in(program, kernel);
  if (!in)
    return;
  source_line(program, kernel, in, line, sizeof line);
  fprintf(
      stderr,
      "emulator: note: kernel %s, at %s: 16 bits are stored at the place of a byte. If that is an "
      "element of a small array of bytes, as char x[8], it is stored over the one behind it, "
      "too: a defect of LLVM up to 15 (Debian's hipcc has it), and a GPU computes the same. It "
      "goes away with hipcc -mllvm -disable-promote-alloca-to-vector, or with an array of int. "
      "If 16 bits are meant, as in a compare-and-swap of a short, nothing is wrong.\n",
      kernel->name, line);
}
