// Atomics that commute: see commuting.h.
//
// An address is followed back to the arguments it is made of: through straight code to the
// instruction that wrote the register, beyond a jump's target to all that ever write it. What comes
// out of memory counts as a number; an address that is made of numbers alone is not understood, and
// one thing that is not understood is enough for no.
#include "commuting.h"

#include "device_memory.h"

#include <stdlib.h>
#include <string.h>

// What a register's value is made of: pointers among the arguments, a bit each, and these.
typedef uint64_t Roots;
static const Roots NOT_UNDERSTOOD = 1ull << 63, ARGUMENTS = 1ull << 62, SETUP = 1ull << 61;
enum { MOST_POINTERS = 60, REGISTERS = SGPR_COUNT + 2 * AGPR_BASE, REASON = 512 };

typedef struct {
  const Kernel *kernel;
  const Instruction **in; // the kernel's instructions, in the order of their addresses
  bool *target;           // whether a jump leads there, or no way from the one before it
  Roots *made_of;         // what the instruction reads, for as much as goes into its results
  uint32_t count;
  Roots first[SGPR_COUNT];  // what registers hold when a wave begins
  Roots written[REGISTERS]; // that, and what any instruction writes
} Code;

static bool is(const Instruction *in, const char *part) {
  return strstr(in->info->mnemonic, part) != NULL;
}

// The first register of an operand among all registers, or REGISTERS.
static uint32_t first_register(const Operand *operand) {
  if (operand->kind == OPERAND_SGPR)
    return operand->index;
  return operand->kind == OPERAND_VGPR || operand->kind == OPERAND_VGPR_MODIFIED
             ? SGPR_COUNT + operand->index
             : REGISTERS;
}

static bool covers(const Operand *operand, uint32_t reg) {
  uint32_t first = first_register(operand);
  return first != REGISTERS && reg >= first && reg < first + operand->registers;
}

static bool writes(const Instruction *in, uint32_t reg) {
  return covers(&in->d, reg) || covers(&in->m, reg);
}

static bool writes_exec(const Instruction *in) {
  return is(in, "exec_") || is(in, "v_cmpx") || writes(in, SGPR_EXEC) || writes(in, SGPR_EXEC + 1);
}

static Roots argument_at(const Kernel *kernel, uint64_t offset) {
  for (size_t i = 0; i < kernel->argument_count; i++) {
    const KernelArgument *argument = &kernel->arguments[i];
    if (argument->is_pointer && offset - argument->offset < argument->size)
      return i < MOST_POINTERS ? 1ull << i : NOT_UNDERSTOOD;
  }
  return 0;
}

// What an instruction leaves in a register that it writes.
static Roots result(const Code *code, uint32_t index, uint32_t reg) {
  const Instruction *in = code->in[index];
  if (in->info->action != MEMORY_NONE || in->info->unit == UNIT_LDS)
    return 0;
  if (in->info->unit != UNIT_SMEM)
    return code->made_of[index];
  if (!(code->made_of[index] & ARGUMENTS))
    return 0;
  if (code->made_of[index] != ARGUMENTS || in->b.kind != OPERAND_CONSTANT)
    return NOT_UNDERSTOOD;
  return argument_at(code->kernel, in->b.value + 4ull * (reg - first_register(&in->d)));
}

// The register before the instruction. One lane's register may keep what it was while lanes are
// switched off.
static Roots value_before(const Code *code, uint32_t index, uint32_t reg) {
  Roots roots = 0;
  bool lanes_changed = false;
  if (reg == SGPR_EXEC || reg == SGPR_EXEC + 1)
    return 0;
  while (index && !code->target[index]) {
    const Instruction *in = code->in[--index];
    if (writes(in, reg)) {
      roots |= result(code, index, reg);
      bool all_lanes = !lanes_changed && in->plain && !is(in, "v_writelane");
      if (reg < SGPR_COUNT || all_lanes)
        return roots;
    }
    lanes_changed |= writes_exec(in);
  }
  bool begins = index == 0 && !code->target[0];
  return roots | (!begins ? code->written[reg] : reg < SGPR_COUNT ? code->first[reg] : 0);
}

static Roots operand_before(const Code *code, uint32_t index, const Operand *operand) {
  Roots roots = 0;
  uint32_t first = first_register(operand);
  for (uint32_t i = 0; first != REGISTERS && i < operand->registers; i++)
    roots |= value_before(code, index, first + i);
  return roots;
}

