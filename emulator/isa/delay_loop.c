// Loops that only let time pass: see delay_loop.h.
//
// The compiler lays a loop out behind its head, mostly: so the head is where the first branch leads back to that comes behind
// the instruction and leads to it or before it. The loop is all that can come from the head back to it without going before it.
#include "delay_loop.h"

#include "block.h"

#include <string.h>

enum { MOST = 1024 }; // slots of a loop; dividing 64-bit integers takes 300

typedef struct {
  Program *program;
  const Instruction *head;
  bool seen[MOST], inside[MOST]; // by slot behind the head
} Loop;

static bool is_decoded(Program *program, const Instruction *in) {
  char message[512];
  return program_decode(program, in, message, sizeof message);
}

// With a target that the instruction itself names.
static bool is_branch(const Instruction *in) {
  return in->info->unit == UNIT_BRANCH && strcmp(in->info->operands, "x") == 0;
}

static const Instruction *target_of(const Instruction *branch) {
  return branch + branch->words + branch->offset;
}

static const Instruction *find_head(Program *program, const Instruction *in) {
  for (const Instruction *at = in; at - in < MOST && is_decoded(program, at); at += at->words)
    if (is_branch(at) && target_of(at) <= in)
      return in - target_of(at) < MOST ? target_of(at) : NULL;
  return NULL;
}

static bool ends_way(const Instruction *in) {
  return begins_with(in, "s_endpgm") || begins_with(in, "s_trap") || begins_with(in, "s_setpc");
}

static bool inside(const Loop *loop, const Instruction *in) {
  const ptrdiff_t slot = in - loop->head;
  return slot == 0 || (slot > 0 && slot < MOST && loop->inside[slot]);
}

// Whether a way from here leads back to the head, as far as is known: what follows was looked at before.
static bool leads_back(const Loop *loop, const Instruction *in) {
  return !ends_way(in) &&
         ((is_branch(in) && inside(loop, target_of(in))) ||
          (strcmp(in->info->mnemonic, "s_branch") != 0 && inside(loop, in + in->words)));
}

// Marks what can be reached from the head, decoding it. False if something cannot be decoded.
static bool reach(Loop *loop) {
  const Instruction *next[MOST + 1];
  size_t count = 0;
  next[count++] = loop->head;
  while (count) {
    const Instruction *in = next[--count];
    const ptrdiff_t slot = in - loop->head;
    if (slot < 0 || slot >= MOST || loop->seen[slot])
      continue;
    if (!is_decoded(loop->program, in))
      return false;
    loop->seen[slot] = true;
    if (!ends_way(in) && strcmp(in->info->mnemonic, "s_branch") != 0)
      next[count++] = in + in->words;
    if (is_branch(in))
      next[count++] = target_of(in);
  }
  return true;
}

// Of what was reached, marks what leads back.
static void mark_inside(Loop *loop) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int slot = MOST - 1; slot >= 0; slot--)
      if (loop->seen[slot] && !loop->inside[slot] && leads_back(loop, loop->head + slot))
        loop->inside[slot] = changed = true;
  }
}

static bool does_something(const Instruction *in) {
  return in->info->action != MEMORY_NONE || in->info->unit == UNIT_LDS ||
         (in->info->unit == UNIT_BRANCH && !is_branch(in));
}

bool delay_loop(Program *program, const Instruction *in) {
  Loop loop = {.program = program, .head = find_head(program, in)};
  if (!loop.head || !reach(&loop))
    return false;
  mark_inside(&loop);
  for (int slot = 0; slot < MOST; slot++)
    if (loop.inside[slot] && does_something(loop.head + slot))
      return false;
  return loop.inside[in - loop.head];
}
