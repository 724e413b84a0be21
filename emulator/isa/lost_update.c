// Stores of changed values: see lost_update.h.
#include "lost_update.h"

#include "block.h"
#include "block_registers.h"
#include "lanes.h"

#include <string.h>

enum { FARTHEST = 64 }; // instructions that are looked at
enum {
  NOTHING,
  LOOKED_AT,
  WRITES_BACK,
  WRITES_BACK_FROM_0
}; // Instruction.update; 0: where its VGPR is 0

// Which registers depend on what was loaded, and in which of them another number than that may stand.
typedef struct {
  Registers loaded, changed;
} Values;

// Done twice, it gives another value than done once.
static bool changes(const Instruction *in) {
  static const char *const part[] = {"add", "sub", "mul", "fma", "mad", "mac", "xor", "lshl"};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++)
    if (strstr(in->info->mnemonic, part[i]))
      return true;
  return false;
}

static void take_out(Registers *registers, const Operand *operand) {
  bool *of = operand->kind == OPERAND_VGPR   ? registers->vgpr
             : operand->kind == OPERAND_SGPR ? registers->sgpr
                                             : NULL;
  if (of)
    memset(&of[operand->index], 0, operand->registers);
}

static bool reads_some(const Instruction *in, const Registers *registers) {
  const Operand *operand[READ_OPERANDS];
  bool some = false;
  for (int i = operands_read(in, operand); i--;)
    some = some || registers_name_some(registers, operand[i]);
  return some;
}

static void follow(Values *values, const Instruction *in) {
  const bool of_loaded = reads_some(in, &values->loaded),
             of_changed = reads_some(in, &values->changed);
  take_out(&values->loaded, &in->d);
  take_out(&values->changed, &in->d);
  if (of_loaded)
    registers_add(&values->loaded, &in->d);
  if (of_loaded && (of_changed || changes(in)))
    registers_add(&values->changed, &in->d);
}

// Where the load went: its registers may hold other values since.
typedef struct {
  const Instruction *load;
  bool offset_stays, base_stays;
  bool uniform;     // in all lanes that were on it had
  uint32_t address; // this offset
  struct {
    bool known;
    uint32_t value;
  } constant[ALL_VGPRS]; // what was moved into registers since
} Place;

static bool is_uniform(const Wavefront *w, const Operand *operand, uint32_t *value) {
  if (operand->kind != OPERAND_VGPR || !w->exec)
    return false;
  const u32 *row = w->vgpr[operand->index];
  *value = row[__builtin_ctzll(w->exec)];
  bool alike = true;
  FOR_LANES_OF(w->exec) alike = alike && row[lane] == *value;
  return alike;
}

static bool overwrites(const Instruction *in, const Operand *operand) {
  Registers registers = {0};
  registers_add(&registers, operand);
  return registers_name_some(&registers, &in->d);
}

static void move_on(Place *place, const Instruction *in) {
  place->offset_stays = place->offset_stays && !overwrites(in, &place->load->a);
  place->base_stays = place->base_stays && !overwrites(in, &place->load->b);
  for (int r = 0; in->d.kind == OPERAND_VGPR && r < in->d.registers; r++)
    place->constant[in->d.index + r].known = false;
  if (strcmp(in->info->mnemonic, "v_mov_b32") == 0 && in->plain && in->d.kind == OPERAND_VGPR &&
      in->a.kind == OPERAND_CONSTANT) {
    place->constant[in->d.index].known = true;
    place->constant[in->d.index].value = (uint32_t)in->a.value;
  }
}

static bool same_register(const Operand *a, const Operand *b) {
  return a->kind == b->kind && a->index == b->index;
}

static bool has_offset(const Place *place, const Operand *operand) {
  const bool vgpr = operand->kind == OPERAND_VGPR;
  return (place->offset_stays && same_register(operand, &place->load->a)) ||
         (vgpr && place->uniform && place->constant[operand->index].known &&
          place->constant[operand->index].value == place->address);
}

// Whether the store goes where the load went; see NOTHING.
static int kind_of(const Place *place, const Instruction *store) {
  const Instruction *load = place->load;
  if (store->info->action != MEMORY_STORE || !place->base_stays)
    return NOTHING;
  if (load->info->unit == UNIT_SMEM)
    return store->info->unit == UNIT_GLOBAL && place->offset_stays &&
                   same_register(&load->a, &store->b) && load->b.kind == OPERAND_CONSTANT &&
                   (int32_t)load->b.value == store->offset
               ? WRITES_BACK_FROM_0
               : NOTHING;
  return load->info->unit == store->info->unit && load->offset == store->offset &&
                 has_offset(place, &store->a) && same_register(&load->b, &store->b)
             ? WRITES_BACK
             : NOTHING;
}

// Straight on, into the branch that a condition leads to, too.
static bool goes_on(const Instruction *in) {
  const bool enters = begins_with(in, "s_cbranch_exec") && in->offset > 0;
  return (in->info->unit != UNIT_BRANCH || enters) && in->info->unit != UNIT_MESSAGE &&
         !in->info->calls && !is_barrier(in);
}

static void look(const Wavefront *w, Program *program, const Instruction *load) {
  Place place = {.load = load, .offset_stays = true, .base_stays = true};
  Values values = {0};
  char message[512];
  place.uniform = is_uniform(w, &load->a, &place.address);
  registers_add(&values.loaded, &load->d);
  const Instruction *at = load;
  for (int n = 0; n < FARTHEST && goes_on(at); n++) {
    move_on(&place, at);
    at += at->words;
    if (!program_decode(program, at, message, sizeof message))
      return;
    const int kind = kind_of(&place, at);
    if (kind && registers_name_some(&values.changed, &at->c)) {
      __atomic_store_n(&program_slot(program, at)->update, (uint8_t)kind, __ATOMIC_RELAXED);
      return;
    }
    follow(&values, at);
  }
}

void lost_update_look(const Wavefront *w, const Instruction *load) {
  Program *program = w->thread->program;
  uint8_t *mark = &program_slot(program, load)->update;
  if (__atomic_load_n(mark, __ATOMIC_RELAXED) != NOTHING)
    return;
  __atomic_store_n(mark, LOOKED_AT, __ATOMIC_RELAXED);
  look(w, program, load);
}

bool lost_update_by(const Wavefront *w, const Instruction *store, int lane) {
  const uint8_t mark = __atomic_load_n(&store->update, __ATOMIC_RELAXED);
  return mark == WRITES_BACK || (mark == WRITES_BACK_FROM_0 && w->vgpr[store->a.index][lane] == 0);
}
