// What code a kernel may reach: see reached_code.h.
#include "reached_code.h"

#include "block.h"
#include "wavefront.h"

#include <stdlib.h>

enum { MOST_WORDS = 1 << 18 }; // of an object's code: 1 MiB

// Words of the code that are still to be looked at; none comes twice.
typedef struct {
  uint32_t *index, count;
} Stack;

enum { REACHED = 1, BRANCHED_TO = 2, FUNCTION = 4, KERNEL = 8 }; // bits for each word

typedef struct {
  Program *program;
  uint64_t address;
  uint32_t words;
  uint64_t
      kernel_end; // words: no way leads on there, but a call that does not come back stands before it
  uint8_t *word;
  Stack lines, functions;
} Code;

static const Instruction *decoded(const Code *code, uint64_t index) {
  char message[512];
  const Instruction *in =
      index < code->words ? program_at(code->program, code->address + 4 * index) : NULL;
  return in && program_decode(code->program, in, message, sizeof message) ? in : NULL;
}

// Does nothing where the index leads out of the code.
static void push(Code *code, Stack *to, uint64_t index, uint8_t bit) {
  if (index >= code->words || code->word[index] & bit)
    return;
  code->word[index] |= bit;
  to->index[to->count++] = (uint32_t)index;
}

static bool adds_constant(const Instruction *in, const char *mnemonic, int index) {
  return in && begins_with(in, mnemonic) && in->d.index == index && in->a.kind == OPERAND_SGPR &&
         in->a.index == index && in->b.kind == OPERAND_CONSTANT;
}

// The code at an address that is made of where the program stands and a distance: s_getpc_b64, s_add_u32, s_addc_u32, one
// behind the other (LLVM, SIInstrInfo.cpp, SI_PC_ADD_REL_OFFSET). Of the first of the three; code->words if it names none.
static uint64_t named_by(const Code *code, uint64_t index, const Instruction *in) {
  if (!begins_with(in, "s_getpc"))
    return code->words;
  const uint64_t behind = index + in->words;
  const Instruction *low = decoded(code, behind),
                    *high = low ? decoded(code, behind + low->words) : NULL;
  if (!adds_constant(low, "s_add_u32", in->d.index) ||
      !adds_constant(high, "s_addc_u32", in->d.index + 1))
    return code->words;
  const uint64_t at = 4 * behind + (high->b.value << 32 | (uint32_t)low->b.value);
  return at % 4 == 0 && at / 4 < code->words ? at / 4 : code->words;
}

static bool is_end(const Instruction *in) {
  return begins_with(in, "s_setpc") || begins_with(in, "s_endpgm") ||
         strcmp(in->info->mnemonic, "s_branch") == 0;
}

static uint64_t target_of(uint64_t index, const Instruction *in) {
  return index + in->words + (uint64_t)(int64_t)in->offset;
}

static void push_ways(Code *code, uint64_t index, const Instruction *in) {
  if (begins_with(in, "s_call"))
    push(code, &code->functions, target_of(index, in), FUNCTION);
  else if (in->info->unit == UNIT_BRANCH && strcmp(in->info->operands, "x") == 0)
    push(code, &code->lines, target_of(index, in), BRANCHED_TO);
  push(code, &code->functions, named_by(code, index, in), FUNCTION);
}

typedef struct {
  bool wanted, host;
} Found;

// Calls that do not come back, as that behind assert(), may stand last.
static bool belongs_to_others(const Code *code, uint64_t index) {
  return index >= code->words || index == code->kernel_end ||
         code->word[index] & (FUNCTION | KERNEL);
}

// To the next end, or to where it has been.
static void follow_line(Code *code, uint64_t index, Wanted *wanted, Found *found) {
  const Instruction *in;
  while ((in = decoded(code, index)) && !(code->word[index] & REACHED)) {
    code->word[index] |= REACHED;
    push_ways(code, index, in);
    found->wanted |= wanted(code->program, in);
    found->host |= begins_with(in, "s_sendmsg");
    index += in->words;
    if (is_end(in) || belongs_to_others(code, index))
      return;
  }
}

