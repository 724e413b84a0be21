// The device library's functions against the host's: within the error that the OpenCL C
// specification (section 7.4, "Relative error as ULPs") allows, which is what that library
// promises.
#include "check.h"

enum { N = 4096 };

// name, range of the argument, greatest error in ulp
#define FUNCTIONS(X)                                                                               \
  X(sin, -100, 100, 4)                                                                             \
  X(cos, -100, 100, 4)                                                                             \
  X(tan, -1.5, 1.5, 5)                                                                             \
  X(asin, -1, 1, 4)                                                                                \
  X(acos, -1, 1, 4)                                                                                \
  X(atan, -50, 50, 5)                                                                              \
  X(sinh, -20, 20, 4)                                                                              \
  X(cosh, -20, 20, 4)                                                                              \
  X(tanh, -5, 5, 5)                                                                                \
  X(exp, -80, 80, 3)                                                                               \
  X(exp2, -120, 120, 3)                                                                            \
  X(expm1, -3, 3, 3)                                                                               \
  X(log, 1e-30, 1e30, 3)                                                                           \
  X(log2, 1e-3, 1e3, 3)                                                                            \
  X(log10, 1e-3, 1e3, 3)                                                                           \
  X(log1p, -0.9, 5, 2)                                                                             \
  X(cbrt, -1000, 1000, 2)                                                                          \
  X(erf, -3, 3, 16)                                                                                \
  X(tgamma, 0.5, 20, 16)                                                                           \
  X(rsqrt, 1e-3, 1e3, 2)

static long double rsqrtl(long double x) { return 1 / sqrtl(x); }

#define X(NAME, LOW, HIGH, ULP)                                                                    \
  __global__ void NAME##_f32(float *out, const float *in) {                                        \
    out[blockIdx.x * blockDim.x + threadIdx.x] =                                                   \
        NAME##f(in[blockIdx.x * blockDim.x + threadIdx.x]);                                        \
  }                                                                                                \
  __global__ void NAME##_f64(double *out, const double *in) {                                      \
    out[blockIdx.x * blockDim.x + threadIdx.x] = NAME(in[blockIdx.x * blockDim.x + threadIdx.x]);  \
  }
FUNCTIONS(X)
#undef X

__global__ void pow_f32(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = powf(fabsf(in[i]), in[(i * 7 + 1) % N]);
}
__global__ void pow_f64(double *out, const double *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = pow(fabs(in[i]), in[(i * 7 + 1) % N]);
}

// Distance in units of the last place of the wanted value.
template <typename T> static double error_in_ulp(T got, long double want) {
  T rounded = (T)want;
  if (got == rounded || (got != got && want != want))
    return 0;
  if (!isfinite(got) || !isfinite(rounded))
    return INFINITY;
  int digits = sizeof(T) == 4 ? 24 : 53, lowest = sizeof(T) == 4 ? -149 : -1074;
  int exponent = rounded == 0 ? lowest : ilogb((double)rounded) - digits + 1;
  return (double)fabsl(((long double)got - want) /
                       ldexpl(1, exponent < lowest ? lowest : exponent));
}

template <typename T>
static void run(const char *name, void (*kernel)(T *, const T *), double low, double high,
                double limit, long double (*host)(long double)) {
  static T in[N], out[N];
  for (int i = 0; i < N; i++)
    in[i] =
        (T)(low > 0 ? low * pow(high / low, random_unit()) : low + (high - low) * random_unit());
  T *din = (T *)to_device(in, sizeof in), *dout = (T *)to_device(NULL, sizeof out);
  kernel<<<N / 256, 256>>>(dout, din);
  to_host(out, dout, sizeof out);
  HIP(hipFree(din));
  for (int i = 0; i < N; i++) {
    long double want = host ? host(in[i]) : powl(fabsl(in[i]), in[(i * 7 + 1) % N]);
    double error = error_in_ulp<T>(out[i], want);
    if (!(error <= limit))
      DIFFERS("%s(%.17g) of %zu bytes is %.17g, not %.17Lg: %.1f ulp of %g", name, (double)in[i],
              sizeof(T), (double)out[i], want, error, limit);
  }
}

int main(void) {
#define X(NAME, LOW, HIGH, ULP)                                                                    \
  run<float>(#NAME, NAME##_f32, LOW, HIGH, ULP, NAME##l);                                          \
  run<double>(#NAME, NAME##_f64, LOW, HIGH, ULP, NAME##l);
  FUNCTIONS(X)
#undef X
  run<float>("pow", pow_f32, -12, 12, 16, NULL);
  run<double>("pow", pow_f64, -12, 12, 16, NULL);
  run<float>("sin, large", sin_f32, -1e9, 1e9, 4, sinl);
  run<double>("cos, large", cos_f64, -1e15, 1e15, 4, cosl);
  return verdict();
}
