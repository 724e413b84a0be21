// Lane functions that the vector and packed instruction tables use: what one lane computes where C
// has no operator for it.
//
// In and out: plain C values of one lane. Meaning: CDNA2 ISA guide, entries of the instructions
// named.
#ifndef EMULATOR_VECTOR_MATH_H
#define EMULATOR_VECTOR_MATH_H

#include "lanes.h"
#include "transcendental.h"

// Zero in the place of a denormal.
static inline f32 flushed(f32 value) {
  const u32 bits = bits_of_f32(value);
  return f32_of(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

static inline i32 sext24(i32 value) { return (i32)((u32)value << 8) >> 8; }
static inline u32 difference(u32 a, u32 b) { return a > b ? a - b : b - a; }

static inline u32 sum_of_differences_u8(u32 a, u32 b) {
  u32 sum = 0;
  for (int i = 0; i < 32; i += 8)
    sum += difference(a >> i & 0xff, b >> i & 0xff);
  return sum;
}

static inline u32 masked_sum_of_differences_u8(u32 a, u32 b) {
  u32 sum = 0;
  for (int i = 0; i < 32; i += 8)
    sum += (b >> i & 0xff) ? difference(a >> i & 0xff, b >> i & 0xff) : 0;
  return sum;
}

// v_qsad, v_mqsad: four sums of 16 bits, of the bytes of b against those of a from its byte 0, 1, 2 and
// 3 on.
typedef u32 SumOfDifferences(u32 a, u32 b);
static inline __attribute__((always_inline)) u64 four_sums(u64 a, u32 b, u64 c,
                                                           SumOfDifferences *sum) {
  u64 sums = 0;
  for (int i = 0; i < 4; i++)
    sums |= (u64)(u16)(sum((u32)(a >> (8 * i)), b) + (u32)(c >> (16 * i))) << (16 * i);
  return sums;
}

static inline i32 saturate_i32(i64 value) {
  return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (i32)value;
}
static inline i16 saturate_i16(i32 value) {
  return value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : (i16)value;
}
static inline u32 saturate_u8(i32 value) { return value > 255 ? 255 : value < 0 ? 0 : (u32)value; }
static inline u32 saturate_pair_u8(u32 pair) {
  return saturate_u8((i16)pair) | saturate_u8((i16)(pair >> 16)) << 8;
}

static inline i32 extract_signed(i32 value, u32 offset, u32 width) {
  if (width == 0)
    return 0;
  i64 field = (i64)value >> offset;
  return (i32)((i64)((u64)field << (64 - width)) >> (64 - width));
}

static inline u32 reverse_bits(u32 bits) {
  bits = (bits >> 1 & 0x55555555) | (bits & 0x55555555) << 1;
  bits = (bits >> 2 & 0x33333333) | (bits & 0x33333333) << 2;
  bits = (bits >> 4 & 0x0f0f0f0f) | (bits & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(bits);
}

// Leading bits equal to the sign bit, -1 if all are.
static inline u32 sign_run(i32 value) {
  u32 different = (u32)(value < 0 ? ~value : value);
  return different ? (u32)__builtin_clz(different) : ~0u;
}

// v_perm_b32: each selector byte picks one of 8 bytes (b low, a high), a sign (8 to 11), 0 (12) or
// 0xff (13 and up).
static inline u32 permute_bytes(u32 a, u32 b, u32 selectors) {
  u64 bytes = (u64)a << 32 | b;
  u32 result = 0;
  for (int i = 0; i < 32; i += 8) {
    u32 selector = selectors >> i & 0xff, byte = 0xff;
    if (selector < 8)
      byte = bytes >> (8 * selector) & 0xff;
    else if (selector < 12)
      byte = (bytes >> (16 * (selector - 8) + 15) & 1) ? 0xff : 0;
    else if (selector == 12)
      byte = 0;
    result |= byte << i;
  }
  return result;
}

static inline u32 average_bytes(u32 a, u32 b, u32 round) {
  u32 result = 0;
  for (int i = 0; i < 32; i += 8)
    result |= (((a >> i & 0xff) + (b >> i & 0xff) + (round >> i & 1)) >> 1) << i;
  return result;
}

// IEEE_MODE is set: a signalling NaN becomes the result, made quiet, the first one of two; a quiet NaN loses against a
// number, -0 is below +0. (CDNA2 ISA, V_MAX_F32)
#define MIN_MAX(T, BITS, QUIET)                                                                    \
  static inline bool sign_##T(T value) { return bits_of_##T(value) >> (BITS - 1); }                \
  static inline bool signalling_##T(T value) {                                                     \
    return value != value && !(bits_of_##T(value) >> QUIET & 1);                                   \
  }                                                                                                \
  static inline T quiet_##T(T nan) { return T##_of(bits_of_##T(nan) | (1ull << QUIET)); }          \
  static inline T nan_loses_##T(T a, T b, T number) {                                              \
    if (signalling_##T(a) || signalling_##T(b))                                                    \
      return quiet_##T(signalling_##T(a) ? a : b);                                                 \
    return a != a ? b : b != b ? a : number;                                                       \
  }                                                                                                \
  static inline T min_##T(T a, T b) {                                                              \
    return nan_loses_##T(a, b, a < b || (a == b && sign_##T(a)) ? a : b);                          \
  }                                                                                                \
  static inline T max_##T(T a, T b) {                                                              \
    return nan_loses_##T(a, b, a > b || (a == b && !sign_##T(a)) ? a : b);                         \
  }
MIN_MAX(f16, 16, 9)
MIN_MAX(f32, 32, 22)
MIN_MAX(f64, 64, 51)

// v_med3: with a NaN among the operands it is the minimum of them; the sign of a zero follows from the largest (CDNA2 ISA,
// V_MED3_F32).
#define MEDIAN(T)                                                                                  \
  static inline T med_##T(T a, T b, T c) {                                                         \
    if (a != a || b != b || c != c)                                                                \
      return min_##T(min_##T(a, b), c);                                                            \
    const T most = max_##T(max_##T(a, b), c);                                                      \
    return most == a ? max_##T(b, c) : most == b ? max_##T(a, c) : max_##T(a, b);                  \
  }