static Found follow_function(Code *code, uint32_t entry, Wanted *wanted) {
  Found found = {0};
  push(code, &code->lines, entry, BRANCHED_TO);
  while (code->lines.count)
    follow_line(code, code->lines.index[--code->lines.count], wanted, &found);
  return found;
}

// ---- calls of what no instruction names ----

// Registers that hold half of an address that an instruction names.
typedef struct {
  bool half[SGPR_COUNT];
} Names;

static bool is_named(const Names *names, const Operand *pair) {
  return pair->kind == OPERAND_SGPR && pair->index + 1 < SGPR_COUNT && names->half[pair->index] &&
         names->half[pair->index + 1];
}

static void set_names(Names *names, const Operand *to, const Operand *moved) {
  const Names before = *names;
  for (int r = 0; to->kind == OPERAND_SGPR && r < to->registers && to->index + r < SGPR_COUNT; r++)
    names->half[to->index + r] = moved && moved->kind == OPERAND_SGPR &&
                                 moved->index + r < SGPR_COUNT && before.half[moved->index + r];
}

// Functions return by s[30:31] (AMDGPUUsage.rst, "Non-Kernel Functions").
static bool jumps_anywhere(const Code *code, const Names *names, uint64_t index,
                           const Instruction *in) {
  enum { RETURN_ADDRESS = 30 };
  if (begins_with(in, "s_call"))
    return target_of(index, in) >= code->words;
  return (begins_with(in, "s_swappc") ||
          (begins_with(in, "s_setpc") && in->a.index != RETURN_ADDRESS)) &&
         !is_named(names, &in->a);
}

static bool some_jumps_anywhere(const Code *code) {
  Names names = {0};
  for (uint64_t index = 0; index < code->words;) {
    const bool reached = code->word[index] & REACHED;
    const Instruction *in = reached ? decoded(code, index) : NULL;
    if (!in || code->word[index] & BRANCHED_TO)
      names = (Names){0};
    if (in && jumps_anywhere(code, &names, index, in))
      return true;
    if (in) {
      set_names(&names, &in->d, begins_with(in, "s_mov_b") ? &in->a : NULL);
      set_names(&names, &in->m, NULL);
    }
    if (in && named_by(code, index, in) < code->words) {
      names.half[in->d.index] = names.half[in->d.index + 1] = true;
      index += in->words + decoded(code, index + in->words)->words;
      in = decoded(code, index);
    }
    index += in ? in->words : 1;
  }
  return false;
}

// ---- all together ----

static Reaches look(Code *code, const Kernel *kernel, Wanted *wanted, bool without_host) {
  const CodeObject *object = kernel->object;
  const uint64_t entry = (kernel->entry - code->address) / 4;
  for (size_t i = 0; i < object->kernel_count; i++)
    if (object->kernels[i].entry - code->address < 4ull * code->words)
      code->word[(object->kernels[i].entry - code->address) / 4] |= KERNEL;
  if (entry >= code->words) // in a section of its own
    return REACHES_UNKNOWN;
  push(code, &code->functions, entry, FUNCTION);
  while (code->functions.count) {
    const uint32_t function = code->functions.index[--code->functions.count];
    const Found found = follow_function(code, function, wanted);
    if (found.wanted && !(found.host && without_host && function != entry))
      return REACHES_ONE;
  }
  return some_jumps_anywhere(code) ? REACHES_UNKNOWN : REACHES_NONE;
}

Reaches reached_code_has(Program *program, const Kernel *kernel, Wanted *wanted,
                         bool without_host) {
  const CodeObject *object = kernel->object;
  const uint64_t words = object->text_size / 4;
  if (words > MOST_WORDS)
    return REACHES_UNKNOWN;
  Code code = {.program = program,
               .address = object->text_address,
               .words = (uint32_t)words,
               .kernel_end = (kernel->entry + kernel->code_size - object->text_address) / 4,
               .word = calloc(words, 1),
               .lines.index = malloc(words * sizeof(uint32_t)),
               .functions.index = malloc(words * sizeof(uint32_t))};
  const bool memory = code.word && code.lines.index && code.functions.index;
  const Reaches reaches = memory ? look(&code, kernel, wanted, without_host) : REACHES_UNKNOWN;
  free(code.word);
  free(code.lines.index);
  free(code.functions.index);
  return reaches;
}
