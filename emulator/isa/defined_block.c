// Blocks whose operands are defined: see defined_block.h.
#include "defined_block.h"

#include "pending.h"
#include "undefined_operand.h"

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

// ---- what is carried through ----

// As it is when the block begins.
typedef struct {
  u64 lanes, computed;
  Origin origin;
} Undefined;

static u64 lanes_carried(const Wavefront *w, const BlockRegisters *registers) {
  u64 lanes = 0;
  for (uint32_t i = 0; i < registers->carried_from_count; i++)
    lanes |= w->shadow->undefined[registers->carried_from[i]];
  return lanes & w->exec;
}

// Some bits of a register would need a look at each instruction.
static bool all_whole(const Wavefront *w, const BlockRegisters *registers) {
  const Shadow *shadow = w->shadow;
  u64 parts = 0;
  for (uint32_t i = 0; i < registers->carried_from_count; i++)
    parts |=
        shadow->undefined[registers->carried_from[i]] & ~shadow->whole[registers->carried_from[i]];
  return !(parts & w->exec);
}

static Undefined carried(const Wavefront *w, const uint16_t *from, uint32_t count) {
  const Shadow *shadow = w->shadow;
  Undefined all = {0};
  for (uint32_t i = 0; i < count; i++) {
    const u64 lanes = shadow->undefined[from[i]] & w->exec;
    all.origin = lanes && !all.lanes ? shadow->origin[from[i]] : all.origin;
    all.lanes |= lanes;
    all.computed |= lanes & shadow->computed[from[i]];
  }
  return all;
}

static void undefine(Wavefront *w, const Carried *to, const Undefined *undefined) {
  Shadow *shadow = w->shadow;
  const u64 lanes = undefined->lanes, computed = to->computed ? lanes : undefined->computed;
  if (!lanes)
    return;
  if (to->to >= ALL_VGPRS) {
    const Operand scalar = {
        .kind = OPERAND_SGPR, .registers = 1, .index = (uint16_t)(to->to - ALL_VGPRS)};
    shadow->sgpr[scalar.index] = (u32)(lanes >> 32 * to->half);
    undefined_note_scalars(shadow, &scalar, undefined->origin, true);
    return;
  }
  shadow->undefined[to->to] |= lanes;
  shadow->whole[to->to] |= lanes;
  shadow->computed[to->to] = (shadow->computed[to->to] & ~lanes) | computed;
  shadow->origin[to->to] = undefined->origin;
}

static void define_and_carry(Wavefront *w, const BlockRegisters *registers) {
  Undefined undefined[MOST_CARRIED];
  for (uint32_t i = 0; i < registers->carried_count; i++) {
    const Carried *to = &registers->carried[i];
    undefined[i] = carried(w, &registers->carried_from[to->first], to->count);
  }
  define(w, registers);
  for (uint32_t i = 0; i < registers->carried_count; i++)
    undefine(w, &registers->carried[i], &undefined[i]);
}

bool defined_block_enter(Wavefront *w, const BlockRegisters *registers) {
  const bool missed_barrier = registers->memory && (w->exec & w->shadow->missed);
  if (missed_barrier || !all_defined(w, registers) || some_on_their_way(w->shadow, registers))
    return false;
  const bool carries = lanes_carried(w, registers);
  if (carries && !all_whole(w, registers))
    return false;
  if (carries)
    define_and_carry(w, registers);
  else
    define(w, registers);
  return true;
}
