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

// NULL, too, if nothing can be executed there.
static const Instruction *target_of(Program *program, const Instruction *branch) {
  char message[512];
  const bool jumps = branch->info->unit == UNIT_BRANCH && strcmp(branch->info->operands, "x") == 0;
  const Instruction *target = jumps ? branch + branch->words + branch->offset : NULL;
  return target && program_decode(program, target, message, sizeof message) ? target : NULL;
}

// The last branch back to where the innermost loop of this instruction begins: a loop may go on in several places.
static const Instruction *loop_end(Program *program, const Instruction *in) {
  const Instruction *at = in, *begin = NULL, *end = NULL;
  for (int n = 0; at && n < FARTHEST; n++, at = behind(program, at)) {
    const Instruction *target = target_of(program, at);
    if (!begin && target && target <= in && in - target < FARTHEST)
      begin = target;
    if (begin && target == begin)
      end = at;
  }
  return end;
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

// What is written anew, and wholly, depends on nothing any more.
static void set_free(Dependent *on, const Instruction *in) {
  const bool anew = in->info->unit == UNIT_SALU || (in->info->unit == UNIT_VALU && in->plain);
  for (int r = 0; anew && in->d.kind == OPERAND_VGPR && r < in->d.registers; r++)
    on->registers.vgpr[in->d.index + r] = false;
  for (int r = 0; anew && in->d.kind == OPERAND_SGPR && r < in->d.registers; r++)
    on->registers.sgpr[in->d.index + r] = false;
  on->scc = on->scc && !writes_scc(in);
}

static void pass_on(Dependent *on, const Instruction *in) {
  static const Operand exec = {.kind = OPERAND_SGPR, .registers = 2, .index = SGPR_EXEC};
  const Operand *operand[READ_OPERANDS];
  bool some = on->scc && reads_scc(in);
  for (int i = operands_read(in, operand); i--;)
    some = some || registers_name_some(&on->registers, operand[i]);
  if (!some) {
    set_free(on, in);
    return;
  }
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

static void add_results(Registers *to, const Instruction *in) {
  registers_add(to, &in->d);
  registers_add(to, &in->m);
  if (swaps_registers(in))
    registers_add(to, &in->a);
}

// Registers that a round reads before it writes them: the next one may make something else of them.
static Registers carried_on(Program *program, const Instruction *begin, const Instruction *end) {
  Registers early = {0}, written = {0};
  for (const Instruction *at = begin; at && at <= end; at = behind(program, at)) {
    const Operand *operand[READ_OPERANDS];
    Registers read = {0};
    for (int i = operands_read(at, operand); i--;)
      registers_add(&read, operand[i]);
    for (int r = 0; r < ALL_VGPRS; r++)
      early.vgpr[r] |= read.vgpr[r] & !written.vgpr[r];
    for (int r = 0; r < SGPR_COUNT; r++)
      early.sgpr[r] |= read.sgpr[r] & !written.sgpr[r];
    add_results(&written, at);
  }
  for (int r = 0; r < ALL_VGPRS; r++)
    early.vgpr[r] &= written.vgpr[r];
  for (int r = 0; r < SGPR_COUNT; r++)
    early.sgpr[r] &= written.sgpr[r];
  return early;
}

// Whether the load may go elsewhere in the next round.
static bool moves_on(Program *program, const Instruction *load, const Instruction *begin,
                     const Instruction *end) {
  Dependent on = {.registers = carried_on(program, begin, end)};
  for (const Instruction *at = begin; at && at != load; at = behind(program, at))
    pass_on(&on, at);
  return registers_name_some(&on.registers, &load->a) ||
         registers_name_some(&on.registers, &load->b) ||
         registers_name_some(&on.registers, &load->e);
}

// Whether the load stands in a loop that else changes nothing, always loads from there, and ends by it.
bool flag_load_in_loop(Program *program, const Instruction *load) {
  const Instruction *end = loop_end(program, load);
  Dependent on = {0};
  bool ends = false;
  if (!end)
    return false;
  for (int round = 0; round < 2; round++)
    for (const Instruction *at = target_of(program, end); at && at <= end;
         at = behind(program, at)) {
      if (at != load && changes_something(at))
        return false;
      pass_on(&on, at);
      if (at == load)
        registers_add(&on.registers, &load->d);
      ends = ends || (at->info->unit == UNIT_BRANCH && decides(&on, at));
    }
  return ends && !moves_on(program, load, target_of(program, end), end);
}

// The last instruction from the first on that writes it.
static const Instruction *last_write(Program *program, const Instruction *first,
                                     const Instruction *end, const Operand *what) {
  const Instruction *last = NULL;
  for (const Instruction *at = first; at && at < end; at = behind(program, at)) {
    Registers written = {0};
    registers_add(&written, &at->d);
    last = registers_name_some(&written, what) ? at : last;
  }
  return last;
}

// What the operand is before an instruction behind the load, where it comes, by moves and by sums with constants, from a
// constant or from a scalar register as it is at the load.
static bool computed_since(const Wavefront *w, Program *program, const Instruction *load,
                           const Instruction *end, Operand what, uint32_t *value) {
  uint32_t sum = 0;
  what.registers = 1;
  for (const Instruction *by; (by = last_write(program, load, end, &what)); end = by) {
    const bool whole = by->info->unit == UNIT_SALU || (by->info->unit == UNIT_VALU && by->plain),
               adds =
                   strstr(by->info->mnemonic, "_add_i32") || strstr(by->info->mnemonic, "_add_u32");
    const Operand *added = by->a.kind == OPERAND_CONSTANT ? &by->a : &by->b;
    if (!whole || (!adds && !strstr(by->info->mnemonic, "_mov_b32")) ||
        (adds && added->kind != OPERAND_CONSTANT))
      return false;
    sum += adds ? (uint32_t)added->value : 0;
    what = adds && added == &by->a ? by->b : by->a;
  }
  const bool known =
      what.kind == OPERAND_CONSTANT || (what.kind == OPERAND_SGPR && what.index < SGPR_COUNT && w);
  *value =
      !known ? 0 : sum + (what.kind == OPERAND_SGPR ? w->sgpr[what.index] : (uint32_t)what.value);
  return known;
}

// The first load of a loop may stand before it. The second may have its address computed anew.
static bool waits(const Wavefront *w, Program *program, const Instruction *load, uint32_t address) {
  bool same = true; // register of addresses
  const Instruction *at = load;
  for (int n = 0; at && n < FARTHEST; n++, at = behind(program, at)) {
    uint32_t anew;
    Registers written = {0};
    const bool alike = at->info == load->info && at->a.kind == load->a.kind;
    const bool there =
        alike && ((same && at->a.index == load->a.index && at->offset == load->offset) ||
                  (computed_since(w, program, load, at, at->a, &anew) &&
                   anew + (uint32_t)at->offset == address + (uint32_t)load->offset));
    if (there && flag_load_in_loop(program, at))
      return true;
    registers_add(&written, &at->d);
    same = same && !registers_name_some(&written, &load->a);
  }
  return false;
}

static bool guesses(Program *program, const Instruction *load) {
  const Instruction *at = load;
  for (int n = 0; at && n < FARTHEST; n++, at = behind(program, at))
    if (compares_and_swaps(at) && at->info->unit == load->info->unit &&
        at->offset == load->offset && loop_end(program, at))
      return true;
  return false;
}

bool compares_and_swaps(const Instruction *in) {
  return strstr(in->info->mnemonic, "cmpst") || strstr(in->info->mnemonic, "cmpswap");
}

// The new value, or what the old one is compared with, is made of what the round before brought; where it goes to is not.
static bool makes_of_old(Program *program, const Instruction *swap) {
  const Instruction *end = compares_and_swaps(swap) ? loop_end(program, swap) : NULL;
  if (!end)
    return false;
  Dependent on = {.registers = carried_on(program, target_of(program, end), end)};
  for (const Instruction *at = target_of(program, end); at && at != swap; at = behind(program, at))
    pass_on(&on, at);
  return (registers_name_some(&on.registers, &swap->c) ||
          registers_name_some(&on.registers, &swap->e)) &&
         !registers_name_some(&on.registers, &swap->a);
}

LoadRole flag_load_role(const Wavefront *w, Program *program, const Instruction *load,
                        uint32_t address) {
  enum { UNKNOWN, KNOWN }; // KNOWN + role
  uint8_t *known = &program_slot(program, load)->load_role;
  uint8_t role = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (role == UNKNOWN) {
    const bool sums = makes_of_old(program, load);
    role = (uint8_t)(KNOWN + (!sums && waits(w, program, load, address) ? LOAD_WAITS
                              : guesses(program, load)                  ? LOAD_GUESSES
                                                                        : LOAD_GOES_ON));
    __atomic_store_n(known, role, __ATOMIC_RELAXED);
  }
  return role - KNOWN;
}

// Whether something reads the registers behind the instruction, as far as anybody looks.
static bool is_read_behind(Program *program, const Instruction *in, const Operand *what) {
  Registers wanted = {0};
  registers_add(&wanted, what);
  const Instruction *at = behind(program, in);
  for (int n = 0; at && n < FARTHEST; n++, at = behind(program, at)) {
    const Operand *operand[READ_OPERANDS];
    for (int i = operands_read(at, operand); i--;)
      if (registers_name_some(&wanted, operand[i]))
        return true;
    if (registers_name_some(&wanted, &at->d))
      return false;
  }
  return false;
}

bool flag_load_sums(Program *program, const Instruction *swap) {
  return makes_of_old(program, swap) && !is_read_behind(program, loop_end(program, swap), &swap->d);
}

static bool accesses_memory(const Instruction *in) {
  return in->info->action != MEMORY_NONE &&
         (in->info->unit == UNIT_GLOBAL || in->info->unit == UNIT_FLAT ||
          in->info->unit == UNIT_BUFFER);
}

// A swap has two values, of which the second is compared with what is there.
static bool compares_with(const Instruction *swap, const Operand *value) {
  return swap->c.kind == value->kind && swap->c.index + swap->c.registers / 2 == value->index;
}

bool flag_load_begins_sum(Program *program, const Instruction *load) {
  const Instruction *at = behind(program, load);
  for (int n = 0; at && n < FARTHEST && !accesses_memory(at); n++)
    at = behind(program, at);
  return at && at->info->unit == load->info->unit && flag_load_sums(program, at) &&
         compares_with(at, &load->d);
}
