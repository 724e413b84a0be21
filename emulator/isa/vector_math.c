// Lane functions too long for vector_math.h: the bits of 2/pi; quotients that are scaled back.
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

f64 two_over_pi_segment(f64 value, u32 segment) {
  int exponent = biased_exponent_f64(value), shift = 53 * (int)(segment & 31);
  if (exponent > 1077)
    shift += exponent - 1077;
  int scale = -53 - shift;
  if (exponent >= 1968)
    scale += 128;
  return ldexp((f64)two_over_pi_bits((u32)shift, 53), scale);
}

#define DIVIDE(T)                                                                                  \
  void div_fmas_some_##T(T row[3][QUOTIENTS], u32 scaled) {                                        \
    for (int i = 0; i < QUOTIENTS; i++)                                                            \
      row[0][i] = div_fmas_##T(row[0][i], row[1][i], row[2][i], scaled >> i & 1);                  \
  }
DIVIDE(f32)
DIVIDE(f64)
