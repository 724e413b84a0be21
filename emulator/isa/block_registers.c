// Registers of a block: see block_registers.h.
#include "block_registers.h"

#include <stdlib.h>
#include <string.h>

bool uses_vm(const Instruction *in) {
  return in->info->action != MEMORY_NONE &&
         (in->info->unit == UNIT_GLOBAL || in->info->unit == UNIT_FLAT ||
          in->info->unit == UNIT_SCRATCH || in->info->unit == UNIT_BUFFER ||
          in->info->unit == UNIT_IMAGE);
}

bool touches_memory(const Instruction *in) {
  return in->info->action != MEMORY_NONE || in->info->unit == UNIT_SMEM;
}

bool swaps_registers(const Instruction *in) {
  return strcmp(in->info->mnemonic, "v_swap_b32") == 0;
}

// Whether the result depends on what was in the destination.
static bool reads_destination(const Instruction *in) {
  return !touches_memory(in) &&
         (in->info->unit == UNIT_SALU || !in->plain || in->dst_preserve || swaps_registers(in) ||
          (in->c.kind == OPERAND_NONE && in->info->type_c != TYPE_NONE));
}

int operands_read(const Instruction *in, const Operand **operand) {
  const Operand *all[READ_OPERANDS] = {&in->a, &in->b, &in->c, &in->e, &in->d};
  memcpy(operand, all, sizeof all);
  return READ_OPERANDS - !reads_destination(in);
}

static bool begins_with_one_of(const Instruction *in, const char *const *name, size_t names) {
  for (size_t i = 0; i < names; i++)
    if (strncmp(in->info->mnemonic, name[i], strlen(name[i])) == 0)
      return true;
  return false;
}
#define IS_ONE_OF(IN, NAMES) begins_with_one_of(IN, NAMES, sizeof(NAMES) / sizeof *(NAMES))

bool reads_scc(const Instruction *in) {
  static const char *const name[] = {"s_addc", "s_subb", "s_cselect", "s_cmov", "s_cbranch_scc"};
  return (in->info->unit == UNIT_SALU || in->info->unit == UNIT_BRANCH) && IS_ONE_OF(in, name);
}

// CDNA2 ISA guide, chapter 12: all SOPC, and of SOP1, SOP2 and SOPK these.
bool writes_scc(const Instruction *in) {
  static const char *const name[] = {"s_cmp",  "s_bitcmp", "s_add",  "s_sub",  "s_min",  "s_max",
                                     "s_and",  "s_or",     "s_xor",  "s_xnor", "s_nand", "s_nor",
                                     "s_lshl", "s_lshr",   "s_ashr", "s_bfe",  "s_not_", "s_wqm",
                                     "s_quad", "s_abs",    "s_bcnt"};
  return in->info->unit == UNIT_SALU && IS_ONE_OF(in, name);
}

// Other lanes than those that are on, or registers that no operand names.
static bool reads_more(const Instruction *in) {
  static const char *const name[] = {"v_readlane", "v_readfirstlane", "v_writelane", "v_div_fmas",
                                     "v_cmpx"};
  return IS_ONE_OF(in, name);
}

// simm16: vmcnt in bits 3:0 and 15:14, lgkmcnt in 11:8.
bool waits_of(const Instruction *in, Waits *waits) {
  const uint32_t bits = (uint16_t)in->offset;
  *waits = (Waits){(bits & 15u) | (bits >> 14 & 3u) << 4, bits >> 8 & 15u};
  return in->info->unit == UNIT_INTERNAL && strcmp(in->info->operands, "xxxx") == 0;
}

Waits results_of(const Instruction *in) {
  const Unit unit = in->info->unit;
  return (Waits){.vm = uses_vm(in),
                 .lgkm = unit == UNIT_FLAT || unit == UNIT_MESSAGE || unit == UNIT_LDS ||
                         (unit == UNIT_SMEM && in->d.kind == OPERAND_SGPR)};
}

bool comes_in_any_order(const Instruction *in, bool vm) {
  return (uses_vm(in) && in->info->unit == UNIT_FLAT) || (!vm && in->info->unit == UNIT_SMEM);
}

Waits waits_of_both(Waits a, Waits b) {
  return (Waits){a.vm < b.vm ? a.vm : b.vm, a.lgkm < b.lgkm ? a.lgkm : b.lgkm};
}

bool block_registers_tell_all(const Instruction *in) {
  Waits waits;
  const Unit unit = in->info->unit;
  const Operand *operand[] = {&in->d, &in->m, &in->a, &in->b, &in->c, &in->e};
  for (int i = 0; i < 6; i++)
    if (operand[i]->kind == OPERAND_SPECIAL)
      return false;
  return unit == UNIT_SALU || unit == UNIT_BRANCH || (unit == UNIT_VALU && !reads_more(in)) ||
         (touches_memory(in) && unit != UNIT_IMAGE) || waits_of(in, &waits);
}

static bool is_vector(const Operand *operand) {
  return operand->kind == OPERAND_VGPR || operand->kind == OPERAND_VGPR_MODIFIED;
}

bool divides(const Instruction *in) {
  static const char *const name[] = {"v_div_fmas"};
  return IS_ONE_OF(in, name);
}

