// Where a wave can come to: see way_out.h.
#include "way_out.h"

#include "block.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const CodeObject *object;
  const Instruction **next; // still to be looked at: each is there once
  size_t count;
  bool *seen;                           // by slot
  bool (*found)(const Instruction *in); // ends the search
} Search;

static void go_on_at(Search *search, const Instruction *in) {
  bool *seen =
      &search->seen[(program_address(search->object->program, in) - search->object->text_address) /
                    4];
  if (!*seen)
    search->next[search->count++] = in;
  *seen = true;
}

static bool ends_wave(const Instruction *in) {
  return begins_with(in, "s_endpgm") || begins_with(in, "s_trap");
}

static bool updates_memory(const Instruction *in) {
  return in->info->action == MEMORY_ATOMIC && in->info->unit != UNIT_LDS;
}

// False if it is found, or nobody knows.
static bool follow(Search *search, const Instruction *in) {
  char message[512];
  if (!program_decode(search->object->program, in, message, sizeof message))
    return false;
  const bool branches = in->info->unit == UNIT_BRANCH && strcmp(in->info->operands, "x") == 0;
  if (search->found(in) || (in->info->unit == UNIT_BRANCH && !branches))
    return false;
  if (branches)
    go_on_at(search, in + in->words + in->offset);
  if (strcmp(in->info->mnemonic, "s_branch") != 0 && !ends_wave(in))
    go_on_at(search, in + in->words);
  return true;
}

static bool leads_to(const CodeObject *object, const Instruction *from,
                     bool (*found)(const Instruction *in)) {
  if (program_object(object->program, from) != object)
    return true; // from a function of another object it comes back
  const size_t slots = program_slots(object->program) + 1; // one behind the code
  Search search = {.object = object,
                   .next = malloc(slots * sizeof *search.next),
                   .seen = calloc(slots, sizeof *search.seen),
                   .found = found};
  bool inside = search.next && search.seen;
  if (inside)
    go_on_at(&search, from);
  while (inside && search.count)
    inside = follow(&search, search.next[--search.count]);
  free(search.next);
  free(search.seen);
  return !inside;
}

bool way_out(const CodeObject *object, const Instruction *from) {
  return leads_to(object, from, ends_wave);
}

bool way_to_update(const CodeObject *object, const Instruction *from) {
  return leads_to(object, from, updates_memory);
}