static Roots sources(const Code *code, uint32_t index) {
  const Instruction *in = code->in[index];
  if (is(in, "s_getpc"))
    return NOT_UNDERSTOOD;
  if (in->info->unit == UNIT_SMEM)
    return operand_before(code, index, &in->a);
  if (in->info->action != MEMORY_NONE || in->info->unit == UNIT_LDS)
    return 0;
  return operand_before(code, index, &in->a) | operand_before(code, index, &in->b) |
         operand_before(code, index, &in->c) | operand_before(code, index, &in->e);
}

// What stands in the registers when a wave begins: see initial_state.c.
static void set_up(Code *code) {
  enum { PRIVATE_BUFFER = 1, DISPATCH_PTR = 2, QUEUE_PTR = 4, KERNARG_PTR = 8 };
  uint16_t wanted = code->kernel->code_properties;
  uint32_t next = 0, dwords = (wanted & PRIVATE_BUFFER ? 4 : 0) + (wanted & DISPATCH_PTR ? 2 : 0) +
                              (wanted & QUEUE_PTR ? 2 : 0);
  while (next < dwords)
    code->first[next++] = SETUP;
  if (wanted & KERNARG_PTR)
    code->first[next] = code->first[next + 1] = ARGUMENTS;
  memcpy(code->written, code->first, sizeof code->first);
}

// Until nothing changes: loops lead values back.
static void follow(Code *code) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < code->count; i++) {
      const Operand *results[] = {&code->in[i]->d, &code->in[i]->m};
      Roots made_of = code->made_of[i] | sources(code, i);
      changed |= made_of != code->made_of[i];
      code->made_of[i] = made_of;
      for (int k = 0; k < 2; k++)
        for (uint32_t reg = first_register(results[k]), end = reg + results[k]->registers;
             reg < end && reg < REGISTERS; reg++) {
          Roots all = code->written[reg] | result(code, i, reg);
          changed |= all != code->written[reg];
          code->written[reg] = all;
        }
    }
  }
}

// Operations of which each commutes with itself, and so that first gathering what they add, then
// adding that, is the same.
static const char *const commuting[] = {"add",  "add_x2",  "smin", "smin_x2", "umin", "umin_x2",
                                        "smax", "smax_x2", "umax", "umax_x2", "and",  "and_x2",
                                        "or",   "or_x2",   "xor",  "xor_x2"};
enum { PLAIN, KINDS = 1 + sizeof commuting / sizeof *commuting };

// What a kernel accesses through which arguments, wherever those lead.
typedef struct {
  bool understood;
  Roots of_kind[KINDS];
} Accesses;

// The kind of an access, or KINDS if its order matters even among its like.
static uint32_t kind_of(const Instruction *in) {
  if (in->info->action != MEMORY_ATOMIC)
    return PLAIN;
  const char *operation = strstr(in->info->mnemonic, "atomic_") + strlen("atomic_");
  for (uint32_t kind = PLAIN + 1; in->d.kind == OPERAND_NONE && kind < KINDS; kind++)
    if (strcmp(commuting[kind - 1], operation) == 0)
      return kind;
  return KINDS;
}

// Adds what the instruction accesses to the roots of its kind. False if that is not understood.
static bool add_access(const Code *code, uint32_t index, Roots *accessed) {
  const Instruction *in = code->in[index];
  const Roots pointers = (1ull << MOST_POINTERS) - 1;
  Roots roots = 0;
  switch (in->info->unit) {
  case UNIT_SMEM:
    roots = code->made_of[index];
    accessed[PLAIN] |= roots & pointers;
    return in->a.kind == OPERAND_NONE || (roots && !(roots & NOT_UNDERSTOOD));
  case UNIT_GLOBAL:
    roots = operand_before(code, index, in->b.kind == OPERAND_SGPR ? &in->b : &in->a);
    if (!(roots & pointers) || roots & NOT_UNDERSTOOD || kind_of(in) == KINDS)
      return false;
    accessed[kind_of(in)] |= roots & pointers;
    return true;
  case UNIT_BUFFER: // of a wave's own memory
    return in->info->action == MEMORY_NONE ||
           (in->info->action != MEMORY_ATOMIC && operand_before(code, index, &in->b) == SETUP);
  case UNIT_FLAT:
  case UNIT_IMAGE:
    return false;
  default:
    return true;
  }
}

