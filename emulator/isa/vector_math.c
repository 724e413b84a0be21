// Lane functions too long for vector_math.h: the bits of 2/pi; quotients that are scaled back.
#include "vector_math.h"

#include <xmmintrin.h>

// 1201 bits of 2/pi behind the binary point, as many as the hardware has, most significant first.
enum { TWO_OVER_PI_BITS = 1201 };
static const u32 two_over_pi[38] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
};

static u32 two_over_pi_word(u32 i) {
  const u32 last = TWO_OVER_PI_BITS / 32;
  return i < last    ? two_over_pi[i]
         : i == last ? two_over_pi[i] & ~0u << (32 - TWO_OVER_PI_BITS % 32)
                     : 0;
}

// So many of them from the first on, at most 64.
static u64 two_over_pi_bits(u32 first, u32 count) {
  const u32 word = first / 32, behind = first % 32;
  const u64 two = (u64)two_over_pi_word(word) << 32 | two_over_pi_word(word + 1),
            next = (u64)two_over_pi_word(word + 2) << 32;
  return (two << behind | (behind ? next >> (64 - behind) : 0)) >> (64 - count);
}

f64 two_over_pi_segment(f64 value, u32 segment) {
  int exponent = biased_exponent_f64(value), shift = 53 * (int)(segment & 31);
  if (exponent > 1077)
    shift += exponent - 1077;
  int scale = -53 - shift;
  if (exponent >= 1968)
    scale += 128;
  return ldexp((f64)two_over_pi_bits((u32)shift, 53), scale);
}

// Operands of any size, in any mode of rounding: products of two f64 are exact in __float128. The sum is rounded to the
// neighbour with an odd last bit, from which rounding again goes the right way.
static f64 any_scaled_fma(f64 a, f64 b, f64 c) {
  const __float128 product = (__float128)a * b, sum = product + c, of_c = sum - product,
                   lost = (product - (sum - of_c)) + (c - of_c);
  unsigned __int128 bits;
  memcpy(&bits, &sum, sizeof bits);
  if ((lost > 0 || lost < 0) && !(bits & 1))
    bits += (lost > 0) == (sum > 0) ? 1 : -1;
  __float128 odd;
  memcpy(&odd, &bits, sizeof odd);
  return (f64)(biased_exponent_f64(c) > 1023 ? odd * 0x1p128 : odd * 0x1p-128);
}

// By f64 alone where that rounds once, thirty times as fast. Fields that spread from a point are full of quotients that
// are denormal: operands that are moved up before lose nothing, and only a sum halfway between two denormals needs what
// rounding it has lost.
f64 scaled_fma_f64(f64 a, f64 b, f64 c) {
  const f64 near = fma(a, b, c);
  if (near != near) // a field that has diverged is full of them
    return near;
  if (biased_exponent_f64(c) > 1023)
    return fabs(near) > 0x1p-1000 && fabs(near) < INFINITY ? near * 0x1p128
                                                           : any_scaled_fma(a, b, c);
  const f64 up = 0x1p512, high_a = a * up, high_c = c * up, product = high_a * b,
            size = fabs(product);
  const bool exact = fabs(high_a) < 0x1p900 && fabs(high_c) < 0x1p900 && size <= fabs(high_c) / 2 &&
                     (size >= 0x1p-900 || high_a == 0);
  if (!exact || _MM_GET_ROUNDING_MODE() != _MM_ROUND_NEAREST)
    return any_scaled_fma(a, b, c);
  const f64 sum = fma(high_a, b, high_c), rest = fma(high_a, b, -product), upper = product + high_c,
            of_c = upper - product, lower = (product - (upper - of_c)) + (high_c - of_c),
            lost = ((upper - sum) + lower) + rest, scaled = sum * (0x1p-128 / up),
            off = sum - scaled * (0x1p128 * up);
  const bool halfway = fabs(off) == 0x1p-1074 * 0x1p127 * up;
  if (halfway && (lost > 0 ? off > 0 : lost < 0 && off < 0))
    return scaled + copysign(0x1p-1074, off);
  return scaled;
}

#define DIVIDE(T)                                                                                  \
  void div_fmas_some_##T(T row[3][QUOTIENTS], u32 scaled) {                                        \
    for (int i = 0; i < QUOTIENTS; i++)                                                            \
      row[0][i] = div_fmas_##T(row[0][i], row[1][i], row[2][i], scaled >> i & 1);                  \
  }
DIVIDE(f32)
DIVIDE(f64)
