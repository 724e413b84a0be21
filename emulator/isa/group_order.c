// Order among workgroups: see group_order.h.
#include "group_order.h"

#include "flag_load.h"

#include <stdlib.h>

typedef bool Wanted(Program *program, const Instruction *in);

static bool is_shared(const Instruction *in) {
  return in->info->unit == UNIT_GLOBAL || in->info->unit == UNIT_FLAT ||
         in->info->unit == UNIT_BUFFER;
}

static bool hands_on(Program *program, const Instruction *in) { // with glc it brings the old value
  return is_shared(in) && in->info->action == MEMORY_ATOMIC && in->glc &&
         !flag_load_sums(program, in);
}

static bool waits_for_flag(Program *program, const Instruction *in) {
  return is_shared(in) && in->info->action == MEMORY_LOAD && flag_load(program, in);
}

// Between functions may stand anything.
static bool has_between(Program *program, uint64_t begin, uint64_t end, Wanted *wanted) {
  char message[512];
  uint32_t words = 1;
  for (uint64_t at = begin; at < end; at += 4u * words) {
    const Instruction *in = program_at(program, at);
    const bool known = in && program_decode(program, in, message, sizeof message);
    if (known && wanted(program, in))
      return true;
    words = known ? in->words : 1;
  }
  return false;
}

static bool may_know(Program *program, const Kernel *kernel) {
  enum { LARGE = 1 << 20 }; // bytes of code, which are not looked through
  const CodeObject *object = kernel->object;
  if (program_watches_memory(program, kernel))
    return true;
  if (!program_calls(program, kernel))
    return has_between(program, kernel->entry, kernel->entry + kernel->code_size, hands_on);
  return object->text_size > LARGE ||
         has_between(program, object->text_address, object->text_address + object->text_size,
                     hands_on);
}

bool group_order_by_values(Program *program, const Kernel *kernel) {
  void **note = program_note(program, kernel, NOTE_ORDER);
  if (!note)
    return may_know(program, kernel);
  if (!*note) {
    bool *known = malloc(sizeof *known);
    if (!known)
      return may_know(program, kernel);
    *known = may_know(program, kernel);
    *note = known;
  }
  return *(bool *)*note;
}

bool group_order_by_flags(Program *program, const Kernel *kernel) {
  return has_between(program, kernel->entry, kernel->entry + kernel->code_size, waits_for_flag);
}
