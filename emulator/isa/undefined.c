// Uninitialised values: see undefined.h.
#include "undefined.h"

#include "block.h"
#include "block_registers.h"
#include "carries.h"
#include "undefined_memory.h"
#include "undefined_operand.h"
#include "undefined_trial.h"

static bool reads_undefined(const Wavefront *w, const Instruction *in) {
  const Shadow *shadow = w->shadow;
  // v_readlane, matrix products: lanes that are not active count, too.
  const bool all = in->info->unit == UNIT_MFMA || in->d.kind == OPERAND_SGPR;
  const u64 lanes = all ? ~0ull : w->exec;
  const Operand *operand[READ_OPERANDS];
  const int operands = operands_read(in, operand);
  u64 undefined = 0;
  bool scalar = shadow->scc && reads_scc(in);
  for (int i = 0; i < operands; i++) {
    undefined |= undefined_lanes(shadow, operand[i]);
    scalar = scalar || undefined_scalar(shadow, operand[i]);
  }
  if ((shadow->sgpr[SGPR_VCC] | shadow->sgpr[SGPR_VCC + 1]) && begins_with(in, "v_div_fmas"))
    scalar = true;
  return scalar || (undefined & lanes);
}

// Whose registers or modes depend on values so that a trial would fault.
static bool cannot_be_tried(const Instruction *in) {
  return begins_with(in, "s_movrel") || begins_with(in, "s_setreg") || begins_with(in, "s_set_gpr");
}

// It writes one lane, active or not.
static void write_lane(Wavefront *w, const Instruction *in) {
  const u64 lane = 1ull << (scalar_u32(w, &in->b) & (LANES - 1));
  Shadow *shadow = w->shadow;
  const u32 bits = in->a.kind == OPERAND_SGPR ? shadow->sgpr[in->a.index] : 0;
  in->execute(w, in);
  shadow->undefined[in->d.index] = (shadow->undefined[in->d.index] & ~lane) | (bits ? lane : 0);
  shadow->whole[in->d.index] &= ~lane;
  shadow->bits[in->d.index][__builtin_ctzll(lane)] = bits;
  shadow->computed[in->d.index] &= ~lane;
  if (undefined_scalar_computed(shadow, &in->a))
    shadow->computed[in->d.index] |= lane;
}

static void swap_lanes(u64 *a, u64 *b, u64 lanes) {
  const u64 different = (*a ^ *b) & lanes;
  *a ^= different;
  *b ^= different;
}

// v_swap_b32, the one instruction with two registers of results: each is as defined as the other was.
static void swap_registers(Wavefront *w, const Instruction *in) {
  Shadow *shadow = w->shadow;
  const int a = in->a.index, d = in->d.index;
  const Origin origin = shadow->origin[a];
  in->execute(w, in);
  swap_lanes(&shadow->undefined[a], &shadow->undefined[d], w->exec);
  swap_lanes(&shadow->whole[a], &shadow->whole[d], w->exec);
  swap_lanes(&shadow->computed[a], &shadow->computed[d], w->exec);
  for (u64 lanes = w->exec; lanes; lanes &= lanes - 1) {
    const int lane = __builtin_ctzll(lanes);
    const u32 bits = shadow->bits[a][lane];
    shadow->bits[a][lane] = shadow->bits[d][lane];
    shadow->bits[d][lane] = bits;
  }
  shadow->origin[a] = shadow->origin[d];
  shadow->origin[d] = origin;
}

// A matrix product that is added to what is wholly undefined stays so, and is computed; trials of it are slow.
static bool stays_undefined(const Wavefront *w, const Instruction *in) {
  bool undefined =
      in->info->unit == UNIT_MFMA && operand_is_vector(&in->c) && in->c.index == in->d.index;
  for (int r = 0; undefined && r < in->c.registers; r++)
    undefined = w->shadow->undefined[in->c.index + r] == ~0ull;
  return undefined;
}

// Whether nothing undefined takes part but what the instruction carries on, as whole registers.
static bool only_carries(const Wavefront *w, const Instruction *in, const Carry *carry, int count) {
  const Shadow *shadow = w->shadow;
  Operand need[MOST_NEEDS];
  u64 lanes = 0;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < carry[i].sources; k++)
      lanes |= shadow->undefined[carry[i].from[k]] & ~shadow->whole[carry[i].from[k]];
  for (int i = count ? carries_need(in, need) : 0; i--;) {
    lanes |= undefined_lanes(shadow, &need[i]);
    lanes |= undefined_scalar(shadow, &need[i]) ? ~0ull : 0;
  }
  return count && !(lanes & w->exec);
}

static u64 lanes_carried(const Wavefront *w, const Carry *carry, u64 *computed, Origin *origin) {
  const Shadow *shadow = w->shadow;
  u64 all = 0;
  *computed = 0;
  for (int k = 0; k < carry->sources; k++) {
    const u64 lanes = shadow->undefined[carry->from[k]] & w->exec;
    *origin = lanes && !all ? shadow->origin[carry->from[k]] : *origin;
    *computed |= carry->copies ? lanes & shadow->computed[carry->from[k]] : lanes;
    all |= lanes;
  }
  return all;
}

