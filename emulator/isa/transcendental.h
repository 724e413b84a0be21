// 2^x, log2(x), sine and cosine of turns for results in f32 and f16, written without branches and
// calls, so that compilers work on many lanes at once.
//
// In: f64 that hold f32 or f16. Out: f64 within 1e-15 of the exact value, relative to it (of sine and
// cosine: absolutely), so that rounding them to f32 gives what rounding libm's gives but where that
// decides between neighbours by less. Infinities, zeroes and NaN as libm has them.
#ifndef EMULATOR_TRANSCENDENTAL_H
#define EMULATOR_TRANSCENDENTAL_H

#include "lanes.h"

enum { BIAS_F64 = 1023, FRACTION_F64 = 52 };

// e^(r ln 2) by Taylor's series, |r| <= 1/2, and the nearest integer n = x - r goes to the exponent.
// What is added to find n leaves its binary digits at the end.
static inline f64 power_of_two(f64 x) {
  const f64 inside = x > 1022    ? 1022
                     : x < -1022 ? -1022
                                 : x,
            units = 0x1.8p52, shifted = inside + units, r = inside - (shifted - units),
            t = r * 0.693147180559945309417232121458;
  const f64 scale = f64_of((bits_of_f64(shifted) + BIAS_F64) << FRACTION_F64);
  f64 sum = 1.0 / 6227020800;
  sum = sum * t + 1.0 / 479001600;
  sum = sum * t + 1.0 / 39916800;
  sum = sum * t + 1.0 / 3628800;
  sum = sum * t + 1.0 / 362880;
  sum = sum * t + 1.0 / 40320;
  sum = sum * t + 1.0 / 5040;
  sum = sum * t + 1.0 / 720;
  sum = sum * t + 1.0 / 120;
  sum = sum * t + 1.0 / 24;
  sum = sum * t + 1.0 / 6;
  sum = sum * t + 0.5;
  return ((sum * t + 1) * t + 1) * scale;
}

// x = 2^n m with sqrt(1/2) < m <= sqrt(2); log(m) = 2 artanh(s) by its series, s = (m - 1) / (m + 1).
static inline f64 logarithm_of_two(f64 x) {
  const u64 bits = bits_of_f64(x), fraction = bits & ((1ull << FRACTION_F64) - 1);
  const f64 from_one = f64_of(fraction | (u64)BIAS_F64 << FRACTION_F64);
  const bool upper = from_one > 1.41421356237309504880168872421;
  const f64 biased = f64_of(0x433ull << FRACTION_F64 | bits >> FRACTION_F64) - 0x1p52,
            n = biased - (upper ? BIAS_F64 - 1 : BIAS_F64), m = upper ? from_one * 0.5 : from_one,
            s = (m - 1) / (m + 1), z = s * s;
  f64 sum = 1.0 / 21;
  sum = sum * z + 1.0 / 19;
  sum = sum * z + 1.0 / 17;
  sum = sum * z + 1.0 / 15;
  sum = sum * z + 1.0 / 13;
  sum = sum * z + 1.0 / 11;
  sum = sum * z + 1.0 / 9;
  sum = sum * z + 1.0 / 7;
  sum = sum * z + 1.0 / 5;
  sum = sum * z + 1.0 / 3;
  const f64 result = n + (sum * z + 1) * s * 2.88539008177792681471984936200; // 2 / ln 2
  const f64 special = x == 0 ? -(f64)INFINITY : x < 0 ? -(f64)NAN : x;        // infinity or NaN
  return ((x > 0) & (x < (f64)INFINITY)) ? result : special;
}

// sin(2 pi turns) of 0 to 1/4 turn, by Taylor's series.
static inline f64 sine_of_quarter(f64 turns) {
  const f64 x = turns * 6.28318530717958647692528676656, z = x * x;
  f64 sum = -1.0 / 121645100408832000;
  sum = sum * z + 1.0 / 355687428096000;
  sum = sum * z - 1.0 / 1307674368000;
  sum = sum * z + 1.0 / 6227020800;
  sum = sum * z - 1.0 / 39916800;
  sum = sum * z + 1.0 / 362880;
  sum = sum * z - 1.0 / 5040;
  sum = sum * z + 1.0 / 120;
  sum = sum * z - 1.0 / 6;
  return sum * z * x + x;
}

// v_sin, v_cos: outside +-256 turns the hardware has no valid result, full accuracy is kept here. Signs of zero and NaN are those
// of the ISA guide's examples.
static inline f64 sine_of_turns(f64 turns) {
  const f64 part = turns - __builtin_rint(turns), size = __builtin_fabs(part);
  return __builtin_copysign(sine_of_quarter(size > 0.25 ? 0.5 - size : size),
                            turns == 0 ? turns : part);
}
static inline f64 cosine_of_turns(f64 turns) {
  const f64 cosine = sine_of_quarter(0.25 - __builtin_fabs(turns - __builtin_rint(turns)));
  return __builtin_fabs(turns) == (f64)INFINITY ? -(f64)NAN : cosine;
}

#endif
