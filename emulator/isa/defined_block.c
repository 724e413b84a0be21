// Blocks whose operands are defined: see defined_block.h.
#include "defined_block.h"

#include "pending.h"

static bool some_on_their_way(const Shadow *shadow, const BlockRegisters *registers) {
  if (shadow->vm.done == shadow->vm.issued && shadow->lgkm.done == shadow->lgkm.issued)
    return false;
  bool some = false;
  for (uint32_t i = 0; i < registers->reads; i++)
    some = some || pending_vector(shadow, registers->read[i], registers->read_after[i]);
  for (uint32_t i = 0; i < registers->writes; i++)
    some = some || pending_vector(shadow, registers->written[i], registers->written_after[i]);
  for (uint32_t i = 0; i < registers->sgprs; i++)
    some = some || (shadow->scalar_load[registers->sgpr[i]] && registers->sgpr_after[i].lgkm);
  return some;
}

bool defined_block_may_run(const Wavefront *w, const BlockRegisters *registers) {
  const Shadow *shadow = w->shadow;
  u64 undefined = 0;
  u32 scalars = registers->scc_read && shadow->scc;
  for (uint32_t i = 0; i < registers->reads; i++)
    undefined |= shadow->undefined[registers->read[i]];
  for (uint32_t i = 0; i < registers->sgprs; i++)
    scalars |= registers->sgpr_read[registers->sgpr[i]] ? shadow->sgpr[registers->sgpr[i]] : 0;
  return !(undefined & w->exec) && !scalars && !some_on_their_way(shadow, registers);
}

void defined_block_ran(Wavefront *w, const BlockRegisters *registers) {
  Shadow *shadow = w->shadow;
  pending_wait(shadow, registers->waits);
  for (uint32_t i = 0; i < registers->writes; i++)
    shadow->undefined[registers->written[i]] &= ~w->exec;
  shadow->scc = shadow->scc && !registers->scc_written;
  for (uint32_t i = 0; i < registers->sgprs; i++)
    if (registers->sgpr_written[registers->sgpr[i]])
      shadow->sgpr[registers->sgpr[i]] = 0;
}
