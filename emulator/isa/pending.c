// Results on their way: see pending.h.
#include "pending.h"

#include "source_line.h"

#include <stdio.h>

enum { VMCNT_BITS = 6, LGKMCNT_BITS = 4 }; // CDNA2 ISA, s_waitcnt

static bool is_vector(const Operand *operand) {
  return operand->kind == OPERAND_VGPR || operand->kind == OPERAND_VGPR_MODIFIED;
}

_Noreturn static void refuse(Wavefront *w, bool destination, char file, int number,
                             const Instruction *loader, const char *counter) {
  char line[160];
  source_line(w->thread->program, w->thread->launch->kernel, loader, line, sizeof line);
  wavefront_fault(w, FAULT_SANITIZER, -1,
                  "%s register %c%d, which the %s at %s may not have written yet: between the two "
                  "s_waitcnt %s is missing, so the device may %s",
                  destination ? "overwrites" : "reads", file, number, loader->info->mnemonic, line,
                  counter, destination ? "lose what is written" : "give an older value");
}

// Numbers go on from wave to wave, and round.
static bool on_its_way(const Outstanding *counter, u32 number) {
  return number - counter->done - 1 < counter->issued - counter->done;
}

// At most so many are left. Which ones is known where they come in their order.
static void wait(Outstanding *counter, u32 most) {
  if (most && on_its_way(counter, counter->any_order))
    return;
  if (counter->issued - counter->done > most)
    counter->done = counter->issued - most;
}

bool pending_vector(const Shadow *shadow, int r, Waits after) {
  Outstanding vm = shadow->vm, lgkm = shadow->lgkm;
  wait(&vm, after.vm);
  wait(&lgkm, after.lgkm);
  return on_its_way(&vm, shadow->vm_result[r]) || on_its_way(&lgkm, shadow->lgkm_result[r]);
}

// Loads of one counter come back in order: a second one may be under way to the same register.
static void check_vector(Wavefront *w, const Operand *operand, bool destination, bool vm,
                         bool lgkm) {
  const Shadow *shadow = w->shadow;
  for (int i = 0; is_vector(operand) && i < operand->registers; i++) {
    const int r = operand->index + i;
    const char file = r < AGPR_BASE ? 'v' : 'a';
    if (vm && on_its_way(&shadow->vm, shadow->vm_result[r]))
      refuse(w, destination, file, r % AGPR_BASE, shadow->loader[r], "vmcnt");
    if (lgkm && on_its_way(&shadow->lgkm, shadow->lgkm_result[r]))
      refuse(w, destination, file, r % AGPR_BASE, shadow->loader[r], "lgkmcnt");
  }
}

static void check_scalar(Wavefront *w, const Operand *operand, bool destination) {
  const Shadow *shadow = w->shadow;
  for (int i = 0; operand->kind == OPERAND_SGPR && i < operand->registers; i++) {
    const int r = operand->index + i;
    if (r < SGPR_COUNT && shadow->scalar_load[r])
      refuse(w, destination, 's', r, shadow->scalar_loader[r], "lgkmcnt(0)");
  }
}

void pending_check(Wavefront *w, const Instruction *in) {
  const Shadow *shadow = w->shadow;
  if (shadow->vm.done == shadow->vm.issued && shadow->lgkm.done == shadow->lgkm.issued)
    return;
  const Operand *source[] = {&in->a, &in->b, &in->c, &in->e, condition_of(in)};
  for (int i = 0; i < 5; i++) {
    check_vector(w, source[i], false, true, true);
    check_scalar(w, source[i], false);
  }
  check_vector(w, &in->d, true, !uses_vm(in) || in->info->unit == UNIT_FLAT,
               in->info->unit != UNIT_LDS);
  check_scalar(w, &in->d, true);
  check_scalar(w, &in->m, true);
}

void pending_wait(Shadow *shadow, Waits waits) {
  wait(&shadow->vm, waits.vm);
  wait(&shadow->lgkm, waits.lgkm);
  if (waits.lgkm == 0)
    memset(shadow->scalar_load, 0, sizeof shadow->scalar_load);
}

static void note_vector(Shadow *shadow, const Instruction *in, u32 *result, u32 number) {
  for (int i = 0; is_vector(&in->d) && i < in->d.registers; i++) {
    result[in->d.index + i] = number;
    shadow->loader[in->d.index + i] = in;
  }
}

static void note_scalars(Shadow *shadow, const Instruction *in) {
  for (int r = in->d.index;
       in->d.kind == OPERAND_SGPR && r < in->d.index + in->d.registers && r < SGPR_COUNT; r++) {
    shadow->scalar_load[r] = true;
    shadow->scalar_loader[r] = in;
  }
}

// A wave issues no more than its counters can count, vmcnt in 6 bits and lgkmcnt in 4, until something has come back. Compilers
// take what is left of the oldest for done then, whatever order results come in.
static void limit(Outstanding *counter, u32 bits) {
  const u32 most = 1u << bits, under_way = counter->issued - counter->done;
  if (under_way > most)
    counter->done = counter->issued - most;
}

void pending_note(Wavefront *w, const Instruction *in) {
  Shadow *shadow = w->shadow;
  const Waits more = results_of(in);
  Waits waits;
  shadow->vm.issued += more.vm;
  shadow->lgkm.issued += more.lgkm;
  limit(&shadow->vm, VMCNT_BITS);
  limit(&shadow->lgkm, LGKMCNT_BITS);
  if (comes_in_any_order(in, true))
    shadow->vm.any_order = shadow->vm.issued;
  if (comes_in_any_order(in, false) && more.lgkm)
    shadow->lgkm.any_order = shadow->lgkm.issued;
  if (more.vm)
    note_vector(shadow, in, shadow->vm_result, shadow->vm.issued);
  if (in->info->unit == UNIT_LDS || (more.vm && more.lgkm))
    note_vector(shadow, in, shadow->lgkm_result, shadow->lgkm.issued);
  if (in->info->unit == UNIT_SMEM)
    note_scalars(shadow, in);
  if (waits_of(in, &waits))
    pending_wait(shadow, waits);
}