MEDIAN(f16)
MEDIAN(f32)

// v_cube: the axis of the largest coordinate, z before y before x where they are equal; then the
// coordinate itself twice, and the other two with the signs that a cube map's faces have.
static inline f32 cube_select(f32 x, f32 y, f32 z, f32 of_x, f32 of_y, f32 of_z) {
  const f32 along_x = fabsf(x), along_y = fabsf(y), along_z = fabsf(z);
  const bool is_z = (along_z >= along_x) && (along_z >= along_y), is_y = along_y >= along_x;
  return is_z ? of_z : is_y ? of_y : of_x;
}
static inline f32 cube_face(f32 x, f32 y, f32 z) {
  return cube_select(x, y, z, x < 0 ? 1 : 0, y < 0 ? 3 : 2, z < 0 ? 5 : 4);
}
static inline f32 cube_major(f32 x, f32 y, f32 z) { return 2 * cube_select(x, y, z, x, y, z); }
static inline f32 cube_across(f32 x, f32 y, f32 z) {
  return cube_select(x, y, z, x < 0 ? z : -z, x, z < 0 ? -x : x);
}
static inline f32 cube_down(f32 x, f32 y, f32 z) {
  return cube_select(x, y, z, -y, y < 0 ? -z : z, -y);
}

// v_fract: below 1 even where a - floor(a) rounds up to it; NaN for infinities and NaN.
static inline f32 fract_below(f32 value, f32 largest) {
  f32 part = value - __builtin_floorf(value);
  return part > largest ? largest : part;
}
static inline f64 fract_f64(f64 value) {
  f64 part = value - __builtin_floor(value), largest = 0x1.fffffffffffffp-1;
  return part > largest ? largest : part;
}

// Two sums, of the low and the high halves.
static inline u32 add_pair_f16(u32 a, u32 b) {
  f16 low = f16_of((u16)a) + f16_of((u16)b), high = f16_of((u16)(a >> 16)) + f16_of((u16)(b >> 16));
  return bits_of_f16(low) | (u32)bits_of_f16(high) << 16;
}

