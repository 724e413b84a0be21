// Kernels that want zeros in the place of f32's denormals, as -fgpu-flush-denormals-to-zero makes them: operands and
// results of f32, and of nothing else. Division keeps denormals for a while, as the compiler's code for it does.
#include "check.h"

#define KEEP_F32_DENORMALS(BITS) asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), " #BITS)

enum { THREADS = 64, RESULTS = 8 };

// Volatile, so that each operation stands where the mode is set.
__global__ void flushed(const float *in, float *out, double *out_f64, _Float16 *out_f16) {
  const int i = threadIdx.x;
  volatile float tiny = in[i], half = 0.5f;
  volatile double tiny_f64 = 1e-308;
  volatile _Float16 tiny_f16 = (_Float16)0x1p-14f;
  float *result = out + i * RESULTS;
  result[0] = tiny * half;
  KEEP_F32_DENORMALS(0);
  result[1] = tiny * half;
  result[2] = tiny + 0.0f;
  result[3] = fmaxf(tiny, -1.0f);
  result[4] = (float)(tiny == 0.0f);
  result[5] = tiny; // a copy
  out_f64[i] = tiny_f64 / 16;
  out_f16[i] = tiny_f16 * (_Float16)0.5f;
  KEEP_F32_DENORMALS(1); // of results, not of operands
  result[6] = tiny * half;
  KEEP_F32_DENORMALS(3);
  result[7] = tiny * half;
}

static float flush(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

int main(void) {
  static float in[THREADS], out[THREADS][RESULTS];
  static double out_f64[THREADS];
  static _Float16 out_f16[THREADS];
  for (int i = 0; i < THREADS; i++)
    in[i] = ldexpf(i % 2 ? -1.25f : 1.25f, -149 + i);
  void *d_in = to_device(in, sizeof in), *d_out = to_device(NULL, sizeof out);
  void *d_f64 = to_device(NULL, sizeof out_f64), *d_f16 = to_device(NULL, sizeof out_f16);
  flushed<<<1, THREADS>>>((float *)d_in, (float *)d_out, (double *)d_f64, (_Float16 *)d_f16);
  to_host(out, d_out, sizeof out);
  to_host(out_f64, d_f64, sizeof out_f64);
  to_host(out_f16, d_f16, sizeof out_f16);
  for (int i = 0; i < THREADS; i++) {
    const float x = in[i], zero = flush(x);
    const float wanted[RESULTS] = {
        x / 2, flush(zero / 2), zero + 0.0f, fmaxf(zero, -1.0f), (float)(zero == 0),
        x,     zero / 2,        x / 2};
    for (int k = 0; k < RESULTS; k++)
      if (memcmp(&out[i][k], &wanted[k], sizeof wanted[k]))
        DIFFERS("result %d of %a is %a, not %a", k, x, out[i][k], wanted[k]);
    if (out_f64[i] != 1e-308 / 16 || (float)out_f16[i] != 0x1p-15f)
      DIFFERS("a denormal of f64 or f16 is %a or %a", out_f64[i], (float)out_f16[i]);
  }
  return verdict();
}
