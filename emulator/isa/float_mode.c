// Modes of rounding and of f32's denormals: see float_mode.h. Bits of HW_REG_MODE, from the CDNA2 ISA guide: 0 and 1 how f32
// rounds, 2 and 3 how f16 and f64 do; 4 set: results keep denormals of f32, 5 set: operands do;
// 6 and 7 the same of f16 and f64; 23: what is too large for f16 becomes its largest number.
#include "float_mode.h"

#include <string.h>
#include <xmmintrin.h>

enum { ROUNDING = 3, OF_F32 = 0, OF_OTHERS = 2 };
enum { KEEPS_RESULTS = 1 << 4, KEEPS_OPERANDS = 1 << 5 };
enum { ZERO_OPERANDS = 1 << 6, ZERO_RESULTS = 1 << 15 }; // of the host, bits of MXCSR

void float_mode_check(Wavefront *w, uint32_t mode) {
  const uint32_t served =
      KEEPS_RESULTS | KEEPS_OPERANDS | ROUNDING << OF_F32 | ROUNDING << OF_OTHERS;
  if ((mode ^ FLOAT_MODE_USUAL) & FLOAT_MODE_BITS & ~served)
    wavefront_fault(w, FAULT_GAP, -1,
                    "the floating-point mode is 0x%06x, in which f16 or f64 lose their denormals "
                    "or f16 has no infinities; the emulator keeps both",
                    mode & FLOAT_MODE_BITS);
}

static bool computes_f32(const Instruction *in) {
  return in->info->unit == UNIT_VALU && strstr(in->info->mnemonic, "_f32");
}

static bool is_float(uint8_t type) {
  return type == TYPE_f16 || type == TYPE_f32 || type == TYPE_f64;
}

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), of_end = strlen(end);
  return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

// Sums, products, conversions to floats and v_ldexp do; transcendental functions, divisions' helpers and
// what rounds to whole numbers have a rounding of their own.
static bool rounds_by_mode(const InstructionInfo *info) {
  switch (info->counter) {
  case SQ_INSTS_VALU_ADD_F16:
  case SQ_INSTS_VALU_MUL_F16:
  case SQ_INSTS_VALU_FMA_F16:
  case SQ_INSTS_VALU_ADD_F32:
  case SQ_INSTS_VALU_MUL_F32:
  case SQ_INSTS_VALU_FMA_F32:
  case SQ_INSTS_VALU_ADD_F64:
  case SQ_INSTS_VALU_MUL_F64:
  case SQ_INSTS_VALU_FMA_F64:
    return true;
  case SQ_INSTS_VALU_CVT:
    return is_float(info->type_d);
  default:
    return strncmp(info->mnemonic, "v_ldexp", strlen("v_ldexp")) == 0;
  }
}

// The results' type decides which field of the mode counts. Those of packed instructions have the type
// of all their registers, but are what the name ends in.
static unsigned rounding_of(const InstructionInfo *info, uint32_t mode) {
  static const unsigned of_host[] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN,
                                     _MM_ROUND_TOWARD_ZERO};
  const bool single =
      is_float(info->type_d) ? info->type_d == TYPE_f32 : ends_with(info->mnemonic, "_f32");
  return rounds_by_mode(info) ? of_host[mode >> (single ? OF_F32 : OF_OTHERS) & ROUNDING]
                              : _MM_ROUND_NEAREST;
}

void float_mode_begin(Wavefront *w, const Instruction *in) {
  float_mode_check(w, w->mode);
  unsigned host = _mm_getcsr();
  if (computes_f32(in))
    host |= (w->mode & KEEPS_RESULTS ? 0 : ZERO_RESULTS) |
            (w->mode & KEEPS_OPERANDS ? 0 : ZERO_OPERANDS);
  if (in->info->unit == UNIT_VALU)
    host |= rounding_of(in->info, w->mode);
  _mm_setcsr(host);
}

void float_mode_reset(void) {
  _mm_setcsr(_mm_getcsr() & ~(unsigned)(ZERO_OPERANDS | ZERO_RESULTS | _MM_ROUND_MASK));
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
