// Scalar loads in translated code: see block_scalar_load.h.
#include "block_scalar_load.h"

#include "block_rows.h"
#include "settings.h"
#include "span_places.h"

#include <string.h>

// 0 of other instructions.
static unsigned registers_loaded(const Instruction *in) {
  static const struct {
    const char *mnemonic;
    unsigned registers;
  } load[] = {{"s_load_dword", 1},
              {"s_load_dwordx2", 2},
              {"s_load_dwordx4", 4},
              {"s_load_dwordx8", 8},
              {"s_load_dwordx16", 16}};
  for (size_t i = 0; i < sizeof load / sizeof *load; i++)
    if (strcmp(in->info->mnemonic, load[i].mnemonic) == 0)
      return load[i].registers;
  return 0;
}

bool code_can_load_scalar(const BlockCode *t, const Instruction *in) {
  const unsigned registers = in->info->unit == UNIT_SMEM ? registers_loaded(in) : 0;
  return t->goes_on && !t->traced && registers && in->a.kind == OPERAND_SGPR &&
         (in->b.kind == OPERAND_SGPR || in->b.kind == OPERAND_CONSTANT) &&
         in->d.kind == OPERAND_SGPR && in->d.index + registers <= SGPR_VCC + 2 &&
         !settings()->xnack;
}

static LLVMValueRef address_of(BlockCode *t, const Instruction *in) {
  LLVMValueRef base = code_scalar(t, &in->a, 64);
  int64_t offset = in->offset;
  if (in->b.kind == OPERAND_CONSTANT)
    offset += (int64_t)in->b.value;
  else
    base = LLVMBuildAdd(
        t->straight, base,
        LLVMBuildZExt(t->straight, code_scalar(t, &in->b, 32), code_integer(64), ""), "");
  return LLVMBuildAdd(t->straight, base, code_number(64, (uint64_t)offset), "");
}

// Registers that follow each other, in pairs where there is more than one.
enum { MOST_PAIRS = 8 };
typedef struct {
  LLVMValueRef value[MOST_PAIRS];
  unsigned count, bits;
} Loaded;

static Loaded load_from(const BlockCode *t, LLVMValueRef place, unsigned registers) {
  Loaded loaded = {.count = registers == 1 ? 1 : registers / 2, .bits = registers == 1 ? 32 : 64};
  for (unsigned i = 0; i < loaded.count; i++)
    loaded.value[i] =
        code_load(t->straight, code_integer(loaded.bits),
                  code_beside(t->straight, place, code_number(64, i * loaded.bits / BYTE)), 4);
  return loaded;
}

static void write_registers(BlockCode *t, const Instruction *in, const Loaded *loaded) {
  for (unsigned i = 0; i < loaded->count; i++)
    code_write(t, &t->sgpr, in->d.index + (int)(i * loaded->bits / 32), loaded->bits,
               loaded->value[i]);
}

static Loaded load_by_handler(const BlockCode *t, const Instruction *in) {
  LLVMTypeRef parameter[] = {code_pointer(), code_pointer()},
              type = LLVMFunctionType(LLVMVoidTypeInContext(jit_context()), parameter, 2, false);
  LLVMValueRef argument[] = {t->wave, code_address(in)};
  code_set_pointer(t, offsetof(Wavefront, in), in);
  LLVMBuildCall2(t->straight, type, code_address((const void *)in->execute), argument, 2, "");
  return load_from(t, code_sgpr(t, t->straight, in->d.index), registers_loaded(in));
}

// In the loop that stays in registers.
static void load_or_leave(BlockCode *t, const Instruction *in, LLVMValueRef place,
                          LLVMValueRef quickly) {
  code_leave_unless(t, quickly);
  const Loaded loaded = load_from(t, place, registers_loaded(in));
  write_registers(t, in, &loaded);
}

static void load_either_way(BlockCode *t, const Instruction *in, LLVMValueRef place,
                            LLVMValueRef quickly) {
  LLVMBasicBlockRef usual = rows_new_block(t), other = rows_new_block(t), after = rows_new_block(t);
  LLVMBuildCondBr(t->straight, quickly, usual, other);
  LLVMPositionBuilderAtEnd(t->straight, usual);
  Loaded loaded = load_from(t, place, registers_loaded(in));
  LLVMBuildBr(t->straight, after);
  LLVMPositionBuilderAtEnd(t->straight, other);
  const Loaded slowly = load_by_handler(t, in);
  LLVMBuildBr(t->straight, after);
  LLVMPositionBuilderAtEnd(t->straight, after);
  for (unsigned i = 0; i < loaded.count; i++)
    loaded.value[i] = rows_either(t, loaded.value[i], usual, slowly.value[i], other);
  write_registers(t, in, &loaded);
}

void code_load_scalar(BlockCode *t, const Instruction *in) {
  LLVMBuilderRef lanes = t->lanes;
  if (!t->stays)
    code_store_scalars(t); // where the handler wants to find them
  t->lanes = t->straight;
  LLVMValueRef address = address_of(t, in),
               quickly = code_is_inside(t, in, address, 4 * registers_loaded(in), 4);
  LLVMValueRef place = LLVMBuildIntToPtr(t->straight, address, code_pointer(), "");
  if (t->stays)
    load_or_leave(t, in, place, quickly);
  else
    load_either_way(t, in, place, quickly);
  t->lanes = lanes;
}
