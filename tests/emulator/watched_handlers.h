// Which handlers of the interpreter are called, also by translated code, which leaves some instructions to them.
//
// In: a program whose instructions have been reached once, and are not yet translated. Out: how many of the watched instructions
// called theirs. One program at a time.
#ifndef TESTS_EMULATOR_WATCHED_HANDLERS_H
#define TESTS_EMULATOR_WATCHED_HANDLERS_H

#include "program.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

enum { MOST_WATCHED = 1024 };
static bool handler_called[MOST_WATCHED]; // by instruction

static void execute_watched(Wavefront *w, const Instruction *in) {
  handler_called[in->id] = true;
  in->info->execute(w, in);
}

static inline void watch_handlers(Program *program, bool (*wanted)(const Instruction *in)) {
  for (uint32_t id = 0; id < program_instruction_count(program); id++) {
    const Instruction *in = program_instruction(program, id);
    cr_assert(lt(u32, id, MOST_WATCHED));
    if (wanted(in))
      program_slot(program, in)->execute = execute_watched;
  }
}

static inline void forget_handlers(void) { memset(handler_called, 0, sizeof handler_called); }

static inline int handlers_called(void) {
  int count = 0;
  for (uint32_t id = 0; id < MOST_WATCHED; id++)
    count += handler_called[id];
  return count;
}

#endif
