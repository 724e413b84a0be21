// Registers begin as zeros, whatever waves before have left there: a wave that reads lanes which it has
// not written finds 0, on every run.
//
// In: waves that fill their registers, then ones that read a lane which was off when its register was
// written: of a whole wave, of one that begins with fewer lanes, in a loop, and never written at all.
// Out: zeros.
#include "check.h"

__global__ void fill(int value) {
  asm volatile("v_mov_b32 v20, %0\n v_mov_b32 v21, %0\n v_accvgpr_write_b32 a3, %0"
               :
               : "v"(value)
               : "v20", "v21", "v24", "a3");
}

// Lane 40, which is off meanwhile.
#define READ_LANE_40(SUM)                                                                          \
  do {                                                                                             \
    int part;                                                                                      \
    asm volatile("s_mov_b64 s[20:21], exec\n s_mov_b64 exec, -1\n v_readlane_b32 %0, v20, 40\n"    \
                 "s_mov_b64 exec, s[20:21]"                                                        \
                 : "=s"(part)                                                                      \
                 :                                                                                 \
                 : "s20", "s21", "v24");                                                           \
    SUM += part;                                                                                   \
  } while (0)

__global__ void written_by_some(int *out, int lanes) {
  int sum = 0;
  if ((int)threadIdx.x < lanes)
    asm volatile("v_mov_b32 v20, 5" ::: "v20", "v24");
  READ_LANE_40(sum);
  out[threadIdx.x] = sum;
}

__global__ void written_at_once(int *out) {
  int sum = 0;
  asm volatile("v_mov_b32 v20, 5" ::: "v20", "v24");
  READ_LANE_40(sum);
  out[threadIdx.x] = sum;
}

__global__ void never_written(int *out) {
  int vector, accumulator;
  asm volatile("v_mov_b32 %0, v21\n v_accvgpr_read_b32 %1, a3"
               : "=v"(vector), "=v"(accumulator)
               :
               : "v21", "v24", "a3");
  out[threadIdx.x] = vector | accumulator;
}

static void expect(const char *what, const int *out, int threads, int value) {
  static int found[64];
  HIP(hipMemcpy(found, out, threads * sizeof *out, hipMemcpyDeviceToHost));
  for (int i = 0; i < threads; i++)
    if (found[i] != value)
      DIFFERS("%s: thread %d reads %d, not %d", what, i, found[i], value);
}

int main(void) {
  int *out = (int *)to_device(NULL, 64 * sizeof *out);
  fill<<<8, 64>>>(1 << 20);
  written_by_some<<<1, 64>>>(out, 32);
  expect("lanes switched on later", out, 64, 0);
  fill<<<8, 64>>>(1 << 20);
  written_by_some<<<1, 64>>>(out, 64);
  expect("all lanes", out, 64, 5);
  fill<<<8, 64>>>(1 << 20);
  written_at_once<<<1, 32>>>(out);
  expect("lanes that the workgroup lacks", out, 32, 0);
  fill<<<8, 64>>>(1 << 20);
  never_written<<<1, 64>>>(out);
  expect("registers of nobody", out, 64, 0);
  return verdict();
}
