// Sums, products, fused sums, quotients and roots that round up, down or toward zero, as __fadd_ru, __dmul_rd, __ddiv_rz and
// __fsqrt_ru of HIP do: the mode register is set before the operation and reset behind it. The host sets its own and must
// come to the same bits.
#include "check.h"

#include <fenv.h>

enum { THREADS = 256, BLOCKS = 32, COUNT = THREADS * BLOCKS };
enum { SUM, DIFFERENCE, PRODUCT, FUSED, QUOTIENT, ROOT, NARROW, OPERATIONS };
enum { UPWARD, DOWNWARD, TO_ZERO, MODES };

// Operands and results go through the assembly, so that the compiler keeps the operation between.
#define SET_MODE(BITS, A, B, C)                                                                    \
  asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), " #BITS : "+v"(A), "+v"(B), "+v"(C))

// The last step of each rounds by the mode: of a quotient the compiler's, of a root a correction.
template <typename T> __device__ T root(T x) {
  const T guess = sqrt(x), lacks = fma(-guess, guess, x);
  return fma(lacks, T(0.5) / guess, guess);
}

template <typename T> __device__ T operate(int operation, T x, T y, T z) {
  switch (operation) {
  case SUM:
    return x + y;
  case DIFFERENCE:
    return x - y;
  case PRODUCT:
    return x * y;
  case FUSED:
    return fma(x, y, z);
  case QUOTIENT:
    return x / y;
  case ROOT:
    return root(fabs(x));
  default:
    return (T)(float)x;
  }
}

#define OPERATE(BITS, MODE)                                                                        \
  for (int operation = 0; operation < OPERATIONS; operation++) {                                   \
    T x = in[i], y = in[i + COUNT], z = in[i + 2 * COUNT], result;                                 \
    SET_MODE(BITS, x, y, z);                                                                       \
    result = operate(operation, x, y, z);                                                          \
    SET_MODE(0, result, y, z);                                                                     \
    out[(MODE * OPERATIONS + operation) * COUNT + i] = result;                                     \
  }

template <typename T> __global__ void in_all_modes(const T *in, T *out) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  OPERATE(5, UPWARD)
  OPERATE(10, DOWNWARD)
  OPERATE(15, TO_ZERO)
}

#ifndef __HIP_DEVICE_COMPILE__
#pragma STDC FENV_ACCESS ON
#endif

template <typename T> static T on_host(int operation, T x, T y, T z) {
  volatile T a = x, b = y, c = z, result;
  switch (operation) {
  case SUM:
    result = a + b;
    break;
  case DIFFERENCE:
    result = a - b;
    break;
  case PRODUCT:
    result = a * b;
    break;
  case FUSED:
    result = fma(a, b, c);
    break;
  case QUOTIENT:
    result = a / b;
    break;
  case ROOT:
    result = sqrt(fabs(a));
    break;
  default:
    result = (T)(float)a;
  }
  return result;
}

template <typename T> static void compare(const char *type) {
  static const int host_mode[MODES] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  static const char *const name[OPERATIONS] = {
      "sum", "difference", "product", "fused sum", "quotient", "root", "narrowed number"};
  const size_t results = (size_t)MODES * OPERATIONS * COUNT;
  T *in = (T *)host_array(3 * COUNT * sizeof *in), *out = (T *)host_array(results * sizeof *out);
  for (int i = 0; i < 3 * COUNT; i++)
    in[i] = (T)ldexp(random_unit() - 0.5, (int)(random_bits() % 40) - 20);
  void *d_in = to_device(in, 3 * COUNT * sizeof *in),
       *d_out = to_device(NULL, results * sizeof *out);
  in_all_modes<T><<<BLOCKS, THREADS>>>((T *)d_in, (T *)d_out);
  to_host(out, d_out, results * sizeof *out);
  for (size_t n = 0; n < results; n++) {
    const int i = (int)(n % COUNT), operation = (int)(n / COUNT % OPERATIONS),
              mode = (int)(n / COUNT / OPERATIONS);
    fesetround(host_mode[mode]);
    const T wanted = on_host(operation, in[i], in[i + COUNT], in[i + 2 * COUNT]);
    fesetround(FE_TONEAREST);
    if (memcmp(&out[n], &wanted, sizeof wanted))
      DIFFERS("mode %d, %s: the %s of %a, %a, %a is %a, not %a", mode, type, name[operation],
              (double)in[i], (double)in[i + COUNT], (double)in[i + 2 * COUNT], (double)out[n],
              (double)wanted);
  }
  HIP(hipFree(d_in));
  free(in);
  free(out);
}

int main(void) {
  compare<float>("f32");
  compare<double>("f64");
  return verdict();
}
