// The mode register where it is not as usual: a kernel compiled with -fgpu-flush-denormals-to-zero
// computes with zeros in the place of f32's denormals; __fadd_rz and its like round otherwise than to
// nearest.
//
// In: the mode that the kernel's descriptor or s_setreg wants. Out: between begin and end, the host computes so.
#ifndef EMULATOR_FLOAT_MODE_H
#define EMULATOR_FLOAT_MODE_H

#include "wavefront.h"

enum { FLOAT_MODE_USUAL = 0xf0 };          // rounds to nearest, keeps all denormals
enum { FLOAT_MODE_BITS = 0xff | 1 << 23 }; // what the mode says of floating point

static inline bool float_mode_is_usual(const Wavefront *w) {
  return (w->mode & FLOAT_MODE_BITS) == FLOAT_MODE_USUAL;
}

// Faults if the mode is none that the emulator has.
void float_mode_check(Wavefront *w, uint32_t mode);

void float_mode_begin(Wavefront *w, const Instruction *in);
void float_mode_end(Wavefront *w, const Instruction *in);

// Where an instruction did not come to its end.
void float_mode_reset(void);

#endif
