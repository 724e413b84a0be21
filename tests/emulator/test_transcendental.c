// 2^x, log2, sine and cosine against libm: rounded to f32 they are the same, but where libm's own argument
// of a sine is not exact.
#include "transcendental.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

enum { TRIALS = 200000 };

// Any f32, or one near `centre`.
static f32 random_f32(f32 centre) {
  static u64 state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  const u32 word = (u32)(state >> 32);
  return centre != 0 ? centre + ((f32)word - 0x1p31f) * 0x1p-40f * centre : f32_of(word);
}

static void expect_same(const char *name, f32 x, f64 got, f64 expected) {
  const bool both_nan = got != got && expected != expected;
  cr_expect(both_nan || bits_of_f32((f32)got) == bits_of_f32((f32)expected),
            "%s of %a: %a, libm has %a", name, (f64)x, got, expected);
}

static const f32 centres[] = {0, 1, -1, 10, -140, 0.25f, 1e-3f};
enum { CENTRES = sizeof centres / sizeof *centres };

Test(transcendental, powers_and_logarithms_round_as_libm) {
  for (int i = 0; i < TRIALS; i++) {
    const f32 x = random_f32(centres[i % CENTRES]);
    expect_same("2^x", x, power_of_two((f64)x), exp2((f64)x));
    expect_same("log2", x, logarithm_of_two((f64)x), log2((f64)x));
  }
}

Test(transcendental, what_is_no_number_and_what_is_exact) {
  const f32 edge[] = {INFINITY, -INFINITY, NAN,  0.0f, -0.0f, 1,      2,
                      -1,       128,       -126, -149, -151,  1e-45f, 3e38f};
  for (size_t i = 0; i < sizeof edge / sizeof *edge; i++) {
    expect_same("2^x", edge[i], power_of_two((f64)edge[i]), exp2((f64)edge[i]));
    expect_same("log2", edge[i], logarithm_of_two((f64)edge[i]), log2((f64)edge[i]));
  }
  cr_assert(zero(dbl, cosine_of_turns(0.25)));
  cr_assert(zero(dbl, sine_of_turns(-0.5)));
  cr_assert(zero(dbl, sine_of_turns(1e30)));
  cr_assert(eq(flt, (f32)cosine_of_turns(1e30), 1));
  cr_assert(eq(int, !!isnan(sine_of_turns((f64)INFINITY)), 1));
}

Test(transcendental, sines_of_turns) {
  for (int i = 0; i < TRIALS; i++) {
    const f32 x = random_f32(centres[i % CENTRES]);
    const f64 angle = ((f64)x - rint((f64)x)) * 6.283185307179586477;
    if (!isfinite(x))
      continue;
    cr_expect(fabs(sine_of_turns((f64)x) - sin(angle)) < 1e-15, "sine of %a turns", (f64)x);
    cr_expect(fabs(cosine_of_turns((f64)x) - cos(angle)) < 1e-15, "cosine of %a turns", (f64)x);
  }
}
