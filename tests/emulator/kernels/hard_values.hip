// The device library's functions at hard values (zeros, denormals, infinities, NaN, the largest
// numbers, arguments of sines that many periods lie before, both sides of powers of two) against
// the host's, in the precision that the host has beyond f64. Errors: the OpenCL C specification
// (section 7.4, "Relative error as ULPs"), whose bounds that library promises.
#include "check.h"

enum { MANTISSAS = 4, MOST = 2048, BLOCK = 256 };

static long double rsqrtl(long double x) { return 1 / sqrtl(x); }
static long double rcbrtl(long double x) { return 1 / cbrtl(x); }
static long double normcdfl(long double x) { return erfcl(-x * 0.70710678118654752440L) / 2; }
static long double rhypotl(long double x, long double y) { return 1 / hypotl(x, y); }

// name, greatest error in ulp
#define UNARY(X)                                                                                   \
  X(acos, 4)                                                                                       \
  X(acosh, 4)                                                                                      \
  X(asin, 4)                                                                                       \
  X(asinh, 4)                                                                                      \
  X(atan, 5)                                                                                       \
  X(atanh, 5)                                                                                      \
  X(cbrt, 2)                                                                                       \
  X(ceil, 0)                                                                                       \
  X(cos, 4)                                                                                        \
  X(cosh, 4)                                                                                       \
  X(erf, 16)                                                                                       \
  X(erfc, 16)                                                                                      \
  X(exp, 3)                                                                                        \
  X(exp10, 3)                                                                                      \
  X(exp2, 3)                                                                                       \
  X(expm1, 3)                                                                                      \
  X(fabs, 0)                                                                                       \
  X(floor, 0)                                                                                      \
  X(log, 3)                                                                                        \
  X(log10, 3)                                                                                      \
  X(log1p, 2)                                                                                      \
  X(log2, 3)                                                                                       \
  X(logb, 0)                                                                                       \
  X(nearbyint, 0)                                                                                  \
  X(normcdf, 16)                                                                                   \
  X(rcbrt, 2)                                                                                      \
  X(rint, 0)                                                                                       \
  X(round, 0)                                                                                      \
  X(rsqrt, 2)                                                                                      \
  X(sin, 4)                                                                                        \
  X(sinh, 4)                                                                                       \
  X(sqrt, 1)                                                                                       \
  X(tan, 5)                                                                                        \
  X(tanh, 5)                                                                                       \
  X(trunc, 0)
#define BINARY(X)                                                                                  \
  X(atan2, 6)                                                                                      \
  X(copysign, 0)                                                                                   \
  X(fdim, 1)                                                                                       \
  X(fmax, 0)                                                                                       \
  X(fmin, 0)                                                                                       \
  X(fmod, 0)                                                                                       \
  X(hypot, 4)                                                                                      \
  X(pow, 16)                                                                                       \
  X(remainder, 0)                                                                                  \
  X(rhypot, 4)

#define ELEMENT (blockIdx.x * blockDim.x + threadIdx.x)
#define X(NAME, ULP)                                                                               \
  __global__ void NAME##_on(float *out, const float *a, const float *b) {                          \
    (void)b;                                                                                       \
    out[ELEMENT] = NAME##f(a[ELEMENT]);                                                            \
  }                                                                                                \
  __global__ void NAME##_on(double *out, const double *a, const double *b) {                       \
    (void)b;                                                                                       \
    out[ELEMENT] = NAME(a[ELEMENT]);                                                               \
  }
UNARY(X)
#undef X
#define X(NAME, ULP)                                                                               \
  __global__ void NAME##_on(float *out, const float *a, const float *b) {                          \
    out[ELEMENT] = NAME##f(a[ELEMENT], b[ELEMENT]);                                                \
  }                                                                                                \
  __global__ void NAME##_on(double *out, const double *a, const double *b) {                       \
    out[ELEMENT] = NAME(a[ELEMENT], b[ELEMENT]);                                                   \
  }
BINARY(X)
#undef X

// Distance in units of the last place of the wanted value, which is rounded only where none is allowed.
template <typename T> static long double error_in_ulp(T got, long double want, bool exact) {
  const T rounded = (T)want;
  if (got == rounded ? exact || std::isinf(rounded) : got != got && want != want)
    return 0;
  if (!std::isfinite(got) || !std::isfinite(rounded))
    return INFINITY;
  const int digits = sizeof(T) == 4 ? 24 : 53, lowest = sizeof(T) == 4 ? -149 : -1074;
  int exponent;
  frexpl(want, &exponent);
  exponent = exponent - digits < lowest ? lowest : exponent - digits;
  return fabsl(got - want) / ldexpl(1, exponent);
}

