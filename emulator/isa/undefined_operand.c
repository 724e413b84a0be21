// Uninitialised values in registers: see undefined_operand.h.
#include "undefined_operand.h"

#include "bits.h"
#include "block_registers.h"
#include "device_memory.h"
#include "source_line.h"

#include <stdio.h>

// ---- saying where a value came from ----

static void describe_memory(u64 address, char *text, size_t size) {
  int64_t distance;
  const Allocation *at = device_memory_nearest(address, &distance);
  if (at && distance == 0)
    snprintf(text, size, "memory at address 0x%llx, %llu bytes into the %s of %llu bytes at 0x%llx",
             address + 0ull, address - at->address + 0ull, at->name ? at->name : "allocation",
             at->size + 0ull, at->address + 0ull);
  else
    snprintf(text, size, "memory at address 0x%llx", address + 0ull);
}

static void describe_origin(const Wavefront *w, const Origin *origin, char *text, size_t size) {
  char line[160], memory[160];
  if (!origin->in) {
    snprintf(text, size, "a register that nothing was written to: of a variable without a value");
    return;
  }
  source_line(w->thread->program, w->thread->launch->kernel, origin->in, line, sizeof line);
  if (wavefront_in_lds(w, origin->address))
    snprintf(text, size, "LDS byte %llu, read at %s, where %s",
             origin->address - (u64)w->group->lds + 0ull, line,
             bit_is_set(w->group->shadow->computed, (origin->address - (u64)w->group->lds) / 4)
                 ? "a thread of the block has stored a result of another uninitialised value: look "
                   "for an element of a __shared__ array (or of a thread's own, which the compiler "
                   "may keep there) that is read before any thread has written it"
                 : "no thread of the block has written a value until then: none does, or "
                   "__syncthreads() is missing before it is read");
  else if (wavefront_in_scratch(w, origin->address))
    snprintf(text, size,
             bit_is_set(w->shadow->scratch_computed, (origin->address - (u64)w->scratch) / 4)
                 ? "private memory of the thread (a variable or array, or what the compiler keeps "
                   "there), read at %s, where it has stored a result of another uninitialised "
                   "value: look for an element that is read before it is written"
                 : "a variable or array of the thread, read at %s, that has no value",
             line);
  else {
    describe_memory(origin->address, memory, sizeof memory);
    snprintf(text, size, "%s, read at %s, where nobody has written a value", memory, line);
  }
}

_Noreturn void undefined_refuse(Wavefront *w, int lane, const char *use, const Origin *origin) {
  char from[480];
  describe_origin(w, origin, from, sizeof from);
  wavefront_fault(w, FAULT_SANITIZER, lane, "%s an uninitialised value. It comes from %s", use,
                  from);
}

// ---- operands ----

// Lanes in which a bit of the operand is undefined.
u64 undefined_lanes(const Shadow *shadow, const Operand *operand) {
  const u64 *undefined = &shadow->undefined[operand->index];
  u64 lanes = 0;
  if (!operand_is_vector(operand))
    return 0;
  if (operand->registers <= 2)
    return undefined[0] | undefined[operand->registers - 1];
  for (int r = 0; r < operand->registers; r++)
    lanes |= undefined[r];
  return lanes;
}

bool undefined_scalar(const Shadow *shadow, const Operand *operand) {
  u32 bits = 0;
  if (operand->kind <= OPERAND_VGPR_MODIFIED || operand->kind == OPERAND_CONSTANT)
    return false;
  if (operand->kind == OPERAND_SGPR)
    for (int r = 0; r < operand->registers && operand->index + r < SGPR_COUNT; r++)
      bits |= shadow->sgpr[operand->index + r];
  if (operand->kind == OPERAND_SPECIAL && operand->index == SPECIAL_SCC)
    bits = shadow->scc;
  if (operand->kind == OPERAND_SPECIAL && operand->index == SPECIAL_VCCZ)
    bits = shadow->sgpr[SGPR_VCC] | shadow->sgpr[SGPR_VCC + 1];
  return bits;
}

// Whether what is undefined of a scalar operand is more than a copy.
bool undefined_scalar_computed(const Shadow *shadow, const Operand *operand) {
  bool computed = false;
  if (operand->kind == OPERAND_SGPR)
    for (int r = operand->index; r < operand->index + operand->registers && r < SGPR_COUNT; r++)
      computed = computed || (shadow->sgpr[r] && shadow->sgpr_computed[r]);
  if (operand->kind == OPERAND_SPECIAL && operand->index == SPECIAL_SCC)
    computed = shadow->scc && shadow->scc_computed;
  return computed;
}

const Origin *undefined_origin(const Shadow *shadow, const Operand *operand, u64 lanes) {
  for (int r = 0; operand_is_vector(operand) && r < operand->registers; r++)
    if (shadow->undefined[operand->index + r] & lanes)
      return &shadow->origin[operand->index + r];
  for (int r = 0; operand->kind == OPERAND_SGPR && r < operand->registers; r++)
    if (operand->index + r < SGPR_COUNT && shadow->sgpr[operand->index + r])
      return &shadow->sgpr_origin[operand->index + r];
  if (operand->kind == OPERAND_SPECIAL && undefined_scalar(shadow, operand))
    return operand->index == SPECIAL_SCC
               ? &shadow->scc_origin
               : &shadow->sgpr_origin[SGPR_VCC + (shadow->sgpr[SGPR_VCC] == 0)];
  return NULL;
}

// The destinations are defined where the instruction writes.
void undefined_define(Wavefront *w, const Instruction *in) {
  Shadow *shadow = w->shadow;
  const u64 kept = in->info->unit == UNIT_MFMA ? 0 : ~w->exec;
  for (int r = 0; operand_is_vector(&in->d) && r < in->d.registers; r++)
    shadow->undefined[in->d.index + r] &= kept;
  for (int r = 0; in->d.kind == OPERAND_SGPR && r < in->d.registers; r++)
    shadow->sgpr[in->d.index + r] = 0;
  for (int r = 0; in->m.kind == OPERAND_SGPR && r < in->m.registers; r++)
    shadow->sgpr[in->m.index + r] = 0;
  shadow->scc = shadow->scc && !writes_scc(in);
}

void undefined_note_scalars(Shadow *shadow, const Operand *to, Origin origin, bool computed) {
  for (int r = to->index; to->kind == OPERAND_SGPR && r < to->index + to->registers; r++) {
    shadow->sgpr_origin[r] = origin;
    shadow->sgpr_computed[r] = computed;
  }
}