// Exact, as the conversion of C is; compilers make vectors of this one, and a call of a function of the other.
static inline f32 f32_of_f16(u16 bits) {
  const u32 magnitude = (bits & 0x7fffu) << 13, sign = (u32)(bits & 0x8000) << 16;
  if (magnitude >= 0x0f800000) // infinite, NaN
    return f32_of(sign | 0x70000000 | magnitude);
  return f32_of(sign | bits_of_f32(f32_of(magnitude) * 0x1p112f));
}
// bf16 is the upper half of an f32. To nearest, ties to even.
static inline u32 bf16_of(f32 value) {
  const u32 bits = bits_of_f32(value);
  return value != value ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
static inline u32 add_pair_bf16(u32 a, u32 b) {
  return bf16_of(f32_of(a << 16) + f32_of(b << 16)) |
         bf16_of(f32_of(a & 0xffff0000) + f32_of(b & 0xffff0000)) << 16;
}

// 8-bit floating point of gfx942, fp8 with 3 bits of fraction and bf8 with 2: 0x80 is the only NaN,
// nothing is infinite, and there is no -0.
static inline f32 f32_of_f8(u32 bits, int fraction_bits) {
  const int bias = fraction_bits == 3 ? 8 : 16, fields = 1 << fraction_bits;
  const int exponent = (int)(bits >> fraction_bits & (127u >> fraction_bits));
  const int fraction = (int)bits & (fields - 1);
  const f32 size = exponent ? ldexpf((f32)(fields + fraction), exponent - bias - fraction_bits)
                            : ldexpf((f32)fraction, 1 - bias - fraction_bits);
  return (bits & 0xff) == 0x80 ? NAN : bits & 0x80 ? -size : size;
}
static inline f32 f32_of_fp8(u32 bits) { return f32_of_f8(bits, 3); }
static inline f32 f32_of_bf8(u32 bits) { return f32_of_f8(bits, 2); }
// To nearest, ties to even; what is too large becomes NaN.
static inline u32 f8_of(f32 value, int fraction_bits) {
  const int bias = fraction_bits == 3 ? 8 : 16, lowest = 1 - bias;
  int exponent = lowest;
  if (!isfinite(value))
    return 0x80;
  if (fabsf(value) >= ldexpf(1, lowest)) {
    frexpf(value, &exponent);
    exponent--;
  }
  const int units = (int)rintf(ldexpf(fabsf(value), fraction_bits - exponent));
  const int bits = ((exponent - lowest) << fraction_bits) + units;
  return bits > 127 ? 0x80 : bits && value < 0 ? 0x80u | (u32)bits : (u32)bits;
}

// Stochastic rounding: the random number's high bits are added below the last bit that stays, then the
// rest is cut off (CDNA3 ISA guide, V_CVT_SR_FP8_F32: bits 31 to 12; _BF8_: 31 to 11). Of what becomes
// a subnormal, the bits below f32's last one are cut off before.
static inline u32 f8_of_randomly(f32 value, u32 random, int fraction_bits) {
  enum { F32_FRACTION = 23, F32_BIAS = 127 };
  const int bias = fraction_bits == 3 ? 8 : 16, rest = F32_FRACTION - fraction_bits;
  const u32 size = bits_of_f32(value) & 0x7fffffff;
  const int exponent = (int)(size >> F32_FRACTION) - F32_BIAS + bias;
  const u32 whole = (size & 0x7fffff) | 1u << F32_FRACTION;
  if (!isfinite(value) || exponent > 127 >> fraction_bits)
    return 0x80;
  const u32 aligned = exponent >= 1              ? whole
                      : exponent > -F32_FRACTION ? whole >> (1 - exponent)
                                                 : 0;
  const u32 units = (aligned + (random >> (32 - rest))) >> rest,
            bits = (exponent > 1 ? (u32)(exponent - 1) << fraction_bits : 0) + units;
  return bits > 127 ? 0x80 : bits && value < 0 ? 0x80 | bits : bits;
}

// One rounding to f16 of what f32 has rounded or not, to less than it is or to more: it is made odd, so that the second
// rounding cannot go wrong (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008; f32 has the two bits
// more that this takes). Selections, no branches, so that rows become vectors.
static inline f16 f16_of_rounded(f32 value, bool rounded, bool to_less) {
  const u32 bits = bits_of_f32(value), finite = (bits & 0x7f800000) != 0x7f800000,
            even = finite & rounded & ~bits, step = to_less == !(bits >> 31) ? 1 : ~0u;
  return (f16)f32_of(bits + (even & 1 ? step : 0));
}
static inline f16 f16_of_f64(f64 value) {
  const f32 near = (f32)value;
  return f16_of_rounded(near, value != (f64)near, value > (f64)near);
}
// The product is exact in f32.
static inline f16 fma_f16(f16 a, f16 b, f16 c) {
  const f32 product = (f32)a * (f32)b, third = (f32)c, sum = product + third, part = sum - product,
            error = (product - (sum - part)) + (third - part);
  return f16_of_rounded(sum, error != 0, error > 0);
}

// ldexp and frexp without calls and branches, so that whole rows of lanes are computed at once.
static inline f64 scale_factor(i32 exponent) { return f64_of((u64)(exponent + 1023) << 52); }

// Steps of 2^1023 up and 2^-969 down until the rest is a normal f64. Only the last product rounds:
// a step down that loses bits leaves less than half of the least f64.
static inline f64 scale_f64(f64 value, i32 exponent) {
  for (int step = 0; step < 2; step++) {
    i32 part = exponent > 1023 ? 1023 : exponent < -1022 ? -969 : 0;
    value *= scale_factor(part);
    exponent -= part;
  }
  return value * scale_factor(exponent > 1023 ? 1023 : exponent < -1022 ? -1022 : exponent);
}
// Every f32 times 2^-400 to 2^400 is a normal f64, and what lies beyond is 0 or infinite all the same.
static inline f32 scale_f32(f32 value, i32 exponent) {
  return (f32)((f64)value * scale_factor(exponent > 400 ? 400 : exponent < -400 ? -400 : exponent));
}

static inline f32 mantissa_f32(f32 value) {
  f32 normal = fabsf(value) < 0x1p-126f ? value * 0x1p25f : value;
  f32 mantissa = f32_of((bits_of_f32(normal) & 0x807fffff) | 0x3f000000);
  return value == 0 || !isfinite(value) ? value : mantissa;
}
static inline f64 mantissa_f64(f64 value) {
  f64 normal = fabs(value) < 0x1p-1022 ? value * 0x1p54 : value;
  f64 mantissa = f64_of((bits_of_f64(normal) & 0x800fffffffffffff) | 0x3fe0000000000000);
  return value == 0 || !isfinite(value) ? value : mantissa;
}
static inline i32 exponent_f64(f64 value) {
  bool denormal = fabs(value) < 0x1p-1022;
  u64 bits = bits_of_f64(denormal ? value * 0x1p54 : value);
  i32 exponent = (i32)(bits >> 52 & 0x7ff) - 1022 - (denormal ? 54 : 0);
  return value == 0 || !isfinite(value) ? 0 : exponent;
}

// Classes of v_cmp_class, bit by bit: signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0,
// +denormal, +normal, +inf. Selections, no branches, so that rows become vectors.
#define CLASS_OF(T, BITS, FRACTION_BITS)                                                           \
  static inline u32 class_of_##T(T value) {                                                        \
    const BITS bits = bits_of_##T(value), sign = (BITS)((BITS)1 << (8 * sizeof(BITS) - 1)),        \
               size = bits & (BITS)~sign, least_normal = (BITS)((BITS)1 << FRACTION_BITS),         \
               infinite = (BITS)(sign - least_normal);                                             \
    const u32 positive = size == 0 ? 64 : size < least_normal ? 128 : size < infinite ? 256 : 512; \
    const u32 negative = size == 0 ? 32 : size < least_normal ? 16 : size < infinite ? 8 : 4;      \
    const u32 number = bits & sign ? negative : positive, nan = size & least_normal >> 1 ? 2 : 1;  \
    return size > infinite ? nan : number;                                                         \
  }
