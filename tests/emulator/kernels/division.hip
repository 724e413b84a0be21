// The compiler's division and square-root sequences (v_div_scale, v_rcp, v_fma, v_div_fmas,
// v_div_fixup; v_rsq or v_sqrt with refinement) must be correctly rounded, as the host's are.
#include "check.h"

enum { PAIRS = 200000 };

template <typename T> __global__ void divide(T *quotient, T *root, const T *a, const T *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < PAIRS) {
    quotient[i] = a[i] / b[i];
    root[i] = sqrt(a[i]);
  }
}

template <typename T, typename BITS> static T of_bits(BITS bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Thirds: arbitrary patterns; near 1; an exponent at either end.
template <typename T, typename BITS> static T operand(int fraction_bits, int bias) {
  BITS bits = (BITS)random_bits();
  BITS fraction = bits & (((BITS)1 << fraction_bits) - 1), sign = bits >> (sizeof bits * 8 - 1);
  BITS exponent = bias - 2 + random_bits() % 4;
  switch (random_bits() % 3) {
  case 0:
    return of_bits<T, BITS>(bits);
  case 1:
    exponent = random_bits() % 2 ? random_bits() % 30 : 2 * bias - random_bits() % 30;
  }
  return of_bits<T, BITS>(sign << (sizeof bits * 8 - 1) | exponent << fraction_bits | fraction);
}

// Near 1, or a third of them 0: what most divisions are of.
template <typename T, typename BITS>
static T usual_operand(int fraction_bits, int bias, bool some_zero) {
  const BITS bits = (BITS)random_bits(), fraction = bits & (((BITS)1 << fraction_bits) - 1),
             sign = bits >> (sizeof bits * 8 - 1) << (sizeof bits * 8 - 1),
             exponent = bias - 2 + random_bits() % 4;
  return of_bits<T, BITS>(
      some_zero && random_bits() % 3 == 0 ? sign : sign | exponent << fraction_bits | fraction);
}

template <typename T> static bool same(T a, T b) {
  return a == b ? signbit(a) == signbit(b) : a != a && b != b;
}

template <typename T, typename BITS>
static void run(const char *name, int fraction_bits, int bias) {
  const T extreme[] = {0, (T)-0.0, 1, -1, 3, INFINITY, -INFINITY, NAN, of_bits<T, BITS>(1),
                       of_bits<T, BITS>(((BITS)1 << fraction_bits) - 1),
                       of_bits<T, BITS>((BITS)1 << fraction_bits),
                       of_bits<T, BITS>(((BITS)(2 * bias + 1) << fraction_bits) - 1),
                       // Quotients halfway between 0 and the least denormal.
                       of_bits<T, BITS>(3), 6, of_bits<T, BITS>(5), 10,
                       // Its inverse is scaled back, and a hair from halfway between two numbers.
                       of_bits<T, BITS>(((BITS)(bias / 25) << fraction_bits) - 1)};
  enum { EXTREMES = sizeof extreme / sizeof *extreme };
  T *a = (T *)host_array(PAIRS * sizeof(T)), *b = (T *)host_array(PAIRS * sizeof(T));
  T *quotient = (T *)host_array(PAIRS * sizeof(T)), *root = (T *)host_array(PAIRS * sizeof(T));
  for (int i = 0; i < PAIRS; i++) {
    a[i] = i < EXTREMES * EXTREMES ? extreme[i / EXTREMES] : operand<T, BITS>(fraction_bits, bias);
    b[i] = i < EXTREMES * EXTREMES ? extreme[i % EXTREMES] : operand<T, BITS>(fraction_bits, bias);
    if (i > PAIRS / 2) {
      a[i] = usual_operand<T, BITS>(fraction_bits, bias, true);
      b[i] = usual_operand<T, BITS>(fraction_bits, bias, false);
    }
  }
  T *da = (T *)to_device(a, PAIRS * sizeof(T)), *db = (T *)to_device(b, PAIRS * sizeof(T)),
    *dq = (T *)to_device(NULL, PAIRS * sizeof(T)), *dr = (T *)to_device(NULL, PAIRS * sizeof(T));
  divide<T><<<(PAIRS + 255) / 256, 256>>>(dq, dr, da, db);
  to_host(quotient, dq, PAIRS * sizeof(T));
  to_host(root, dr, PAIRS * sizeof(T));
  HIP(hipFree(da));
  HIP(hipFree(db));
  for (int i = 0; i < PAIRS; i++) {
    T want = a[i] / b[i], want_root = sizeof(T) == 4 ? (T)sqrtf(a[i]) : (T)sqrt(a[i]);
    if (!same(quotient[i], want))
      DIFFERS("%s %a / %a is %a, not %a", name, (double)a[i], (double)b[i], (double)quotient[i],
              (double)want);
    if (!same(root[i], want_root))
      DIFFERS("%s sqrt(%a) is %a, not %a", name, (double)a[i], (double)root[i], (double)want_root);
  }
  free(a);
  free(b);
  free(quotient);
  free(root);
}

// What v_div_fixup makes of a quotient that overflowed on the way, of numbers that are neither large nor small.
__global__ void fix_up(float *narrow, double *wide, float f, double d) {
  float x = NAN;
  double y = NAN;
  asm volatile("v_div_fixup_f32 %0, %0, %1, %2" : "+v"(x) : "v"(f), "v"(-f));
  asm volatile("v_div_fixup_f64 %0, %0, %1, %2" : "+v"(y) : "v"(d), "v"(-d));
  narrow[threadIdx.x] = x;
  wide[threadIdx.x] = y;
}

static void check_overflow(void) {
  enum { LANES = 64 };
  float narrow[LANES], *device_narrow = (float *)to_device(NULL, sizeof narrow);
  double wide[LANES], *device_wide = (double *)to_device(NULL, sizeof wide);
  for (int i = 0; i < 4; i++) // the first wave is interpreted
    fix_up<<<1, LANES>>>(device_narrow, device_wide, 3, 3);
  to_host(narrow, device_narrow, sizeof narrow);
  to_host(wide, device_wide, sizeof wide);
  for (int i = 0; i < LANES; i++)
    if (narrow[i] != -INFINITY || wide[i] != -INFINITY)
      DIFFERS("quotients that overflowed are %g and %g", (double)narrow[i], wide[i]);
}

int main(void) {
  check_overflow();
  run<float, uint32_t>("float", 23, 127);
  run<double, uint64_t>("double", 52, 1023);
  return verdict();
}
