// Half precision: conversions of every pattern, arithmetic on halves and pairs, atomics-free sums.
#include "check.h"

#include <hip/hip_fp16.h>

__global__ void convert(const unsigned short *bits, float *as_float, unsigned short *back,
                        int *as_int) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  _Float16 value = __builtin_bit_cast(_Float16, bits[i]);
  as_float[i] = (float)value;
  back[i] = __builtin_bit_cast(unsigned short, (_Float16)((float)value * 1.0009765625f));
  as_int[i] = value < (_Float16)30000.0f && value > (_Float16)-30000.0f ? (int)value : 77;
}

__global__ void pairs(const __half2 *a, const __half2 *b, __half2 *out) {
  int i = threadIdx.x;
  out[4 * i] = __hadd2(a[i], b[i]);
  out[4 * i + 1] = __hmul2(a[i], b[i]);
  out[4 * i + 2] = __hfma2(a[i], b[i], a[(i + 1) % 64]);
  out[4 * i + 3] = __hsub2(__lowhigh2highlow(a[i]), b[i]);
}

// Both orders of the same halves, in a block whose last wave is not whole.
__global__ void pick(const _Float16 *a, const _Float16 *b, _Float16 *out) {
  int i = threadIdx.x;
  _Float16 x = a[i], y = b[i];
  bool less = x < y;
  bool greater = x > y;
  out[i] = (i & 1 ? less : greater) ? y : x;
}

static unsigned short bits_of(_Float16 value) {
  unsigned short bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void check_conversions(void) {
  enum { N = 65536 };
  static unsigned short bits[N], back[N];
  static float as_float[N];
  static int as_int[N];
  for (int i = 0; i < N; i++)
    bits[i] = i;
  unsigned short *dbits = (unsigned short *)to_device(bits, sizeof bits),
                 *dback = (unsigned short *)to_device(NULL, sizeof back);
  float *dfloat = (float *)to_device(NULL, sizeof as_float);
  int *dint = (int *)to_device(NULL, sizeof as_int);
  convert<<<N / 256, 256>>>(dbits, dfloat, dback, dint);
  to_host(as_float, dfloat, sizeof as_float);
  to_host(back, dback, sizeof back);
  to_host(as_int, dint, sizeof as_int);
  HIP(hipFree(dbits));
  for (int i = 0; i < N; i++) {
    int exponent = i >> 10 & 31, fraction = i & 1023;
    double value = exponent == 31  ? (fraction ? NAN : INFINITY)
                   : exponent == 0 ? ldexp(fraction, -24)
                                   : ldexp(1024 + fraction, exponent - 25);
    value = i & 0x8000 ? -value : value;
    if (value != value ? as_float[i] == as_float[i] : as_float[i] != (float)value)
      DIFFERS("half %04x is %g, not %g", i, as_float[i], value);
    unsigned short want = bits_of((_Float16)((float)value * 1.0009765625f));
    if (value == value ? back[i] != want : (back[i] & 0x7fff) <= 0x7c00)
      DIFFERS("half %04x comes back as %04x, not %04x", i, back[i], want);
    if (value == value && as_int[i] != (fabs(value) < 30000 ? (int)value : 77))
      DIFFERS("half %04x as int is %d", i, as_int[i]);
  }
}

static void check_pairs(void) {
  _Float16 a[128], b[128], out[512];
  for (int i = 0; i < 128; i++) {
    a[i] = (_Float16)(random_unit() * 8 - 4);
    b[i] = (_Float16)(random_unit() * 8 - 4);
  }
  __half2 *da = (__half2 *)to_device(a, sizeof a), *db = (__half2 *)to_device(b, sizeof b),
          *dout = (__half2 *)to_device(NULL, sizeof out);
  pairs<<<1, 64>>>(da, db, dout);
  to_host(out, dout, sizeof out);
  HIP(hipFree(da));
  HIP(hipFree(db));
  for (int i = 0; i < 64; i++)
    for (int h = 0; h < 2; h++) {
      double x = a[2 * i + h], y = b[2 * i + h], next = a[(2 * i + 2 + h) % 128],
             other = a[2 * i + 1 - h];
      const _Float16 want[] = {(_Float16)(x + y), (_Float16)(x * y), (_Float16)(x * y + next),
                               (_Float16)(other - y)}; // x * y + next is exact in double
      for (int r = 0; r < 4; r++)
        if (bits_of(out[8 * i + 2 * r + h]) != bits_of(want[r]))
          DIFFERS("pair %d, half %d, operation %d: %g, not %g", i, h, r,
                  (double)out[8 * i + 2 * r + h], (double)want[r]);
    }
}

static void check_orders(void) {
  enum { N = 117 };
  _Float16 a[N], b[N], out[N];
  for (int i = 0; i < N; i++) {
    a[i] = (_Float16)(random_unit() * 8 - 4);
    b[i] = (_Float16)(random_unit() * 8 - 4);
  }
  _Float16 *da = (_Float16 *)to_device(a, sizeof a), *db = (_Float16 *)to_device(b, sizeof b),
           *dout = (_Float16 *)to_device(NULL, sizeof out);
  pick<<<1, N>>>(da, db, dout);
  to_host(out, dout, sizeof out);
  HIP(hipFree(da));
  HIP(hipFree(db));
  for (int i = 0; i < N; i++) {
    double x = a[i], y = b[i], want = (i & 1 ? x < y : x > y) ? y : x;
    if ((double)out[i] != want)
      DIFFERS("of %g and %g thread %d takes %g, not %g", x, y, i, (double)out[i], want);
  }
}

int main(void) {
  check_conversions();
  check_orders();
  check_pairs();
  return verdict();
}
