// Registers of a block: see block_registers.h.
#include "block_registers.h"

#include "carries.h"

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

static bool begins_with_one_of(const Instruction *in, const char *const *name, size_t names) {
  for (size_t i = 0; i < names; i++)
    if (strncmp(in->info->mnemonic, name[i], strlen(name[i])) == 0)
      return true;
  return false;
}
#define IS_ONE_OF(IN, NAMES) begins_with_one_of(IN, NAMES, sizeof(NAMES) / sizeof *(NAMES))

// Of scalar instructions few keep anything of their destination.
static bool keeps_scalar(const Instruction *in) {
  static const char *const name[] = {"s_cmov", "s_bitset", "s_movrel", "s_addk", "s_mulk"};
  return in->info->unit == UNIT_SALU && IS_ONE_OF(in, name);
}

// Whether the result depends on what was in the destination.
static bool reads_destination(const Instruction *in) {
  return !touches_memory(in) &&
         (keeps_scalar(in) || (in->info->unit != UNIT_SALU && !in->plain) || in->dst_preserve ||
          swaps_registers(in) || (in->c.kind == OPERAND_NONE && in->info->type_c != TYPE_NONE));
}

int operands_read(const Instruction *in, const Operand **operand) {
  const Operand *all[READ_OPERANDS] = {&in->a, &in->b, &in->c, &in->e, &in->d};
  memcpy(operand, all, sizeof all);
  return READ_OPERANDS - !reads_destination(in);
}

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

// What a register holds: what it did when the block began, something defined, or what is undefined where some of those were
// of which a bit is set.
typedef enum { OF_BEFORE, DEFINED, CARRIED } Holds;
enum { SET_WORDS = ALL_VGPRS / 64 };
typedef struct {
  uint8_t holds; // Holds
  uint8_t half;  // of an SGPR that carries
  bool computed;
  uint64_t from[SET_WORDS];
} Content;

// What is known of the instructions so far.
typedef struct {
  Content vgpr[ALL_VGPRS], sgpr[SGPR_COUNT];
  Registers read, written, touched; // in the lists
  Registers of_memory; // that instructions read which look for themselves what is defined
  Waits waited,
      issued; // what was waited for of what came before the block; the block's own results
  bool waited_for_scalars, any_order_vm, any_order_lgkm; // what was issued comes in any order
} Known;

static void list_one(RegisterList *to, bool *known, int r) {
  if (!*known)
    to->number[to->count++] = (uint16_t)r;
  *known = true;
}

