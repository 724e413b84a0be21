// Blocks whose operands are defined: see defined_block.h.
#include "defined_block.h"

#include "pending.h"

static bool some_on_their_way(const Shadow *shadow, const BlockRegisters *registers) {
  const RegisterList *vector = &registers->vgpr_touched, *scalar = &registers->sgpr_touched;
  if (shadow->vm.done == shadow->vm.issued && shadow->lgkm.done == shadow->lgkm.issued)
    return false;
  bool some = false;
  for (uint32_t i = 0; i < vector->count; i++)
    some = some || pending_vector(shadow, vector->number[i], registers->after[i]);
  for (uint32_t i = 0; i < scalar->count; i++)
    some = some || shadow->scalar_load[scalar->number[i]];
  return some;
}

static bool all_defined(const Wavefront *w, const BlockRegisters *registers) {
  const Shadow *shadow = w->shadow;
  u64 lanes = 0;
  u32 scalars = registers->scc_read && shadow->scc;
  for (uint32_t i = 0; i < registers->vgpr_read.count; i++)
    lanes |= shadow->undefined[registers->vgpr_read.number[i]];
  for (uint32_t i = 0; i < registers->sgpr_read.count; i++)
    scalars |= shadow->sgpr[registers->sgpr_read.number[i]];
  return !(lanes & w->exec) && !scalars;
}

// What is computed counts as defined from the begin on: what reads it comes behind.
static void define(Wavefront *w, const BlockRegisters *registers) {
  Shadow *shadow = w->shadow;
  for (uint32_t i = 0; i < registers->vgpr_defined.count; i++)
    shadow->undefined[registers->vgpr_defined.number[i]] &= ~w->exec;
  for (uint32_t i = 0; i < registers->sgpr_defined.count; i++)
    shadow->sgpr[registers->sgpr_defined.number[i]] = 0;
  shadow->scc = shadow->scc && !registers->scc_defined;
}

bool defined_block_enter(Wavefront *w, const BlockRegisters *registers) {
  const bool missed_barrier = registers->memory && (w->exec & w->shadow->missed);
  if (missed_barrier || !all_defined(w, registers) || some_on_their_way(w->shadow, registers))
    return false;
  define(w, registers);
  return true;
}
