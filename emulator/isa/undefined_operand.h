// Which registers hold uninitialised values, and where those come from, for EMULATOR_SANITIZE=1: what the other modules of
// undefined.h read and write of a wave's shadow.
//
// In: operands of an instruction. Out: lanes and bits that are undefined; the sentence that ends the launch.
#ifndef EMULATOR_UNDEFINED_OPERAND_H
#define EMULATOR_UNDEFINED_OPERAND_H

#include "shadow.h"

static inline bool operand_is_vector(const Operand *operand) {
  return operand->kind == OPERAND_VGPR || operand->kind == OPERAND_VGPR_MODIFIED;
}

// Ends the launch: the lane does with the value what `use` says, "... depends on".
_Noreturn void undefined_refuse(Wavefront *w, int lane, const char *use, const Origin *origin);

// Lanes in which a bit of a vector operand is undefined.
u64 undefined_lanes(const Shadow *shadow, const Operand *operand);

// Whether a bit of a scalar one is, and whether what is undefined of it is more than a copy.
bool undefined_scalar(const Shadow *shadow, const Operand *operand);
bool undefined_scalar_computed(const Shadow *shadow, const Operand *operand);

// Where it comes from in these lanes; NULL if all is defined.
const Origin *undefined_origin(const Shadow *shadow, const Operand *operand, u64 lanes);

// The destinations are defined where the instruction writes.
void undefined_define(Wavefront *w, const Instruction *in);

// Where the undefined bits of a scalar destination come from, and whether arithmetic made them.
void undefined_note_scalars(Shadow *shadow, const Operand *to, Origin origin, bool computed);

#endif