// Adds those registers of an operand that are new.
static void list(RegisterList *to, bool *known, const Operand *operand, int registers) {
  for (int r = operand->index; r < operand->index + operand->registers && r < registers; r++)
    list_one(to, &known[r], r);
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

static void read_all_of(BlockRegisters *to, Known *known, const Content *content) {
  for (int r = 0; r < ALL_VGPRS; r++)
    if (content->from[r / 64] >> r % 64 & 1)
      list_one(&to->vgpr_read, &known->read.vgpr[r], r);
}

// What is in the operand must be defined.
static void add_read(BlockRegisters *to, Known *known, const Operand *operand) {
  const bool vector = is_vector(operand);
  const int end = vector ? ALL_VGPRS : SGPR_COUNT;
  for (int r = operand->index; r < operand->index + operand->registers && r < end; r++) {
    if (!vector && operand->kind != OPERAND_SGPR)
      return;
    const Content *content = vector ? &known->vgpr[r] : &known->sgpr[r];
    if (content->holds == CARRIED)
      read_all_of(to, known, content);
    else if (content->holds == OF_BEFORE && vector)
      list_one(&to->vgpr_read, &known->read.vgpr[r], r);
    else if (content->holds == OF_BEFORE)
      list_one(&to->sgpr_read, &known->read.sgpr[r], r);
  }
}

static void add_defined(BlockRegisters *to, Known *known, const Operand *operand) {
  if (is_vector(operand)) {
    list(&to->vgpr_defined, known->written.vgpr, operand, ALL_VGPRS);
    for (int r = operand->index; r < operand->index + operand->registers && r < ALL_VGPRS; r++)
      known->vgpr[r] = (Content){.holds = DEFINED};
  } else if (operand->kind == OPERAND_SGPR) {
    list(&to->sgpr_defined, known->written.sgpr, operand, SGPR_COUNT);
    for (int r = operand->index; r < operand->index + operand->registers && r < SGPR_COUNT; r++)
      known->sgpr[r] = (Content){.holds = DEFINED};
  }
}

static Content carried_content(const Known *known, const Carry *carry) {
  Content content = {.holds = DEFINED, .computed = !carry->copies};
  for (int i = 0; i < carry->sources; i++) {
    const int from = carry->from[i];
    const Content *source = &known->vgpr[from];
    content.computed = content.computed || (source->holds == CARRIED && source->computed);
    if (source->holds != DEFINED)
      content.holds = CARRIED;
    if (source->holds == OF_BEFORE)
      content.from[from / 64] |= 1ull << from % 64;
    for (int k = 0; source->holds == CARRIED && k < SET_WORDS; k++)
      content.from[k] |= source->from[k];
  }
  return content;
}

// The instruction defines what it writes, but for what it carries.
static void add_results(BlockRegisters *to, Known *known, const Instruction *in) {
  Carry carry[MOST_CARRIES];
  Content content[MOST_CARRIES];
  const int count = carries_of(in, carry);
  for (int i = 0; i < count; i++)
    content[i] = carried_content(known, &carry[i]);
  add_defined(to, known, &in->d);
  add_defined(to, known, &in->m);
  for (int i = 0; i < count; i++) {
    const Operand *bits = carry[i].lane_bit;
    known->vgpr[carry[i].to] = content[i];
    for (int r = 0; bits && bits->kind == OPERAND_SGPR && r < bits->registers; r++)
      if (bits->index + r < SGPR_COUNT) {
        known->sgpr[bits->index + r] = content[i];
        known->sgpr[bits->index + r].half = (uint8_t)r;
      }
  }
}

static void add_operands(BlockRegisters *to, Known *known, const Instruction *in) {
  const Operand *operand[READ_OPERANDS];
  Operand need[MOST_NEEDS];
  Carry carry[MOST_CARRIES];
  const bool carries = carries_of(in, carry), uses_memory = touches_memory(in);
  for (int i = operands_read(in, operand); i--;) {
    add_touched(to, known, operand[i]);
    if (!carries)
      add_read(to, known, operand[i]);
    if (uses_memory)
      registers_add(&known->of_memory, operand[i]);
  }
  for (int i = carries ? carries_need(in, need) : 0; i--;)
    add_read(to, known, &need[i]);
  add_touched(to, known, condition_of(in));
  add_read(to, known, condition_of(in));
}

static uint32_t size_of(const Content *content) {
  uint32_t size = 0;
  for (int k = 0; k < SET_WORDS; k++)
    size += (uint32_t)__builtin_popcountll(content->from[k]);
  return size;
}

// Of a register at the end of the block. It counts as undefined from the begin on, so all that it comes from must be defined if an
// instruction would see that too early; or where there is no room.
static void add_carried(BlockRegisters *to, Known *known, const Content *content, int number) {
  const uint32_t size = content->holds == CARRIED ? size_of(content) : 0;
  const bool early = number < ALL_VGPRS ? known->of_memory.vgpr[number]
                                        : known->of_memory.sgpr[number - ALL_VGPRS];
  if (!size)
    return;
  if (early || to->carried_count == MOST_CARRIED ||
      to->carried_from_count + size > MOST_CARRIED_FROM) {
    read_all_of(to, known, content);
    return;
  }
  to->carried[to->carried_count++] = (Carried){.to = (uint16_t)number,
                                               .half = content->half,
                                               .computed = content->computed,
                                               .first = (uint16_t)to->carried_from_count,
                                               .count = (uint16_t)size};
  for (int r = 0; r < ALL_VGPRS; r++)
    if (content->from[r / 64] >> r % 64 & 1)
      to->carried_from[to->carried_from_count++] = (uint16_t)r;
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
  Known *known = calloc(1, sizeof *known);
  if (!registers || !known) {
    free(registers);
    free(known);
    return NULL;
  }
  known->waited = (Waits){NO_WAIT, NO_WAIT};
  for (uint32_t n = 0; n < count; n++, in += in->words) {
    registers->memory |= touches_memory(in);
    registers->scc_read |= reads_scc(in) && !registers->scc_defined;
    registers->scc_defined |= writes_scc(in);
    add_operands(registers, known, in);
    add_touched(registers, known, &in->d);
    add_touched(registers, known, &in->m);
    if (!touches_memory(in))
      add_results(registers, known, in);
    add_waits(known, in);
  }
  for (int r = 0; r < ALL_VGPRS; r++)
    add_carried(registers, known, &known->vgpr[r], r);
  for (int r = 0; r < SGPR_COUNT; r++)
    add_carried(registers, known, &known->sgpr[r], ALL_VGPRS + r);
  free(known);
  return registers;
}
