// Modes of rounding and of f32's denormals: see float_mode.h. Bits of HW_REG_MODE, from the CDNA2 ISA guide: 0 and 1 how f32
// rounds, 2 and 3 how f16 and f64 do; 4 set: results keep denormals of f32, 5 set: operands do;
// 6 and 7 the same of f16 and f64; 8: clamp makes 0 of NaN; 9: IEEE; 12 to 18: exceptions trap; 23: what is too large for
// f16 and 8-bit floats becomes their largest number; 28: vector instructions are passed over.
#include "float_mode.h"

#include <string.h>
#include <xmmintrin.h>

enum { ROUNDING = 3, OF_F32 = 0, OF_OTHERS = 2 };
enum { KEEPS_RESULTS = 1 << 4, KEEPS_OPERANDS = 1 << 5 };
enum { CLAMPS_NAN = 1 << 8, TRAPS = 0x7f << 12, PASSES_OVER = 1 << 28 };
enum { ZERO_OPERANDS = 1 << 6, ZERO_RESULTS = 1 << 15 }; // of the host, bits of MXCSR

void float_mode_check(Wavefront *w, uint32_t mode) {
  const uint32_t served = KEEPS_RESULTS | KEEPS_OPERANDS | ROUNDING << OF_F32 |
                          ROUNDING << OF_OTHERS | FLOAT_MODE_LIMITS;
  if ((mode ^ FLOAT_MODE_USUAL) & FLOAT_MODE_BITS & ~served)
    wavefront_fault(w, FAULT_GAP, -1,
                    "the floating-point mode is 0x%06x, in which f16 or f64 lose their denormals; "
                    "the emulator keeps them",
                    mode & FLOAT_MODE_BITS);
}

void float_mode_check_change(Wavefront *w, uint32_t mode, uint32_t changed) {
  const uint32_t traps = mode & changed & (TRAPS | PASSES_OVER), clamps = changed & CLAMPS_NAN;
  float_mode_check(w, mode);
  if (traps || (clamps && !(mode & CLAMPS_NAN)))
    wavefront_fault(w, FAULT_GAP, -1,
                    "the mode register is set to 0x%08x, in which floating-point exceptions trap, "
                    "vector instructions are passed over, or clamp keeps NaN; the emulator has no "
                    "such modes",
                    mode);
}

// Sums in LDS go by the mode, too; other atomics do not.
static bool computes_f32(const Instruction *in) {
  const char *name = in->info->mnemonic;
  return in->info->unit == UNIT_VALU
             ? strstr(name, "_f32") != NULL
             : in->info->unit == UNIT_LDS && strncmp(name, "ds_add_", strlen("ds_add_")) == 0 &&
                   strstr(name, "_f32");
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

// The low half of a register, or both.
static bool makes_f16(const Instruction *in) {
  switch (in->info->counter) {
  case SQ_INSTS_VALU_ADD_F16:
  case SQ_INSTS_VALU_MUL_F16:
  case SQ_INSTS_VALU_FMA_F16:
    return true;
  default:
    return (rounds_by_mode(in->info) && in->info->type_d == TYPE_f16) ||
           strstr(in->info->mnemonic, "_mixlo_f16") || strstr(in->info->mnemonic, "_mixhi_f16");
  }
}

static bool has_infinity(uint32_t halves) {
  enum { INFINITY_F16 = 0x7c00, NOT_SIGN = 0x7fff };
  return (halves & NOT_SIGN) == INFINITY_F16 || (halves >> 16 & NOT_SIGN) == INFINITY_F16;
}

// One that was an operand would stay, and what only became too large would not.
static void require_no_infinity(Wavefront *w, const Instruction *in) {
  const uint32_t *result = w->vgpr[in->d.index];
  for (int lane = 0; lane < LANES; lane++)
    if (w->exec >> lane & 1 && has_infinity(result[lane]))
      wavefront_fault(w, FAULT_GAP, lane,
                      "an f16 becomes infinite in a mode in which what is too large becomes the "
                      "largest number (MODE.FP16_OVFL); the emulator has that mode for 8-bit "
                      "floats alone");
}

// Minimum, maximum and median, by which compilers make zeros of denormals, only choose on the host.
// They are among v_m*_f32, of which all results are f32.
void float_mode_end(Wavefront *w, const Instruction *in) {
  float_mode_reset();
  if (w->mode & FLOAT_MODE_LIMITS && makes_f16(in) && in->d.kind <= OPERAND_VGPR_MODIFIED)
    require_no_infinity(w, in);
  if (w->mode & KEEPS_RESULTS || !computes_f32(in) || strncmp(in->info->mnemonic, "v_m", 3) != 0 ||
      in->d.kind > OPERAND_VGPR_MODIFIED)
    return;
  uint32_t *result = w->vgpr[in->d.index];
  for (int lane = 0; lane < LANES; lane++)
    if (w->exec >> lane & 1 && !(result[lane] & 0x7f800000))
      result[lane] &= 0x80000000;
}
