// Sums of products as matrix units make them: see fused_sum.h.
#include "fused_sum.h"

#include "lanes.h"

const FusedSum fused_sum_xf32 = {4, -126, -126, false}, fused_sum_f16 = {8, -14, -14, false},
               fused_sum_bf16 = {8, -126, -126, false}, fused_sum_fp8_fp8 = {16, -7, -7, true},
               fused_sum_fp8_bf8 = {16, -7, -15, true}, fused_sum_bf8_fp8 = {16, -15, -7, true},
               fused_sum_bf8_bf8 = {16, -15, -15, true};

// Binary digits that stay: of products behind the point of the largest, of C behind that of what it is
// added to, and of the sum there.
enum { PRODUCT_DIGITS = 24, SUM_DIGITS = 31, MORE_DIGITS = SUM_DIGITS - PRODUCT_DIGITS };
enum { ZERO_EXPONENT = -126, NO_EXPONENT = -300 }; // of a product that is 0; of no product at all

// Of integers alone, which compilers make vectors of.
static inline i32 exponent_of(f32 value, i32 least) {
  const i32 exponent = (i32)(bits_of_f32(value) >> 23 & 0xff) - 127;
  return exponent < least ? least : exponent;
}

static inline bool is_zero(f32 value) { return !(bits_of_f32(value) << 1); }

static f64 power_of_two(i32 exponent) { return f64_of((u64)(exponent + 1023) << 52); }

// For each column the sum of some products, in units of 2^(exponent - PRODUCT_DIGITS).
typedef struct {
  f64 sum[FUSED_SUM_COLUMNS];
  i32 exponent[FUSED_SUM_COLUMNS];
} Sums;

// Inlined, so that the number of columns is constant and they stay in the host's registers.
#define INLINED static inline __attribute__((always_inline))

INLINED void largest_exponents(const FusedSum *kind, int columns, f32 factor, const f32 *b,
                               Sums *s) {
  const i32 of_factor = exponent_of(factor, kind->least_a), least = kind->least_b;
  const bool zero = is_zero(factor);
  for (int j = 0; j < columns; j++) {
    const i32 exponent =
        zero || is_zero(b[j]) ? ZERO_EXPONENT : of_factor + exponent_of(b[j], least);
    s->exponent[j] = exponent > s->exponent[j] ? exponent : s->exponent[j];
  }
}

INLINED void sum_products(const FusedSum *kind, int count, int step, int columns, const f32 *a,
                          const f32 *b, Sums *s) {
  f64 scale[FUSED_SUM_COLUMNS];
  for (int j = 0; j < columns; j++)
    s->exponent[j] = NO_EXPONENT;
  for (int k = 0; k < count; k += step)
    largest_exponents(kind, columns, a[k], b + k * columns, s);
  for (int j = 0; j < columns; j++) {
    scale[j] = power_of_two(PRODUCT_DIGITS - s->exponent[j]);
    s->sum[j] = 0;
  }
  for (int k = 0; k < count; k += step)
    for (int j = 0; j < columns; j++) {
      const f64 product = (f64)a[k] * (f64)b[k * columns + j];
      const f64 infinite = fabs(product) < 0x1p128 ? 1 : INFINITY; // no f32
      s->sum[j] += __builtin_trunc(product * scale[j] * infinite);
    }
}

INLINED void add_sums(int columns, const Sums *other, Sums *s) {
  for (int j = 0; j < columns; j++) {
    const i32 e = s->exponent[j], f = other->exponent[j], larger = e > f ? e : f;
    s->sum[j] = __builtin_floor(s->sum[j] * power_of_two(e - larger)) +
                __builtin_floor(other->sum[j] * power_of_two(f - larger));
    s->exponent[j] = larger;
  }
}

static f32 with_addend(const FusedSum *kind, f64 sum, i32 exponent, f32 c) {
  const i32 of_c = exponent_of(c, -126), larger = of_c > exponent ? of_c : exponent;
  const bool lost = kind->apart && of_c < larger - PRODUCT_DIGITS - 1;
  const f64 units = __builtin_floor(sum * power_of_two(exponent - larger + MORE_DIGITS));
  const f64 of_addend = lost ? 0 : __builtin_floor((f64)c * power_of_two(PRODUCT_DIGITS - larger));
  return (f32)((units + of_addend * (1 << MORE_DIGITS)) * power_of_two(larger - SUM_DIGITS));
}

INLINED void sum_row(const FusedSum *kind, int depth, int columns, const f32 *a, const f32 *b,
                     f32 *d) {
  for (int k = 0; k < depth; k += kind->length) {
    const int count = depth - k < kind->length ? depth - k : kind->length;
    Sums sums, odd;
    sum_products(kind, count, 1 + kind->apart, columns, a + k, b + k * columns, &sums);
    if (kind->apart) {
      sum_products(kind, count - 1, 2, columns, a + k + 1, b + (k + 1) * columns, &odd);
      add_sums(columns, &odd, &sums);
    }
    for (int j = 0; j < columns; j++)
      d[j] = with_addend(kind, sums.sum[j], sums.exponent[j], d[j]);
  }
}

void fused_sum_row(const FusedSum *kind, int depth, int columns, const f32 *a, const f32 *b,
                   f32 *d) {
  if (columns == 32)
    sum_row(kind, depth, 32, a, b, d);
  else if (columns == 16)
    sum_row(kind, depth, 16, a, b, d);
  else
    sum_row(kind, depth, columns, a, b, d);
}

// ---- nothing cut off ----

// What a sum of two f64 loses is an f64, too (Knuth's two-sum).
static void add_exactly(f64 value, f64 *sum, f64 *lost) {
  const f64 total = *sum + value, of_value = total - *sum;
  *lost += (*sum - (total - of_value)) + (value - of_value);
  *sum = total;
}

// What is lost makes the last bit odd, from which rounding again goes the right way.
static f32 rounded_once(f64 sum, f64 lost) {
  f64 rest = 0;
  if (!isfinite(sum))
    return (f32)sum;
  add_exactly(lost, &sum, &rest);
  const u64 bits = bits_of_f64(sum);
  const u64 away = (rest > 0) == (sum > 0) ? bits + 1 : bits - 1;
  return (f32)(rest != 0 && !(bits & 1) ? f64_of(away) : sum);
}

void exact_sum_row(int length, int depth, int columns, const f32 *a, const f32 *b, f32 *d) {
  for (int first = 0; first < depth; first += length) {
    f64 sum[FUSED_SUM_COLUMNS], lost[FUSED_SUM_COLUMNS] = {0};
    for (int j = 0; j < columns; j++)
      sum[j] = d[j];
    for (int k = first; k < first + length && k < depth; k++)
      for (int j = 0; j < columns; j++)
        add_exactly((f64)a[k] * (f64)b[k * columns + j], &sum[j], &lost[j]);
    for (int j = 0; j < columns; j++)
      d[j] = rounded_once(sum[j], lost[j]);
  }
}