// The allocation that an argument points into, or NULL.
static const Allocation *allocation_of(const Kernel *kernel, const void *arguments, int number) {
  uint64_t address;
  memcpy(&address, (const char *)arguments + kernel->arguments[number].offset, sizeof address);
  return device_memory_find(address, 1);
}

static bool apart(const Kernel *kernel, const void *arguments, Roots one, Roots other) {
  for (Roots a = one; a; a &= a - 1)
    for (Roots b = other; b; b &= b - 1) {
      const Allocation *of_a = allocation_of(kernel, arguments, __builtin_ctzll(a)),
                       *of_b = allocation_of(kernel, arguments, __builtin_ctzll(b));
      if (!of_a || !of_b || of_a == of_b)
        return false;
    }
  return true;
}

// Whether what is accessed in different ways lies in different allocations.
static bool all_apart(const Kernel *kernel, const void *arguments, const Accesses *accesses) {
  bool all = true;
  device_memory_hold();
  for (uint32_t a = PLAIN; a < KINDS; a++)
    for (uint32_t b = a + 1; b < KINDS; b++)
      all = all && apart(kernel, arguments, accesses->of_kind[a], accesses->of_kind[b]);
  device_memory_let_go();
  return all;
}

// Instructions that this file does not follow.
static bool is_strange(const Instruction *in) {
  bool jumps = in->info->unit == UNIT_BRANCH && !is(in, "branch");
  return jumps || in->info->calls || is(in, "movrel") || is(in, "gpr_idx") || is(in, "v_swap");
}

// Fills in the kernel's instructions and where jumps lead. False if there are strange ones.
static bool read_code(Code *code, Program *program, uint32_t slots) {
  char message[REASON];
  const Instruction *begin = program_at(program, code->kernel->entry);
  for (uint32_t at = 0; at < slots; at += begin[at].words) {
    const Instruction *in = begin + at;
    if (!program_decode(program, in, message, sizeof message) || is_strange(in))
      return false;
    code->in[code->count++] = in;
  }
  for (uint32_t i = 0; i < code->count; i++) {
    const Instruction *in = code->in[i];
    bool branch = in->info->unit == UNIT_BRANCH && is(in, "branch");
    const Instruction *to = branch ? in + in->words + in->offset : NULL;
    for (uint32_t k = 0; branch && k < code->count; k++)
      code->target[k] |= code->in[k] == to;
    if (i + 1 < code->count && (is(in, "s_branch") || is(in, "s_endpgm")))
      code->target[i + 1] = true;
  }
  return true;
}

static bool all_understood(const Code *code, Roots *accessed) {
  for (uint32_t i = 0; i < code->count; i++)
    if (!add_access(code, i, accessed))
      return false;
  return true;
}

static Accesses find_accesses(Program *program, const Kernel *kernel) {
  Accesses found = {.understood = false};
  uint32_t slots = (uint32_t)(kernel->code_size / 4);
  Code *code = calloc(1, sizeof *code);
  if (!code)
    return found;
  code->kernel = kernel;
  code->in = calloc(slots, sizeof *code->in);
  code->target = calloc(slots, sizeof *code->target);
  code->made_of = calloc(slots, sizeof *code->made_of);
  if (slots && code->in && code->target && code->made_of && read_code(code, program, slots)) {
    set_up(code);
    follow(code);
    found.understood = all_understood(code, found.of_kind);
  }
  free(code->in);
  free(code->target);
  free(code->made_of);
  free(code);
  return found;
}

// The code is looked at once: it may be launched a million times.
static Accesses accesses_of(Program *program, const Kernel *kernel) {
  Accesses **place = (Accesses **)program_note(program, kernel, NOTE_ACCESSES);
  if (place && *place)
    return **place;
  const Accesses found = find_accesses(program, kernel);
  if (place && (*place = malloc(sizeof found)))
    **place = found;
  return found;
}

bool atomics_commute(Program *program, const Kernel *kernel, const void *arguments) {
  const Accesses accesses = accesses_of(program, kernel);
  return accesses.understood && all_apart(kernel, arguments, &accesses);
}
