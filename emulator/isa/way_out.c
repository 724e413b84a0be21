// Ways out of loops: see way_out.h.
#include "way_out.h"

#include "block.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const CodeObject *object;
  const Instruction **next; // still to be looked at: each is there once
  size_t count;
  bool *seen; // by slot
} Search;

static void go_on_at(Search *search, const Instruction *in) {
  bool *seen =
      &search->seen[(program_address(search->object->program, in) - search->object->text_address) /
                    4];
  if (!*seen)
    search->next[search->count++] = in;
  *seen = true;
}

// False if nobody knows, or a wave ends there.
static bool follow(Search *search, const Instruction *in) {
  char message[512];
  if (!program_decode(search->object->program, in, message, sizeof message))
    return false;
  const bool branches = in->info->unit == UNIT_BRANCH && strcmp(in->info->operands, "x") == 0;
  if (begins_with(in, "s_endpgm") || begins_with(in, "s_trap") ||
      (in->info->unit == UNIT_BRANCH && !branches && !begins_with(in, "s_getpc")))
    return false;
  if (branches)
    go_on_at(search, in + in->words + in->offset);
  if (strcmp(in->info->mnemonic, "s_branch") != 0)
    go_on_at(search, in + in->words);
  return true;
}

bool way_out(const CodeObject *object, const Instruction *from) {
  if (program_object(object->program, from) != object)
    return true; // from a function of another object it comes back
  const size_t slots = program_slots(object->program) + 1; // one behind the code
  Search search = {.object = object,
                   .next = malloc(slots * sizeof *search.next),
                   .seen = calloc(slots, sizeof *search.seen)};
  bool inside = search.next && search.seen;
  if (inside)
    go_on_at(&search, from);
  while (inside && search.count)
    inside = follow(&search, search.next[--search.count]);
  free(search.next);
  free(search.seen);
  return !inside;
}