template <typename T> struct Values { T *a, *b, *device_a, *device_b; };

template <typename T>
static void compare(const char *name, const Values<T> *in,
                    void (*kernel)(T *, const T *, const T *),
                    long double (*reference)(long double, long double), int ulp) {
  static T out[MOST];
  T *device = (T *)to_device(NULL, sizeof out);
  kernel<<<MOST / BLOCK, BLOCK>>>(device, in->device_a, in->device_b);
  to_host(out, device, sizeof out);
  for (int i = 0; i < MOST; i++) {
    const long double want = reference(in->a[i], in->b[i]);
    if (!(error_in_ulp(out[i], want, ulp == 0) <= ulp))
      DIFFERS("%s of f%zu(%a, %a) is %a, not %La", name, 8 * sizeof(T), (double)in->a[i],
              (double)in->b[i], (double)out[i], want);
  }
}

template <typename T, typename BITS> static T of_bits(BITS bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Exponents from one end to the other, and all of them around 1; each with the least, the next, the
// middle and the greatest mantissa.
template <typename T, typename BITS> static Values<T> values(int fraction_bits, int bias) {
  static T a[MOST], b[MOST];
  const BITS one = 1,
             mantissa[MANTISSAS] = {0, 1, one << (fraction_bits - 1), (one << fraction_bits) - 1};
  const int groups = MOST / MANTISSAS / 2, around = 100;
  for (int i = 0; i < MOST; i++) {
    const int group = i / MANTISSAS / 2;
    const int exponent = group < around ? bias - 30 + group
                                        : (group - around) * (2 * bias + 1) / (groups - around - 1);
    const BITS sign = (BITS)(i / MANTISSAS % 2) << (8 * sizeof(BITS) - 1);
    a[i] = of_bits<T, BITS>(sign | (BITS)exponent << fraction_bits | mantissa[i % MANTISSAS]);
  }
  for (int i = 0; i < MOST; i++) // neighbours, and others far away
    b[i] = a[i % 3 ? (i * 5 + 3) % MOST : (i + 8) % MOST];
  return {a, b, (T *)to_device(a, sizeof a), (T *)to_device(b, sizeof b)};
}

// A signalling NaN becomes quiet, and keeps its sign and the rest of its bits.
__global__ void quiet(const float *f, const double *d, unsigned *of_f, unsigned long long *of_d) {
  *of_f = __float_as_uint(__builtin_canonicalizef(*f));
  *of_d = (unsigned long long)__double_as_longlong(__builtin_canonicalize(*d));
}
static void check_quiet(void) {
  const unsigned f = 0xff812345;
  const unsigned long long d = 0x7ff123456789abcd;
  unsigned *of_f = (unsigned *)to_device(NULL, sizeof *of_f), found_f;
  unsigned long long *of_d = (unsigned long long *)to_device(NULL, sizeof *of_d), found_d;
  quiet<<<1, 1>>>((float *)to_device(&f, sizeof f), (double *)to_device(&d, sizeof d), of_f, of_d);
  to_host(&found_f, of_f, sizeof found_f);
  to_host(&found_d, of_d, sizeof found_d);
  if (found_f != 0xffc12345 || found_d != 0x7ff923456789abcd)
    DIFFERS("signalling NaNs become %x and %llx", found_f, found_d);
}

int main(void) {
  check_quiet();
  const Values<float> single = values<float, uint32_t>(23, 127);
  const Values<double> twice = values<double, uint64_t>(52, 1023);
#define X(NAME, ULP)                                                                               \
  {                                                                                                \
    auto reference = [](long double x, long double) { return NAME##l(x); };                        \
    compare<float>(#NAME, &single, NAME##_on, reference, ULP);                                     \
    compare<double>(#NAME, &twice, NAME##_on, reference, ULP);                                     \
  }
  UNARY(X)
#undef X
#define X(NAME, ULP)                                                                               \
  {                                                                                                \
    auto reference = [](long double x, long double y) { return NAME##l(x, y); };                   \
    compare<float>(#NAME, &single, NAME##_on, reference, ULP);                                     \
    compare<double>(#NAME, &twice, NAME##_on, reference, ULP);                                     \
  }
  BINARY(X)
#undef X
  return verdict();
}
