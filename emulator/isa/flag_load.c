// Loads that wait for a flag: see flag_load.h.
#include "flag_load.h"

#include "block.h"

enum { FARTHEST = 64 }; // instructions that are looked at

// The one behind it, NULL if the program does not go on there.
static const Instruction *behind(Program *program, const Instruction *in) {
  char message[512];
  const Instruction *next = in + in->words;
  return !begins_with(in, "s_endpgm") && program_decode(program, next, message, sizeof message)
             ? next
             : NULL;
}

static const Instruction *target_of(const Instruction *branch) {
  const bool jumps = branch->info->unit == UNIT_BRANCH && strcmp(branch->info->operands, "x") == 0;
  return jumps ? branch + branch->words + branch->offset : NULL;
}

// The branch back to this instruction, or to one before it.
static const Instruction *loop_end(Program *program, const Instruction *in) {
  const Instruction *at = in;
  for (int n = 0; at && n < FARTHEST; n++, at = behind(program, at)) {
    const Instruction *target = target_of(at);
    if (target && target <= in && in - target < FARTHEST)
      return at;
  }
  return NULL;
}

static bool changes_something(const Instruction *in) {
  return in->info->action == MEMORY_STORE || in->info->action == MEMORY_ATOMIC || in->info->calls ||
         is_barrier(in);
}

// What depends on the load after one more round, if no place is named by it.
typedef struct {
  Registers registers;
  bool scc;
} Dependent;

static void pass_on(Dependent *on, const Instruction *in) {
  static const Operand exec = {.kind = OPERAND_SGPR, .registers = 2, .index = SGPR_EXEC};
  const Operand *operand[READ_OPERANDS];
  bool some = on->scc && reads_scc(in);
  for (int i = operands_read(in, operand); i--;)
    some = some || registers_name_some(&on->registers, operand[i]);
  if (!some)
    return;
  registers_add(&on->registers, &in->d);
  registers_add(&on->registers, &in->m);
  if (strstr(in->info->mnemonic, "exec") || begins_with(in, "v_cmpx"))
    registers_add(&on->registers, &exec);
  on->scc = on->scc || writes_scc(in);
}

static bool decides(const Dependent *on, const Instruction *branch) {
  const bool by_exec = strstr(branch->info->mnemonic, "_exec");
  return (on->scc && reads_scc(branch)) ||
         registers_name_some(&on->registers, condition_of(branch)) ||
         (by_exec && (on->registers.sgpr[SGPR_EXEC] || on->registers.sgpr[SGPR_EXEC + 1]));
}

// Whether the load stands in a loop that changes nothing, always loads from there, and ends by it.
static bool spins(Program *program, const Instruction *load) {
  const Instruction *end = loop_end(program, load);
  Dependent on = {0};
  Registers written = {0};
  bool ends = false;
  if (!end)
    return false;
  registers_add(&on.registers, &load->d);
  for (int round = 0; round < 2; round++)
    for (const Instruction *at = target_of(end); at && at <= end; at = behind(program, at)) {
      if (changes_something(at))
        return false;
      registers_add(&written, &at->d);
      pass_on(&on, at);
      ends = ends || (at->info->unit == UNIT_BRANCH && decides(&on, at));
    }
  return ends && !registers_name_some(&written, &load->a);
}

static bool same_place(const Instruction *a, const Instruction *b) {
  return a->info == b->info && a->a.kind == b->a.kind && a->a.index == b->a.index &&
         a->offset == b->offset;
}

bool flag_load(Program *program, const Instruction *load) {
  Registers written = {0};
  const Instruction *at = load;
  for (int n = 0; at && n < FARTHEST; n++, at = behind(program, at)) {
    if (same_place(at, load) && spins(program, at))
      return true;
    registers_add(&written, &at->d);
    if (registers_name_some(&written, &load->a))
      return false;
  }
  return false;
}
