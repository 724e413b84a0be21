// Uninitialised values: see undefined.h.
#include "undefined.h"

#include "block.h"
#include "block_registers.h"
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

// The compiler computes 32-bit indices as sums of 64 bits, whose addend has above it whatever stood in the register. That
// reaches nothing but the upper half of the sum, and the carry.
static bool knows_lower_half(const Wavefront *w, const Instruction *in) {
  const Shadow *shadow = w->shadow;
  const u64 *addend = &shadow->undefined[in->c.index];
  return (begins_with(in, "v_mad_u64_u32") || begins_with(in, "v_mad_i64_i32")) &&
         operand_is_vector(&in->c) && !undefined_scalar(shadow, &in->a) &&
         !undefined_scalar(shadow, &in->b) &&
         !((undefined_lanes(shadow, &in->a) | undefined_lanes(shadow, &in->b) | addend[0] |
            (addend[1] & ~shadow->whole[in->c.index + 1])) &
           w->exec);
}

static void lose_upper_half(Wavefront *w, const Instruction *in) {
  Shadow *shadow = w->shadow;
  const u64 lanes = shadow->undefined[in->c.index + 1] & w->exec;
  const Origin origin = shadow->origin[in->c.index + 1];
  const int upper = in->d.index + 1;
  in->execute(w, in);
  undefined_define(w, in);
  shadow->undefined[upper] |= lanes;
  shadow->whole[upper] |= lanes;
  shadow->computed[upper] |= lanes;
  shadow->origin[upper] = origin;
  for (int r = 0; in->m.kind == OPERAND_SGPR && r < in->m.registers; r++)
    shadow->sgpr[in->m.index + r] = (u32)(lanes >> 32 * r);
  undefined_note_scalars(shadow, &in->m, origin, true);
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
    if (knows_lower_half(w, in))
      lose_upper_half(w, in);
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
  const Shadow *shadow = w->shadow;
  const u64 unknown = shadow->sgpr[SGPR_VCC] | (u64)shadow->sgpr[SGPR_VCC + 1] << 32;
  if (shadow->scc && strstr(in->info->mnemonic, "_scc"))
    undefined_refuse(w, -1, use, &shadow->scc_origin);
  if (unknown && !(w->vcc & ~unknown) && strstr(in->info->mnemonic, "_vcc"))
    undefined_refuse(w, __builtin_ctzll(unknown), use,
                     &shadow->sgpr_origin[SGPR_VCC + (shadow->sgpr[SGPR_VCC] == 0)]);
  if (undefined_scalar(shadow, &in->a))
    undefined_refuse(w, -1, "jumps to an address that depends on",
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
