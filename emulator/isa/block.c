// Blocks: see block.h.
#include "block.h"

#include "lane_function.h"

#include <stdlib.h>

enum { LONGEST = 512 }; // instructions of a block

typedef enum {
  INSIDE,
  OTHER_LANES, // follow, so that only what knows no lanes may still belong to the block
  LAST,        // what follows may be other code, or another wave's turn
  OUTSIDE,     // left to the interpreter
} Role;

static bool only_registers_and_constants(const Instruction *in) {
  const Operand *operand[] = {&in->d, &in->a, &in->b};
  for (int i = 0; i < 3; i++)
    if (operand[i]->kind == OPERAND_SPECIAL)
      return false;
  return true;
}

static Role role_of(const Instruction *in) {
  bool plain = lane_function(in->info) && only_registers_and_constants(in);
  switch ((Unit)in->info->unit) {
  case UNIT_SALU:
    if (strstr(in->info->mnemonic, "exec"))
      return OTHER_LANES;
    return !plain ? OUTSIDE : names_exec(&in->d) ? OTHER_LANES : INSIDE;
  case UNIT_BRANCH:
    return LAST;
  case UNIT_MESSAGE:
    return begins_with(in, "s_endpgm") ? LAST : OUTSIDE;
  case UNIT_INTERNAL:
    return plain || begins_with(in, "s_waitcnt") ? INSIDE : is_barrier(in) ? LAST : OUTSIDE;
  case UNIT_SMEM:
    return !plain && begins_with(in, "s_mem") ? OUTSIDE : names_exec(&in->d) ? OTHER_LANES : INSIDE;
  case UNIT_LDS:
    return begins_with(in, "ds_gws") ? OUTSIDE : INSIDE;
  default:
    return changes_lanes(in) ? OTHER_LANES : INSIDE;
  }
}

// Scalar instructions do the same whatever EXEC is. But whether a sanitized wave's lanes are where they may touch
// memory is asked where the block begins.
static bool knows_no_lanes(const Instruction *in, bool sanitized) {
  const Unit unit = in->info->unit;
  return unit == UNIT_SALU || unit == UNIT_BRANCH || unit == UNIT_MESSAGE ||
         (!sanitized && (unit == UNIT_SMEM || unit == UNIT_INTERNAL));
}

bool block_ends_with(const Instruction *in) { return role_of(in) == LAST; }

uint32_t block_length(const Instruction *first, bool sanitized) {
  const Instruction *in = first;
  uint32_t count = 0;
  Role role = INSIDE;
  bool other_lanes = false;
  for (; role <= OTHER_LANES && count < LONGEST && __atomic_load_n(&in->execute, __ATOMIC_ACQUIRE);
       in += in->words) {
    other_lanes |= role == OTHER_LANES;
    role = other_lanes && !knows_no_lanes(in, sanitized) ? OUTSIDE : role_of(in);
    if (sanitized && !block_registers_tell_all(in) && !is_barrier(in))
      role = OUTSIDE;
    count += role != OUTSIDE;
  }
  return sanitized ? block_registers_reach(first, count) : count;
}

const Instruction *block_last(const Instruction *in, uint32_t count) {
  for (; count > 1; count--)
    in += in->words;
  return in;
}

const Branch *branch_of(const Instruction *in) {
  static const Branch branch[] = {
      {"s_branch", ALWAYS, false},         {"s_cbranch_scc0", ON_SCC, true},
      {"s_cbranch_scc1", ON_SCC, false},   {"s_cbranch_vccz", ON_VCC, true},
      {"s_cbranch_vccnz", ON_VCC, false},  {"s_cbranch_execz", ON_EXEC, true},
      {"s_cbranch_execnz", ON_EXEC, false}};
  for (size_t i = 0; i < sizeof branch / sizeof *branch; i++)
    if (strcmp(in->info->mnemonic, branch[i].mnemonic) == 0)
      return &branch[i];
  return NULL;
}

int block_leads_to(const Instruction *last, const Instruction *to[2]) {
  const Branch *branch = branch_of(last);
  if (!branch && block_ends_with(last))
    return 0;
  int places = 0;
  if (branch)
    to[places++] = last + last->words + last->offset;
  if (!branch || branch->condition != ALWAYS)
    to[places++] = last + last->words;
  return places;
}

void block_free(Block *block) {
  for (int i = 0; block && i < BLOCK_VARIANTS; i++)
    for (int level = 0; level < JIT_LEVELS; level++)
      jit_free(block->code[i][level]);
  free(block ? block->registers : NULL);
  free(block ? block->adds : NULL);
  free(block);
}
