// Lane functions too long for vector_math.h: division support and the bits of 2/pi.
#include "vector_math.h"

// 1201 bits of 2/pi behind the binary point, as many as the hardware has, most significant first.
enum { TWO_OVER_PI_BITS = 1201 };
static const u32 two_over_pi[38] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
};

static u64 two_over_pi_bits(u32 first, u32 count) {
  u64 bits = 0;
  for (u32 i = first; i < first + count; i++)
    bits = bits << 1 | (i < TWO_OVER_PI_BITS ? two_over_pi[i / 32] >> (31 - i % 32) & 1 : 0);
  return bits;
}

static int biased_exponent_f64(f64 value) { return bits_of_f64(value) >> 52 & 0x7ff; }
static int biased_exponent_f32(f32 value) { return bits_of_f32(value) >> 23 & 0xff; }

f64 two_over_pi_segment(f64 value, u32 segment) {
  int exponent = biased_exponent_f64(value), shift = 53 * (int)(segment & 31);
  if (exponent > 1077)
    shift += exponent - 1077;
  int scale = -53 - shift;
  if (exponent >= 1968)
    scale += 128;
  return ldexp((f64)two_over_pi_bits((u32)shift, 53), scale);
}

// The rules are the same for both widths; only the exponents differ.
#define DIVISION(T, LDEXP, FMA, LARGE_DIFFERENCE, TINY, BIAS, STEP, UNDERFLOW)                     \
  static bool subnormal_##T(T value) { return value != 0 && biased_exponent_##T(value) == 0; }     \
  T div_scale_##T(T value, T denominator, T numerator, bool *scaled) {                             \
    int difference = biased_exponent_##T(numerator) - biased_exponent_##T(denominator);            \
    bool is_denominator = value == denominator, is_numerator = value == numerator;                 \
    *scaled = false;                                                                               \
    if (numerator == 0 || denominator == 0)                                                        \
      return (T)NAN;                                                                               \
    if (difference >=                                                                              \
        LARGE_DIFFERENCE) { /* the quotient is near overflow: scale only the denominator */        \
      *scaled = true;                                                                              \
      return is_denominator ? LDEXP(value, STEP) : value;                                          \
    }                                                                                              \
    if (subnormal_##T(denominator))                                                                \
      return LDEXP(value, STEP);                                                                   \
    if (subnormal_##T(1 / denominator) && subnormal_##T(numerator / denominator)) {                \
      *scaled = true;                                                                              \
      return is_denominator ? LDEXP(value, -STEP) : value;                                         \
    }                                                                                              \
    if (subnormal_##T(1 / denominator))                                                            \
      return LDEXP(value, -STEP);                                                                  \
    if (subnormal_##T(numerator / denominator)) {                                                  \
      *scaled = true;                                                                              \
      return is_numerator ? LDEXP(value, STEP) : value;                                            \
    }                                                                                              \
    return biased_exponent_##T(numerator) <= TINY ? LDEXP(value, STEP) : value;                    \
  }                                                                                                \
  T div_fmas_##T(T a, T b, T c, bool scaled) {                                                     \
    if (!scaled)                                                                                   \
      return FMA(a, b, c);                                                                         \
    __float128 sum = (__float128)a * b + c; /* rounded once, after scaling */                      \
    return (T)(biased_exponent_##T(c) > BIAS ? sum * 0x1p##STEP : sum * 0x1p-##STEP);              \
  }                                                                                                \
  T div_fixup_##T(T quotient, T denominator, T numerator) {                                        \
    bool negative = sign_##T(denominator) != sign_##T(numerator);                                  \
    if (numerator != numerator)                                                                    \
      return numerator;                                                                            \
    if (denominator != denominator)                                                                \
      return denominator;                                                                          \
    if ((denominator == 0 && numerator == 0) || (isinf(denominator) && isinf(numerator)))          \
      return -(T)NAN;                                                                              \
    T magnitude = sign_##T(quotient) ? -quotient : quotient;                                       \
    if (quotient != quotient) /* the iteration overflowed */                                       \
      magnitude = (T)INFINITY;                                                                     \
    if (denominator == 0 || isinf(numerator))                                                      \
      magnitude = (T)INFINITY;                                                                     \
    else if (isinf(denominator) || numerator == 0)                                                 \
      magnitude = 0;                                                                               \
    else if (biased_exponent_##T(numerator) - biased_exponent_##T(denominator) < UNDERFLOW)        \
      magnitude = 0;                                                                               \
    return negative ? -magnitude : magnitude;                                                      \
  }
DIVISION(f32, ldexpf, __builtin_fmaf, 96, 23, 127, 64, -150)
DIVISION(f64, ldexp, __builtin_fma, 768, 53, 1023, 128, -1075)

f16 div_fixup_f16(f16 quotient, f16 denominator, f16 numerator) {
  return (f16)div_fixup_f32((f32)quotient, (f32)denominator, (f32)numerator);
}