const Operand *condition_of(const Instruction *in) {
  static const Operand vcc = {.kind = OPERAND_SGPR, .registers = 2, .index = SGPR_VCC}, none;
  const bool branches = in->info->unit == UNIT_BRANCH && strstr(in->info->mnemonic, "_vcc");
  return branches || divides(in) ? &vcc : &none;
}

// ---- up to what a load brings ----

bool registers_name_some(const Registers *registers, const Operand *operand) {
  bool some = false;
  for (int r = operand->index; r < operand->index + operand->registers; r++)
    some = some || (is_vector(operand) && registers->vgpr[r]) ||
           (operand->kind == OPERAND_SGPR && r < SGPR_COUNT && registers->sgpr[r]);
  return some;
}

void registers_add(Registers *registers, const Operand *operand) {
  for (int r = operand->index; r < operand->index + operand->registers; r++)
    if (is_vector(operand))
      registers->vgpr[r] = true;
    else if (operand->kind == OPERAND_SGPR && r < SGPR_COUNT)
      registers->sgpr[r] = true;
}

uint32_t block_registers_reach(const Instruction *in, uint32_t count) {
  Registers loaded = {0};
  for (uint32_t n = 0; n < count; n++, in += in->words) {
    const Operand *operand[] = {&in->d, &in->m, &in->a, &in->b, &in->c, &in->e, condition_of(in)};
    for (size_t i = 0; i < sizeof operand / sizeof *operand; i++)
      if (registers_name_some(&loaded, operand[i]))
        return n;
    if (touches_memory(in))
      registers_add(&loaded, &in->d);
  }
  return count;
}

// ---- lists ----

// What is known of the instructions so far.
typedef struct {
  Registers read, defined, touched;
  Waits waited,
      issued; // what was waited for of what came before the block; the block's own results
  bool waited_for_scalars, any_order_vm, any_order_lgkm; // what was issued comes in any order
} Known;

// Adds those registers of an operand that are new.
static void list(RegisterList *to, bool *known, const Operand *operand, int registers) {
  for (int r = operand->index; r < operand->index + operand->registers && r < registers; r++)
    if (!known[r]) {
      known[r] = true;
      to->number[to->count++] = (uint16_t)r;
    }
}

static void add_touched(BlockRegisters *to, Known *known, const Operand *operand) {
  uint32_t i = to->vgpr_touched.count;
  if (is_vector(operand))
    list(&to->vgpr_touched, known->touched.vgpr, operand, ALL_VGPRS);
  else if (operand->kind == OPERAND_SGPR && !known->waited_for_scalars)
    list(&to->sgpr_touched, known->touched.sgpr, operand, SGPR_COUNT);
  for (; i < to->vgpr_touched.count; i++)
    to->after[i] = known->waited;
}

static void add_read(BlockRegisters *to, Known *known, const Operand *operand) {
  add_touched(to, known, operand);
  if (is_vector(operand))
    list(&to->vgpr_read, known->read.vgpr, operand, ALL_VGPRS);
  else if (operand->kind == OPERAND_SGPR)
    list(&to->sgpr_read, known->read.sgpr, operand, SGPR_COUNT);
}

static void add_defined(BlockRegisters *to, Known *known, const Operand *operand) {
  if (is_vector(operand))
    list(&to->vgpr_defined, known->defined.vgpr, operand, ALL_VGPRS);
  else if (operand->kind == OPERAND_SGPR)
    list(&to->sgpr_defined, known->defined.sgpr, operand, SGPR_COUNT);
  registers_add(&known->read, operand);
}

// Results come back in their order, so of those before the block none is left once the block's own are
// as many as may be.
static void add_waits(Known *known, const Instruction *in) {
  Waits most;
  const Waits more = results_of(in);
  known->issued.vm += more.vm;
  known->issued.lgkm += more.lgkm;
  known->any_order_vm = known->any_order_vm || comes_in_any_order(in, true);
  known->any_order_lgkm = known->any_order_lgkm || comes_in_any_order(in, false);
  if (!waits_of(in, &most))
    return;
  if (known->any_order_vm && most.vm)
    most.vm = NO_WAIT;
  if (known->any_order_lgkm && most.lgkm)
    most.lgkm = NO_WAIT;
  known->waited_for_scalars = known->waited_for_scalars || most.lgkm == 0;
  most.vm -= most.vm < known->issued.vm ? most.vm : known->issued.vm;
  most.lgkm -= most.lgkm < known->issued.lgkm ? most.lgkm : known->issued.lgkm;
  known->waited = waits_of_both(known->waited, most);
}

BlockRegisters *block_registers_of(const Instruction *in, uint32_t count) {
  BlockRegisters *registers = calloc(1, sizeof *registers);
  Known known = {.waited = {NO_WAIT, NO_WAIT}};
  for (uint32_t n = 0; registers && n < count; n++, in += in->words) {
    const Operand *operand[READ_OPERANDS];
    registers->memory |= touches_memory(in);
    registers->scc_read |= reads_scc(in) && !registers->scc_defined;
    registers->scc_defined |= writes_scc(in);
    for (int i = operands_read(in, operand); i--;)
      add_read(registers, &known, operand[i]);
    add_read(registers, &known, condition_of(in));
    add_touched(registers, &known, &in->d);
    add_touched(registers, &known, &in->m);
    if (!touches_memory(in)) {
      add_defined(registers, &known, &in->d);
      add_defined(registers, &known, &in->m);
    }
    add_waits(&known, in);
  }
  return registers;
}