CLASS_OF(f16, u16, 10)
CLASS_OF(f32, u32, 23)
CLASS_OF(f64, u64, 52)
#undef CLASS_OF

static inline u32 u32_of_f64(f64 value) {
  return value > 0 ? (value >= 4294967295.0 ? UINT32_MAX : (u32)value) : 0;
}
static inline i32 i32_of_f64(f64 value) {
  if (value != value)
    return 0;
  return value >= 2147483647.0 ? INT32_MAX : value <= -2147483648.0 ? INT32_MIN : (i32)value;
}
static inline u16 u16_of_f32(f32 value) {
  return value > 0 ? (value >= 65535.0f ? UINT16_MAX : (u16)value) : 0;
}
static inline i16 i16_of_f32(f32 value) {
  if (value != value)
    return 0;
  return value >= 32767.0f ? INT16_MAX : value <= -32768.0f ? INT16_MIN : (i16)value;
}
static inline u32 byte_of_f32(f32 value) {
  return value > 0 ? (value >= 255.0f ? 255 : (u32)__builtin_rintf(value)) : 0;
}
static inline i16 normalise_i16(f32 value) {
  return value != value ? 0 : (i16)__builtin_rintf(fminf(fmaxf(value, -1.0f), 1.0f) * 32767.0f);
}
static inline u16 normalise_u16(f32 value) {
  return value != value ? 0 : (u16)__builtin_rintf(fminf(fmaxf(value, 0.0f), 1.0f) * 65535.0f);
}
static inline u16 f16_toward_zero(f32 value) {
  u16 bits = bits_of_f16((f16)value);
  f32 back = (f32)f16_of(bits);
  return isfinite(value) && fabsf(back) > fabsf(value) ? bits - 1 : bits;
}

