// Registers that are read behind a block: see block_live.h.
#include "block_live.h"

#include "block.h"
#include "lane_function.h"

#include <string.h>

enum { MOST_WAYS = 96, MOST_INSTRUCTIONS = 4096 };

// The walk from one instruction to the next branch, with what was overwritten on the way to it.
typedef struct {
  const Instruction *first;
  bool other_lanes; // EXEC has changed: what is overwritten from now on may be so in part
  bool overwritten[ALL_VGPRS];
} Way;

typedef struct {
  LiveRegisters live;
  Overwrites *overwrites;
  bool all; // there are too many ways
  uint32_t instructions, ways;
  Way way[MOST_WAYS];
} Walk;

bool names_sources(const Instruction *in) {
  const Unit unit = in->info->unit;
  return unit == UNIT_VALU || unit == UNIT_MFMA || unit == UNIT_SMEM ||
         (touches_memory(in) && unit != UNIT_IMAGE) ||
         (unit == UNIT_SALU && lane_function(in->info));
}

static bool vector_register(const Operand *operand) {
  return operand->kind == OPERAND_VGPR || operand->kind == OPERAND_VGPR_MODIFIED;
}

static void read(Walk *walk, const Way *way, const Operand *operand) {
  const int registers = operand->registers ? operand->registers : 1;
  for (int r = operand->index; vector_register(operand) && r < operand->index + registers; r++)
    walk->live.vgpr[r] |= !way->overwritten[r];
}

static bool changes_lanes(const Instruction *in) {
  return names_exec(&in->d) || names_exec(&in->m) || strstr(in->info->mnemonic, "exec") ||
         begins_with(in, "v_cmpx");
}

// What nobody knows might read all that was not overwritten on the way to it.
static void read_all(Walk *walk, const Way *way) {
  for (int r = 0; r < ALL_VGPRS; r++)
    walk->live.vgpr[r] |= !way->overwritten[r];
}

// What an instruction does to the registers; false: nobody knows.
static bool pass(Walk *walk, Way *way, const Instruction *in) {
  const Unit unit = in->info->unit;
  if (unit == UNIT_INTERNAL || branch_of(in))
    return true;
  if (!names_sources(in))
    return false;
  const Operand *source[] = {&in->a, &in->b, &in->c, &in->e, &in->d};
  const bool overwrites = walk->overwrites(in);
  for (int i = 0; i < 5 - overwrites; i++)
    read(walk, way, source[i]);
  for (int r = in->d.index; vector_register(&in->d) && r < in->d.index + in->d.registers; r++)
    way->overwritten[r] |= overwrites && !way->other_lanes;
  way->other_lanes |= changes_lanes(in);
  return true;
}

// Whether a way from there was gone already on which no more was overwritten.
static bool gone(const Walk *walk, const Way *way) {
  for (uint32_t i = 0; i < walk->ways; i++) {
    const Way *other = &walk->way[i];
    bool less = other->first == way->first && other->other_lanes >= way->other_lanes;
    for (int r = 0; less && r < ALL_VGPRS; r++)
      less = other->overwritten[r] <= way->overwritten[r];
    if (less)
      return true;
  }
  return false;
}

static void add(Walk *walk, Way *way, const Instruction *first) {
  way->first = first;
  if (gone(walk, way))
    return;
  if (walk->ways == MOST_WAYS)
    walk->all = true;
  else
    walk->way[walk->ways++] = *way;
}

// To the places that follow the last instruction of a block.
static void go_on(Walk *walk, Way *way, const Instruction *last) {
  const Instruction *to[2];
  const int places = block_leads_to(last, to);
  if (is_barrier(last))
    add(walk, way, last + last->words);
  else if (places == 0 && !begins_with(last, "s_endpgm"))
    read_all(walk, way);
  for (int i = 0; i < places; i++)
    add(walk, way, to[i]);
}

static void go(Walk *walk, Way way) {
  const Instruction *in = way.first;
  for (; __atomic_load_n(&in->execute, __ATOMIC_ACQUIRE); in += in->words) {
    walk->all |= ++walk->instructions > MOST_INSTRUCTIONS;
    if (walk->all || begins_with(in, "s_endpgm"))
      return;
    if (!pass(walk, &way, in))
      break;
    if (branch_of(in)) {
      go_on(walk, &way, in);
      return;
    }
  }
  read_all(walk, &way);
}

static LiveRegisters finish(Walk *walk) {
  for (uint32_t i = 0; i < walk->ways && !walk->all; i++)
    go(walk, walk->way[i]);
  if (walk->all)
    memset(&walk->live, true, sizeof walk->live);
  return walk->live;
}

LiveRegisters live_at(const Instruction *in, Overwrites *overwrites) {
  Walk walk = {.overwrites = overwrites};
  Way way = {0};
  add(&walk, &way, in);
  return finish(&walk);
}

LiveRegisters live_behind(const Instruction *first, uint32_t count, Overwrites *overwrites) {
  Walk walk = {.overwrites = overwrites};
  Way way = {0};
  for (const Instruction *in = first; count; count--, in += in->words) {
    way.other_lanes |= changes_lanes(in);
    if (count == 1)
      go_on(&walk, &way, in);
  }
  return finish(&walk);
}
