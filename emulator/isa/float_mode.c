// Modes of f32's denormals: see float_mode.h. Bits of HW_REG_MODE, from the CDNA2 ISA guide: 0 and 1 how f32
// rounds, 2 and 3 how f16 and f64 do; 4 set: results keep denormals of f32, 5 set: operands do;
// 6 and 7 the same of f16 and f64.
#include "float_mode.h"

#include <string.h>
#include <xmmintrin.h>

enum { KEEPS_RESULTS = 1 << 4, KEEPS_OPERANDS = 1 << 5 };
enum { ZERO_OPERANDS = 1 << 6, ZERO_RESULTS = 1 << 15 }; // of the host, bits of MXCSR

void float_mode_check(Wavefront *w, uint32_t mode) {
  if ((mode ^ FLOAT_MODE_USUAL) & 0xff & ~(uint32_t)(KEEPS_RESULTS | KEEPS_OPERANDS))
    wavefront_fault(w, FAULT_GAP, -1,
                    "the rounding or denormal mode is 0x%02x; the emulator only rounds to nearest, "
                    "and keeps denormals of f16 and f64",
                    mode & 0xff);
}

static bool computes_f32(const Instruction *in) {
  return in->info->unit == UNIT_VALU && strstr(in->info->mnemonic, "_f32");
}

void float_mode_begin(Wavefront *w, const Instruction *in) {
  float_mode_check(w, w->mode);
  if (computes_f32(in))
    _mm_setcsr(_mm_getcsr() | (w->mode & KEEPS_RESULTS ? 0 : ZERO_RESULTS) |
               (w->mode & KEEPS_OPERANDS ? 0 : ZERO_OPERANDS));
}

void float_mode_reset(void) {
  _mm_setcsr(_mm_getcsr() & ~(unsigned)(ZERO_OPERANDS | ZERO_RESULTS));
}

// Minimum, maximum and median, by which compilers make zeros of denormals, only choose on the host.
// They are among v_m*_f32, of which all results are f32.
void float_mode_end(Wavefront *w, const Instruction *in) {
  float_mode_reset();
  if (w->mode & KEEPS_RESULTS || !computes_f32(in) || strncmp(in->info->mnemonic, "v_m", 3) != 0 ||
      in->d.kind > OPERAND_VGPR_MODIFIED)
    return;
  uint32_t *result = w->vgpr[in->d.index];
  for (int lane = 0; lane < LANES; lane++)
    if (w->exec >> lane & 1 && !(result[lane] & 0x7f800000))
      result[lane] &= 0x80000000;
}
