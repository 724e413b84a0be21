// The mode register where it is not as usual: a kernel compiled with -fgpu-flush-denormals-to-zero
// computes with zeros in the place of f32's denormals; __fadd_rz and its like round otherwise than to
// nearest.
//
// In: the mode that the kernel's descriptor or s_setreg wants. Out: between begin and end, the host computes so.
#ifndef EMULATOR_FLOAT_MODE_H
#define EMULATOR_FLOAT_MODE_H

#include "wavefront.h"

enum { FLOAT_MODE_USUAL = 0xf0 };                    // rounds to nearest, keeps all denormals
enum { FLOAT_MODE_LIMITS = 1 << 23 };                // FP16_OVFL
enum { FLOAT_MODE_BITS = 0xff | FLOAT_MODE_LIMITS }; // what the mode says of floating point

static inline bool float_mode_is_usual(const Wavefront *w) {
  return (w->mode & FLOAT_MODE_BITS) == FLOAT_MODE_USUAL;
}

// Faults if the mode is none that the emulator has.
void float_mode_check(Wavefront *w, uint32_t mode);

// The same of a mode of which some bits are set anew; of bits that are 1 but in the mode of kernels in assembly, too.
void float_mode_check_change(Wavefront *w, uint32_t mode, uint32_t changed);

// Whether output modifiers multiply: the device ignores them where results keep denormals, or with IEEE (CDNA2 ISA guide, "Output
// Modifiers"). f16 and f64 always keep theirs here.
static inline bool float_mode_multiplies(const Wavefront *w) {
  enum { KEEPS_F32 = 1 << 4, IEEE = 1 << 9 };
  return !(w->mode & (KEEPS_F32 | IEEE));
}

void float_mode_begin(Wavefront *w, const Instruction *in);
void float_mode_end(Wavefront *w, const Instruction *in);

// Where an instruction did not come to its end.
void float_mode_reset(void);

#endif
