// Integer arithmetic of every width against the host: division, remainders, products, shifts, bits.
#include "check.h"

enum { RESULTS = 28 };

// The same function on both sides; what the compiler makes of it differs.
__host__ __device__ static int popcount64(unsigned long long x) {
#ifdef __HIP_DEVICE_COMPILE__
  return __popcll(x);
#else
  return __builtin_popcountll(x);
#endif
}

__host__ __device__ static int leading64(unsigned long long x) {
#ifdef __HIP_DEVICE_COMPILE__
  return __clzll(x);
#else
  return x ? __builtin_clzll(x) : 64;
#endif
}

__host__ __device__ static int leading32(unsigned x) {
#ifdef __HIP_DEVICE_COMPILE__
  return __clz(x);
#else
  return x ? __builtin_clz(x) : 32;
#endif
}

__host__ __device__ static int first_set(unsigned x) {
#ifdef __HIP_DEVICE_COMPILE__
  return __ffs(x);
#else
  return __builtin_ffs(x);
#endif
}

__host__ __device__ static unsigned reversed(unsigned x) {
#ifdef __HIP_DEVICE_COMPILE__
  return __brev(x);
#else
  unsigned r = 0;
  for (int i = 0; i < 32; i++)
    r |= (x >> i & 1) << (31 - i);
  return r;
#endif
}

__host__ __device__ static void compute(unsigned long long a, unsigned long long b,
                                        unsigned long long *out) {
  unsigned ua = (unsigned)a, ub = (unsigned)b, s = ub & 63;
  int ia = (int)ua, ib = (int)ub;
  long long la = (long long)a, lb = (long long)b;
  short ha = (short)a, hb = (short)b;
  signed char ca = (signed char)a, cb = (signed char)b;
  unsigned nonzero = ub ? ub : 3, safe = ib == 0 || ib == -1 ? 7 : 0;
  unsigned long long wide = b ? b : 5;
  long long divisor = lb == 0 || lb == -1 ? 9 : lb;
  out[0] = ua / nonzero, out[1] = ua % nonzero;
  out[2] = (unsigned)(ia / (safe ? 7 : ib)), out[3] = (unsigned)(ia % (safe ? 7 : ib));
  out[4] = a / wide, out[5] = a % wide;
  out[6] = (unsigned long long)(la / divisor), out[7] = (unsigned long long)(la % divisor);
  out[8] = a / 10, out[9] = a % 1000003, out[10] = ua / 7, out[11] = (unsigned)(ia / 60);
  out[12] = a * b, out[13] = (unsigned long long)((unsigned __int128)a * b >> 64);
  out[14] = (unsigned long long)((__int128)la * lb >> 64);
  out[15] = (unsigned)((unsigned long long)ua * ub >> 32),
  out[16] = (unsigned)((long long)ia * ib >> 32);
  out[17] = a << s, out[18] = a >> s, out[19] = (unsigned long long)(la >> s);
  out[20] = a << s | a >> (63 - s), out[21] = popcount64(a) * 100 + leading64(b);
  out[22] = leading32(ua) * 100 + first_set(ub), out[23] = reversed(ua);
  out[24] = (unsigned)(short)(ha * hb) ^ (unsigned)(unsigned short)(ha + hb) << 16;
  out[25] = (unsigned)(signed char)(ca + cb) ^ (unsigned)(ca * cb) << 8 ^ (unsigned)(cb < ca) << 31;
  out[26] = (la < lb) | (a < b) << 1 | (ia <= ib) << 2 | (ua > ub) << 3 | (ha >= hb) << 4;
  out[27] = (a > b ? a - b : b - a) + (ia > ib ? ia : ib) + (unsigned long long)(la < lb ? la : lb);
}

__global__ void kernel(const unsigned long long *a, const unsigned long long *b,
                       unsigned long long *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    compute(a[i], b[i], out + (size_t)RESULTS * i);
}

int main(void) {
  enum { N = 20000 };
  static const unsigned long long extreme[] = {0,
                                               1,
                                               2,
                                               3,
                                               10,
                                               0x7f,
                                               0x80,
                                               0xff,
                                               0x7fff,
                                               0x8000,
                                               0xffff,
                                               0x7fffffff,
                                               0x80000000,
                                               0xffffffff,
                                               0x100000000,
                                               0x7fffffffffffffff,
                                               0x8000000000000000,
                                               ~0ull,
                                               ~1ull};
  enum { EXTREMES = sizeof extreme / sizeof *extreme };
  static unsigned long long a[N], b[N], out[N * RESULTS], want[RESULTS];
  for (int i = 0; i < N; i++) {
    a[i] = i < EXTREMES * EXTREMES ? extreme[i / EXTREMES] : random_bits() >> random_bits() % 64;
    b[i] = i < EXTREMES * EXTREMES ? extreme[i % EXTREMES] : random_bits() >> random_bits() % 64;
  }
  unsigned long long *da = (unsigned long long *)to_device(a, sizeof a),
                     *db = (unsigned long long *)to_device(b, sizeof b),
                     *dout = (unsigned long long *)to_device(NULL, sizeof out);
  kernel<<<(N + 255) / 256, 256>>>(da, db, dout, N);
  to_host(out, dout, sizeof out);
  HIP(hipFree(da));
  HIP(hipFree(db));
  for (int i = 0; i < N; i++) {
    compute(a[i], b[i], want);
    for (int r = 0; r < RESULTS; r++)
      if (out[(size_t)RESULTS * i + r] != want[r])
        DIFFERS("result %d of %llx, %llx: %llx, not %llx", r, a[i], b[i],
                out[(size_t)RESULTS * i + r], want[r]);
  }
  return verdict();
}