static void carry_on(Wavefront *w, const Instruction *in, const Carry *carry, int count) {
  Shadow *shadow = w->shadow;
  u64 lanes[MOST_CARRIES], computed[MOST_CARRIES];
  Origin origin[MOST_CARRIES] = {0};
  for (int i = 0; i < count; i++)
    lanes[i] = lanes_carried(w, &carry[i], &computed[i], &origin[i]);
  in->execute(w, in);
  undefined_define(w, in);
  for (int i = 0; i < count; i++) {
    const int to = carry[i].to;
    const Operand *bits = carry[i].lane_bit;
    shadow->undefined[to] |= lanes[i];
    shadow->whole[to] = (shadow->whole[to] & ~w->exec) | lanes[i];
    shadow->computed[to] = (shadow->computed[to] & ~lanes[i]) | computed[i];
    if (lanes[i])
      shadow->origin[to] = origin[i];
    for (int r = 0; bits && bits->kind == OPERAND_SGPR && r < bits->registers; r++)
      shadow->sgpr[bits->index + r] = (u32)(lanes[i] >> 32 * r);
    if (bits)
      undefined_note_scalars(shadow, bits, origin[i], true);
  }
}

void undefined_compute(Wavefront *w, const Instruction *in) {
  const bool one_lane = operand_is_vector(&in->d) && !operand_is_vector(&in->a) &&
                        !operand_is_vector(&in->b) && in->b.kind != OPERAND_NONE &&
                        begins_with(in, "v_writelane");
  if (one_lane) {
    write_lane(w, in);
  } else if (swaps_registers(in)) {
    swap_registers(w, in);
  } else if (stays_undefined(w, in)) {
    in->execute(w, in);
    for (int r = 0; r < in->d.registers; r++)
      w->shadow->computed[in->d.index + r] = ~0ull;
  } else if (reads_undefined(w, in) && !cannot_be_tried(in)) {
    Carry carry[MOST_CARRIES];
    const int count = carries_of(in, carry);
    if (only_carries(w, in, carry, count))
      carry_on(w, in, carry, count);
    else
      undefined_try(w, in);
  } else {
    in->execute(w, in);
    undefined_define(w, in);
  }
}

// ---- uses ----

static void check_branch(Wavefront *w, const Instruction *in) {
  static const char use[] = "which way the wave goes depends on";
  static const char jump[] = "jumps to an address that depends on";
  static const char back[] =
      "jumps to an address (where the source is right, -fno-optimize-sibling-calls may help, for "
      "clang 15 loses where some calls at the end of a function lead) that depends on";
  const Shadow *shadow = w->shadow;
  const u64 unknown = shadow->sgpr[SGPR_VCC] | (u64)shadow->sgpr[SGPR_VCC + 1] << 32;
  if (shadow->scc && strstr(in->info->mnemonic, "_scc"))
    undefined_refuse(w, -1, use, &shadow->scc_origin);
  if (unknown && !(w->vcc & ~unknown) && strstr(in->info->mnemonic, "_vcc"))
    undefined_refuse(w, __builtin_ctzll(unknown), use,
                     &shadow->sgpr_origin[SGPR_VCC + (shadow->sgpr[SGPR_VCC] == 0)]);
  if (undefined_scalar(shadow, &in->a))
    undefined_refuse(w, -1, begins_with(in, "s_setpc") ? back : jump,
                     undefined_origin(shadow, &in->a, 0));
}

static void check_address(Wavefront *w, const Instruction *in) {
  static const char use[] = "the address of a memory access depends on";
  const Shadow *shadow = w->shadow;
  const bool scalar = in->info->unit == UNIT_SMEM;
  const Operand *operand[] = {&in->a, in->info->unit == UNIT_LDS ? &in->a : &in->b,
                              in->info->unit == UNIT_BUFFER ? &in->e : &in->a};
  if (in->info->unit == UNIT_LDS && undefined_computes_unused(w))
    return;
  for (int i = 0; (scalar || w->exec) && i < 3; i++) {
    const u64 lanes = undefined_lanes(shadow, operand[i]) & w->exec;
    if (lanes)
      undefined_refuse(w, __builtin_ctzll(lanes), use, undefined_origin(shadow, operand[i], lanes));
    if (undefined_scalar(shadow, operand[i]) && operand[i]->kind == OPERAND_SGPR)
      undefined_refuse(w, -1, use, undefined_origin(shadow, operand[i], 0));
  }
}

void undefined_check_use(Wavefront *w, const Instruction *in) {
  if (in->info->unit == UNIT_BRANCH)
    check_branch(w, in);
  else if (in->info->action != MEMORY_NONE || (in->info->unit == UNIT_SMEM && in->a.registers))
    check_address(w, in);
}