// ---- packed operands ----

// Inline constants of packed instructions stand in the low part, and a floating-point one has the
// type of a part (LLVM, SIMCCodeEmitter, getInlineEncodingV2F16); the decoder made them the size of
// the whole operand. Integers are sign-extended.
static inline u64 packed_constant(u64 value, Type part) {
  bool integer = (i64)value >= -16 && (i64)value <= 64;
  if (integer || (part != TYPE_f32 && part != TYPE_f16))
    return value;
  return part == TYPE_f32 ? bits_of_f32((f32)f64_of(value)) : bits_of_f16((f16)f32_of((u32)value));
}

// v_trig_preop_f64: 53 bits of 2/pi, from the bit that matters for an argument of this size on.
f64 two_over_pi_segment(f64 value, u32 segment);

// Division: v_div_scale moves operands of extreme size into the range where Newton's iteration
// works and sets VCC when the quotient must be scaled back, v_div_fmas scales it back, v_div_fixup
// puts in the special values. Written without branches, so that compilers work on many lanes at
// once. The rules are the same for both widths; only the exponents differ.
static inline i32 biased_exponent_f64(f64 value) { return bits_of_f64(value) >> 52 & 0x7ff; }
static inline i32 biased_exponent_f32(f32 value) { return bits_of_f32(value) >> 23 & 0xff; }

