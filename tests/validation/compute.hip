// Kernels that compute and hardly touch memory: roofs, issue rates, matrix instructions, LDS conflicts,
// instruction mix and occupancy, written anew after what ROCm Compute Profiler and its roofline
// benchmark say of theirs.
//
// In:  compute roof NAME        hbm, l2, l1, lds, fp32, fp64, or a matrix instruction of `matrices`
//      compute matrix NAME      a chain of one matrix instruction, one wavefront a SIMD
//      compute rate NAME        vmov, divergent, smov or snop: 1000 times in each of many wavefronts
//      compute occupancy NAME   vgpr, lds or sgpr, which lets no more wavefronts in
//      compute conflicts        20 launches: 1, 2, ... 20 lanes read different words of one LDS bank
//      compute mix              one instruction of each kind that has a counter
// Out: two lines "time_ms X", then "work W": what the second launch did more than the first, in bytes,
//      floating-point operations or instructions; conflicts and mix: one line a launch and no work.
#include "measure.h"

#include <stdint.h>
#include <string.h>

enum { GROUP = 256, UNITS = 104, WAVES = UNITS * 32, GROUPS = WAVES * 64 / GROUP, KIB = 1024 };

// --- roofs: memory and caches ---

__global__ void copy(double *to, const double *from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

static double roof_hbm(void) {
  enum { SHORT = 1 << 21, LONG = 1 << 22 }; // elements
  double *to = (double *)device_array(LONG * sizeof *to);
  double *from = (double *)device_array(LONG * sizeof *from);
  succeed(hipMemset(from, 0, LONG * sizeof *from), "Clearing the array");
  for (int elements = SHORT; elements <= LONG; elements += LONG - SHORT)
    MEASURE((copy<<<elements / GROUP, GROUP>>>(to, from)));
  return 2.0 * sizeof(double) * (LONG - SHORT);
}

// Each workgroup reads `reads` rows of the array from a row of its own on, round and round.
__global__ void sum_rows(const float *__restrict__ from, float *to, int rows, int reads) {
  float sum = 0;
  int row = blockIdx.x * 37 % rows;
#pragma unroll 32
  for (int n = 0; n < reads; n++) {
    sum += from[row * GROUP + threadIdx.x];
    row = (row + 1) & (rows - 1);
  }
  if (sum == -1)
    to[threadIdx.x] = sum;
}

static double roof_l2(void) {
  enum { BYTES = 8192 * KIB, ROWS = BYTES / (GROUP * sizeof(float)), SHORT = 128, LONG = 256 };
  float *from = (float *)device_array(BYTES);
  succeed(hipMemset(from, 0, BYTES), "Clearing the array");
  for (int reads = SHORT; reads <= LONG; reads += LONG - SHORT)
    MEASURE((sum_rows<<<GROUPS, GROUP>>>(from, from, ROWS, reads)));
  return (double)(LONG - SHORT) * sizeof(float) * GROUP * GROUPS;
}

// All workgroups read the same 16 KiB, in each round one element further on.
enum { L1_FLOATS = 16 * KIB / sizeof(float) };
__global__ void sum_again(const float *from, float *to, int rounds) {
  float sum = 0;
  for (int round = 0; round < rounds; round++) {
#pragma unroll 32
    for (int i = 0; i < L1_FLOATS; i += GROUP)
      sum += from[(threadIdx.x + i + round) % L1_FLOATS];
  }
  to[threadIdx.x] = sum;
}

static double roof_l1(void) {
  enum { SHORT = 8, LONG = 24 }; // rounds
  float *from = (float *)device_array(L1_FLOATS * sizeof *from);
  float *to = (float *)device_array(GROUP * sizeof *to);
  succeed(hipMemset(from, 0, L1_FLOATS * sizeof *from), "Clearing the array");
  for (int rounds = SHORT; rounds <= LONG; rounds += LONG - SHORT)
    MEASURE((sum_again<<<GROUPS, GROUP>>>(from, to, rounds)));
  return (double)(LONG - SHORT) * L1_FLOATS * sizeof(float) * GROUPS;
}

// Each read says where the next one goes; a byte a lane, counted as the four that a bank gives.
__global__ void follow(int *to, int reads) {
  __shared__ uint8_t next[GROUP];
  next[threadIdx.x] = (threadIdx.x + 1) % 64;
  __syncthreads();
  int at = threadIdx.x;
#pragma unroll 64
  for (int n = 0; n < reads; n++)
    at = next[at];
  to[threadIdx.x] = at;
}

static double roof_lds(void) {
  enum { SHORT = 256, LONG = 768 }; // reads
  int *to = (int *)device_array(GROUP * sizeof *to), ended[GROUP];
  for (int reads = SHORT; reads <= LONG; reads += LONG - SHORT) {
    MEASURE((follow<<<GROUPS, GROUP>>>(to, reads)));
    download(ended, to, sizeof ended);
    for (int n = 0; n < GROUP; n++)
      if (ended[n] != (n + reads) % 64)
        fail("Thread %d ended at %d instead of %d.", n, ended[n], (n + reads) % 64);
  }
  return 4.0 * (LONG - SHORT) * GROUP * GROUPS;
}

// --- roofs: vector ALU ---

template <typename T> __global__ void multiply_add(T *p, int rounds) {
  enum { CHAIN = 64 };
  const T factor = p[threadIdx.x];
  T x = 2;
  for (int round = 0; round < rounds; round++) {
#pragma unroll
    for (int n = 0; n < CHAIN; n++)
      x = 1 + factor * x;
  }
  p[threadIdx.x] = -x;
}

template <typename T> static double roof_alu(void) {
  enum { CHAIN = 64, SHORT = 16, LONG = 48 };
  T *p = (T *)device_array(GROUP * sizeof *p);
  succeed(hipMemset(p, 0, GROUP * sizeof *p), "Clearing the array");
  for (int rounds = SHORT; rounds <= LONG; rounds += LONG - SHORT)
    MEASURE((multiply_add<T><<<GROUPS, GROUP>>>(p, rounds)));
  return 2.0 * (LONG - SHORT) * CHAIN * GROUP * GROUPS;
}

// --- one instruction many times ---

enum { FEW = 100, MANY = 200 };
#define TEXT(x) #x
#define REPEATED(times, instruction) ".rept " TEXT(times) "\n" instruction "\n.endr"
#define REGISTERS                                                                                  \
  "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",   \
      "v15", "v16", "v17", "v18", "v19"

// name, instruction, D and C, A, B, floating-point operations
#define MATRICES(X)                                                                                \
  X(f32_32x32x2, "v_mfma_f32_32x32x2f32 v[0:15], v16, v18, v[0:15]", 4096)                         \
  X(f32_16x16x4, "v_mfma_f32_16x16x4f32 v[0:3], v16, v18, v[0:3]", 2048)                           \
  X(f32_4x4x1, "v_mfma_f32_4x4x1f32 v[0:3], v16, v18, v[0:3]", 512)                                \
  X(f16_32x32x8, "v_mfma_f32_32x32x8f16 v[0:15], v[16:17], v[18:19], v[0:15]", 16384)              \
  X(f16_16x16x16, "v_mfma_f32_16x16x16f16 v[0:3], v[16:17], v[18:19], v[0:3]", 8192)               \
  X(f16_4x4x4, "v_mfma_f32_4x4x4f16 v[0:3], v[16:17], v[18:19], v[0:3]", 2048)                     \
  X(bf16_32x32x8, "v_mfma_f32_32x32x8bf16_1k v[0:15], v[16:17], v[18:19], v[0:15]", 16384)         \
  X(bf16_16x16x16, "v_mfma_f32_16x16x16bf16_1k v[0:3], v[16:17], v[18:19], v[0:3]", 8192)          \
  X(bf16_4x4x4, "v_mfma_f32_4x4x4bf16_1k v[0:3], v[16:17], v[18:19], v[0:3]", 2048)                \
  X(i8_32x32x8, "v_mfma_i32_32x32x8i8 v[0:15], v16, v18, v[0:15]", 16384)                          \
  X(i8_16x16x16, "v_mfma_i32_16x16x16i8 v[0:3], v16, v18, v[0:3]", 8192)                           \
  X(i8_4x4x4, "v_mfma_i32_4x4x4i8 v[0:3], v16, v18, v[0:3]", 2048)                                 \
  X(f64_16x16x4, "v_mfma_f64_16x16x4f64 v[0:7], v[16:17], v[18:19], v[0:7]", 2048)                 \
  X(f64_4x4x4, "v_mfma_f64_4x4x4f64 v[0:1], v[16:17], v[18:19], v[0:1]", 512)

#define X(name, instruction, operations)                                                           \
  template <int n> __global__ void name() {                                                        \
    if (n == FEW)                                                                                  \
      asm volatile(REPEATED(100, instruction)::: REGISTERS);                                       \
    else                                                                                           \
      asm volatile(REPEATED(200, instruction)::: REGISTERS);                                       \
  }
MATRICES(X)
#undef X

typedef void Kernel(void);
typedef struct {
  const char *name;
  Kernel *few, *many;
  double operations;
} Matrix;
#define X(name, instruction, operations) {#name, name<FEW>, name<MANY>, operations},
static const Matrix matrices[] = {MATRICES(X)};
#undef X

// One wavefront on each SIMD. Returns the instructions, all wavefronts together.
static double chain_of(const Matrix *matrix) {
  MEASURE((matrix->few<<<UNITS, GROUP>>>()));
  MEASURE((matrix->many<<<UNITS, GROUP>>>()));
  return (double)(MANY - FEW) * UNITS * (GROUP / 64);
}

static const Matrix *matrix_of(const char *name) {
  for (size_t n = 0; n < sizeof matrices / sizeof *matrices; n++)
    if (strcmp(matrices[n].name, name) == 0)
      return &matrices[n];
  fail("There is no matrix instruction '%s' in compute.hip.", name);
}

static double roof(const char *name) {
  static const struct {
    const char *name;
    double (*measure)(void);
  } roofs[] = {{"hbm", roof_hbm}, {"l2", roof_l2},           {"l1", roof_l1},
               {"lds", roof_lds}, {"fp32", roof_alu<float>}, {"fp64", roof_alu<double>}};
  for (size_t n = 0; n < sizeof roofs / sizeof *roofs; n++)
    if (strcmp(roofs[n].name, name) == 0)
      return roofs[n].measure();
  const Matrix *matrix = matrix_of(name);
  return chain_of(matrix) * matrix->operations;
}

__global__ void vmov() { asm volatile(REPEATED(1000, "v_mov_b32 v0, v1")::: "v0", "v1"); }
__global__ void divergent() {
  if (threadIdx.x % 64 == 0)
    asm volatile(REPEATED(1000, "v_mov_b32 v0, v1")::: "v0", "v1");
}
__global__ void smov() { asm volatile(REPEATED(1000, "s_mov_b32 s0, s1")::: "s0", "s1"); }
__global__ void snop() { asm volatile(REPEATED(1000, "s_nop 0x0")); }

static double rate(const char *name) {
  enum { LARGE = 1024, SHORT = 208, LONG = 624 }; // 208 workgroups of 1024 fill the device
  static const struct {
    const char *name;
    Kernel *kernel;
  } rates[] = {{"vmov", vmov}, {"divergent", divergent}, {"smov", smov}, {"snop", snop}};
  for (size_t n = 0; n < sizeof rates / sizeof *rates; n++)
    if (strcmp(rates[n].name, name) == 0) {
      for (int groups = SHORT; groups <= LONG; groups += LONG - SHORT)
        MEASURE((rates[n].kernel<<<groups, LARGE>>>()));
      return 1000.0 * (LONG - SHORT) * (LARGE / 64);
    }
  fail("NAME is vmov, divergent, smov or snop, not '%s'.", name);
}

// --- occupancy: long-lived wavefronts, more than fit ---

#define LONG_LIVED REPEATED(2000, "v_rcp_f64 v[0:1], v[0:1]")

__global__ __launch_bounds__(GROUP) void many_vgprs() {
  asm volatile(LONG_LIVED ::: "v0", "v1", "v123"); // 124 of them, rounded up to 128
}
__global__ __launch_bounds__(GROUP) void few_registers() {
  asm volatile(LONG_LIVED ::: "v0", "v1"); // launched with all LDS of a compute unit
}
__global__ __launch_bounds__(GROUP) void many_sgprs() {
  asm volatile(LONG_LIVED ::: "v0", "v1", "s71"); // with VCC 76 of them: eight wavefronts a SIMD
}

static double occupancy(const char *name) {
  enum { ROUNDS = 3 };
  const bool vgpr = strcmp(name, "vgpr") == 0, lds = strcmp(name, "lds") == 0;
  if (!vgpr && !lds && strcmp(name, "sgpr") != 0)
    fail("NAME is vgpr, lds or sgpr, not '%s'.", name);
  const int at_once = UNITS * (vgpr ? 4 : lds ? 1 : 8); // workgroups
  for (int rounds = 1; rounds <= ROUNDS; rounds += ROUNDS - 1) {
    const int groups = rounds * at_once;
    if (vgpr)
      MEASURE((many_vgprs<<<groups, GROUP>>>()));
    else if (lds)
      MEASURE((few_registers<<<groups, GROUP, 64 * KIB>>>()));
    else
      MEASURE((many_sgprs<<<groups, GROUP>>>()));
  }
  return (ROUNDS - 1) * at_once;
}

// --- LDS conflicts, instruction mix: counts of single launches ---

enum { BANKS = 32, MOST_LANES = 20 };

__global__ void one_bank() {
  int word;
  asm volatile("ds_read_b32 %0, %1\n\ts_waitcnt lgkmcnt(0)"
               : "=v"(word)
               : "v"((int)(threadIdx.x * BANKS * sizeof(int))));
}

static void conflicts(void) {
  for (int lanes = 1; lanes <= MOST_LANES; lanes++)
    MEASURE((one_bank<<<1, lanes, MOST_LANES * BANKS * sizeof(int)>>>()));
}

__global__ void one_of_each() {
  asm volatile("v_add_u32 v0, v1, v0\n\t"
               "v_cmp_eq_i64 vcc, v[2:3], v[4:5]\n\t"
               "v_add_f16 v0, v1, v0\n\t"
               "v_mul_f16 v0, v1, v0\n\t"
               "v_fma_f16 v0, v1, v0, v0\n\t"
               "v_sqrt_f16 v0, v1\n\t"
               "v_add_f32 v0, v1, v0\n\t"
               "v_mul_f32 v0, v1, v0\n\t"
               "v_fma_f32 v0, v1, v0, v1\n\t"
               "v_sqrt_f32 v0, v1\n\t"
               "v_add_f64 v[2:3], v[4:5], v[2:3]\n\t"
               "v_mul_f64 v[2:3], v[4:5], v[2:3]\n\t"
               "v_fma_f64 v[2:3], v[4:5], v[2:3], v[4:5]\n\t"
               "v_sqrt_f64 v[2:3], v[4:5]\n\t"
               "v_cvt_f16_f32 v0, v1" ::
                   : "v0", "v1", "v2", "v3", "v4", "v5", "vcc");
}

int main(int argc, char **argv) {
  const char *what = argc >= 2 ? argv[1] : "";
  if (argc == 2 && strcmp(what, "conflicts") == 0) {
    conflicts();
    return 0;
  }
  if (argc == 2 && strcmp(what, "mix") == 0) {
    MEASURE((one_of_each<<<1, 64>>>()));
    return 0;
  }
  double work;
  if (argc == 3 && strcmp(what, "roof") == 0)
    work = roof(argv[2]);
  else if (argc == 3 && strcmp(what, "matrix") == 0)
    work = chain_of(matrix_of(argv[2]));
  else if (argc == 3 && strcmp(what, "rate") == 0)
    work = rate(argv[2]);
  else if (argc == 3 && strcmp(what, "occupancy") == 0)
    work = occupancy(argv[2]);
  else
    fail("Usage: compute roof NAME | matrix NAME | rate NAME | occupancy NAME | conflicts | mix");
  printf("work %.17g\n", work);
  return 0;
}
