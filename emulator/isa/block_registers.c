// Registers of a block: see block_registers.h.
#include "block_registers.h"

#include <stdlib.h>
#include <string.h>

// Whether the result depends on what was in the destination.
static bool reads_destination(const Instruction *in) {
  return in->info->unit == UNIT_SALU || !in->plain || in->dst_preserve ||
         (in->c.kind == OPERAND_NONE && in->info->type_c != TYPE_NONE);
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
  static const char *const name[] = {"s_addc", "s_subb", "s_cselect", "s_cmov"};
  return in->info->unit == UNIT_SALU && IS_ONE_OF(in, name);
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

bool block_registers_tell_all(const Instruction *in) {
  Waits waits;
  const Operand *operand[] = {&in->d, &in->m, &in->a, &in->b, &in->c, &in->e};
  for (int i = 0; i < 6; i++)
    if (operand[i]->kind == OPERAND_SPECIAL)
      return false;
  return in->info->unit == UNIT_SALU || (in->info->unit == UNIT_VALU && !reads_more(in)) ||
         waits_of(in, &waits);
}

typedef struct {
  bool read[ALL_VGPRS], written[ALL_VGPRS];
} Seen;

static void add_sgpr(BlockRegisters *registers, int r) {
  if (registers->sgpr_read[r] || registers->sgpr_written[r])
    return;
  registers->sgpr_after[registers->sgprs] = registers->waits;
  registers->sgpr[registers->sgprs++] = (uint16_t)r;
}

static void add_reads(BlockRegisters *registers, Seen *seen, const Operand *operand) {
  const bool vector = operand->kind == OPERAND_VGPR || operand->kind == OPERAND_VGPR_MODIFIED;
  for (int r = operand->index; r < operand->index + operand->registers; r++)
    if (vector && !seen->read[r] && !seen->written[r]) {
      registers->read_after[registers->reads] = registers->waits;
      registers->read[registers->reads++] = (uint16_t)r;
      seen->read[r] = true;
    } else if (operand->kind == OPERAND_SGPR && r < SGPR_COUNT && !registers->sgpr_written[r]) {
      add_sgpr(registers, r);
      registers->sgpr_read[r] = true;
    }
}

static void add_writes(BlockRegisters *registers, Seen *seen, const Operand *operand) {
  for (int r = operand->index; r < operand->index + operand->registers; r++)
    if (operand->kind == OPERAND_VGPR && !seen->written[r]) {
      registers->written_after[registers->writes] = registers->waits;
      registers->written[registers->writes++] = (uint16_t)r;
      seen->written[r] = true;
    } else if (operand->kind == OPERAND_SGPR && r < SGPR_COUNT) {
      add_sgpr(registers, r);
      registers->sgpr_written[r] = true;
    }
}

static void add_waits(BlockRegisters *registers, const Instruction *in) {
  Waits *all = &registers->waits, more;
  if (!waits_of(in, &more))
    return;
  all->vm = more.vm < all->vm ? more.vm : all->vm;
  all->lgkm = more.lgkm < all->lgkm ? more.lgkm : all->lgkm;
}

BlockRegisters *block_registers_of(const Instruction *in, uint32_t count) {
  BlockRegisters *registers = calloc(1, sizeof *registers);
  Seen seen = {0};
  if (registers)
    registers->waits = (Waits){NO_WAIT, NO_WAIT};
  for (uint32_t n = 0; registers && n < count; n++, in += in->words) {
    const Operand *operand[READ_OPERANDS];
    registers->scc_read |= reads_scc(in) && !registers->scc_written;
    registers->scc_written |= writes_scc(in);
    for (int i = operands_read(in, operand); i--;)
      add_reads(registers, &seen, operand[i]);
    add_writes(registers, &seen, &in->d);
    add_writes(registers, &seen, &in->m);
    add_waits(registers, in);
  }
  return registers;
}