// The quotient, before it is rounded, is smaller than any normal number where the denominator is more than PER_LEAST times the
// numerator, and the denominator's reciprocal where that is more than PER_LEAST: a host's divisions would take most of the
// time. What infinite operands give here is thrown away by v_div_fixup.
#define DIVISION(T, LARGE_DIFFERENCE, TINY, STEP, UNDERFLOW, PER_LEAST)                            \
  static inline bool subnormal_##T(T value) {                                                      \
    return (value != 0) && (biased_exponent_##T(value) == 0);                                      \
  }                                                                                                \
  static inline bool infinite_##T(T value) {                                                       \
    return (value == (T)INFINITY) || (value == -(T)INFINITY);                                      \
  }                                                                                                \
  static inline T size_of_##T(T value) { return T##_of(bits_of_##T(value) << 1 >> 1); }            \
  static inline T div_scale_##T(T value, T denominator, T numerator, bool *scaled) {               \
    const i32 difference = biased_exponent_##T(numerator) - biased_exponent_##T(denominator);      \
    const bool is_denominator = value == denominator, is_numerator = value == numerator,           \
               zero = (numerator == 0) || (denominator == 0),                                      \
               large = difference >= LARGE_DIFFERENCE, /* the quotient is near overflow */         \
        tiny = subnormal_##T(denominator), huge = size_of_##T(denominator) > (T)PER_LEAST,         \
               small = size_of_##T(denominator) > size_of_##T(numerator) * (T)PER_LEAST;           \
    const bool low = biased_exponent_##T(numerator) <= TINY;                                       \
    const bool up = (large && is_denominator) ||                                                   \
                    (!large && (tiny || (!huge && ((small && is_numerator) || (!small && low))))); \
    const bool down = !large && !tiny && huge && (!small || is_denominator);                       \
    const T more = value * (T)0x1p##STEP, less = value * (T)0x1p-##STEP;                           \
    *scaled = !zero && (large || (!tiny && small));                                                \
    const T moved = up ? more : down ? less : value;                                               \
    return zero ? (T)NAN : moved;                                                                  \
  }                                                                                                \
  static inline T div_fixup_##T(T quotient, T denominator, T numerator) {                          \
    const bool negative = sign_##T(denominator) != sign_##T(numerator),                            \
               both = ((denominator == 0) && (numerator == 0)) ||                                  \
                      (infinite_##T(denominator) && infinite_##T(numerator)),                      \
               most = (denominator == 0) || infinite_##T(numerator),                               \
               least = infinite_##T(denominator) || (numerator == 0) ||                            \
                       (biased_exponent_##T(numerator) - biased_exponent_##T(denominator) <        \
                        UNDERFLOW);                                                                \
    const T inside = quotient != quotient ? (T)INFINITY /* the iteration overflowed */             \
                     : sign_##T(quotient) ? -quotient                                              \
                                          : quotient;                                              \
    const T magnitude = most ? (T)INFINITY : least ? 0 : inside;                                   \
    const T result = both ? -(T)NAN : negative ? -magnitude : magnitude;                           \
    return numerator != numerator       ? quiet_##T(numerator)                                     \
           : denominator != denominator ? quiet_##T(denominator)                                   \
                                        : result;                                                  \
  }
DIVISION(f32, 96, 23, 64, -150, 0x1p126)
DIVISION(f64, 768, 53, 128, -1075, 0x1p1022)
#undef DIVISION

// a * b + c, scaled and then rounded once. The product of two f32 is exact in f64; the sum is rounded to the
// neighbour with an odd last bit, from which rounding again goes the right way.
static inline f32 div_fmas_f32(f32 a, f32 b, f32 c, bool scaled) {
  const f64 product = (f64)a * (f64)b, sum = product + (f64)c, of_c = sum - product,
            lost = (product - (sum - of_c)) + ((f64)c - of_c);
  const u64 bits = bits_of_f64(sum), away = (lost > 0) == (sum > 0) ? bits + 1 : bits - 1;
  const bool inexact = lost > 0 || lost < 0;
  const f64 odd = inexact && !(bits & 1) ? f64_of(away) : sum,
            moved = odd * (biased_exponent_f32(c) > 127 ? 0x1p64 : 0x1p-64);
  return scaled ? (f32)moved : __builtin_fmaf(a, b, c);
}
f64 scaled_fma_f64(f64 a, f64 b, f64 c);
static inline f64 div_fmas_f64(f64 a, f64 b, f64 c, bool scaled) {
  return scaled ? scaled_fma_f64(a, b, c) : __builtin_fma(a, b, c);
}

// Of 16 lanes a, b and c, and which of them are scaled; the results replace a.
enum { QUOTIENTS = 16 };
void div_fmas_some_f32(f32 row[3][QUOTIENTS], u32 scaled);
void div_fmas_some_f64(f64 row[3][QUOTIENTS], u32 scaled);

static inline f16 div_fixup_f16(f16 quotient, f16 denominator, f16 numerator) {
  return (f16)div_fixup_f32((f32)quotient, (f32)denominator, (f32)numerator);
}

#endif
