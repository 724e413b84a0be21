// Wrong code of the compiler: see compiler_defect.h.
#include "compiler_defect.h"

#include "block.h"
#include "source_line.h"
#include "wavefront.h"

#include <stdio.h>
#include <stdlib.h>

enum {
  TWO_BYTES = 0xffff,
  BITS_OF_A_BYTE = 3
}; // a mask; the index shifted left by that counts bits
static const uint64_t ALL_ONES = ~0ull;

// What registers hold.
typedef enum { ANYTHING, MASK, BYTE_INDEX, SHIFTED_MASK } Content;
typedef struct {
  uint8_t sgpr[SGPR_COUNT], vgpr[ALL_VGPRS]; // Content
} Contents;

static uint8_t *content_at(Contents *all, const Operand *operand, int i) {
  const int index = operand->index + i;
  return operand->kind == OPERAND_SGPR && index < SGPR_COUNT  ? &all->sgpr[index]
         : operand->kind == OPERAND_VGPR && index < ALL_VGPRS ? &all->vgpr[index]
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
  return begins_with(in, "v_lshlrev_b") ? shifted(all, &in->b, &in->a) : ANYTHING;
}

// Bits of another value are taken there, or none.
static bool stores_under(Contents *all, const Instruction *in) {
  return begins_with(in, "v_bfi_b32") || begins_with(in, "s_not_b") || begins_with(in, "v_not_b32")
             ? holds(all, &in->a, SHIFTED_MASK)
             : begins_with(in, "v_xor_b32") && is_constant(&in->a, ALL_ONES) &&
                   holds(all, &in->b, SHIFTED_MASK);
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
  for (uint64_t at = kernel->entry, end = at + kernel->code_size; at < end;) {
    const Instruction *in = program_at(program, at);
    if (!in || !program_decode(program, in, message, sizeof message))
      return NULL; // execution will say so if it gets there
    if (stores_under(&all, in))
      return in;
    note_result(&all, in);
    at += 4u * in->words;
  }
  return NULL;
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
