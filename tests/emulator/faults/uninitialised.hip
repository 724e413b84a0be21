// Kernels that compute with what nobody has written, in the ways that values go: scalar registers, masks of lanes,
// arithmetic of each kind, comparisons, exchanges; and others that only move it. Material of test_uninitialised.py.
//
// In: the name of a case. Out: the emulator's sentences on stderr; on stdout the name of the HIP error
// that hipDeviceSynchronize returned.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <string.h>

enum { N = 1024, WAVE = 64 };

static int *fresh, *other; // that nobody writes
static int *zeros, *out;

// ---- scalar registers and masks ----

__global__ void adds_one_to_all(const int *from, int *to) { to[threadIdx.x] = *from + 1; }
__global__ void copies_one_to_all(const int *from, int *to) { to[threadIdx.x] = *from; }
__global__ void chooses(const int *from, int *to) {
  to[threadIdx.x] = from[threadIdx.x] > 3 ? 10 : 20;
}
__global__ void counts_votes(const int *from, int *to) {
  to[threadIdx.x] = __popcll(__ballot(from[threadIdx.x] > 0));
}
__global__ void asks_for_any(const int *from, int *to) {
  to[threadIdx.x] = __any(from[threadIdx.x] > 0) ? 1 : 2;
}
__global__ void adds_in_one_lane(const int *from, int *to) {
  int sum = 0, one = __builtin_amdgcn_readfirstlane(from[threadIdx.x]) + 1;
  asm volatile("v_writelane_b32 %0, %1, 5" : "+v"(sum) : "s"(one));
  to[threadIdx.x] = sum;
}
__global__ void chooses_by_what_is_known(const int *from, const int *known, int *to) {
  to[threadIdx.x] = known[threadIdx.x] > 3 ? from[threadIdx.x] * 3 : 20;
}
__global__ void one_lane_moves(const int *from, int *to) {
  int sum = 0, one = __builtin_amdgcn_readfirstlane(from[threadIdx.x]);
  asm volatile("v_writelane_b32 %0, %1, 5" : "+v"(sum) : "s"(one));
  to[threadIdx.x] = sum;
}

// A register that M0 chooses, as it does of small arrays.
__global__ void picks(const int *from, int *to, int index) {
  int element = from[threadIdx.x];
  asm volatile("s_set_gpr_idx_on %1, 1\n"
               "v_or_b32 %0, %0, %0\n"
               "s_set_gpr_idx_off"
               : "+v"(element)
               : "s"(index)
               : "m0");
  to[threadIdx.x] = element;
}

// ---- what a comparison may find ----

__global__ void is_in_range(const int *from, int *to) {
  if (from[threadIdx.x] >= 100 && from[threadIdx.x] < 200)
    to[threadIdx.x] = 1;
}
__global__ void has_a_bit_of_the_sum(const int *from, int *to) {
  if ((from[threadIdx.x] + 1) & 16)
    to[threadIdx.x] = 1;
}
__global__ void has_three_bits(const int *from, int *to) {
  if (__popc((unsigned)from[threadIdx.x]) == 3)
    to[threadIdx.x] = 1;
}
__global__ void is_three_sevenths(const int *from, int *to) {
  if (from[threadIdx.x] / 7 == 3)
    to[threadIdx.x] = 1;
}
__global__ void is_one_as_float(const unsigned *from, const float *one, int *to) {
  if ((float)from[threadIdx.x] == *one)
    to[threadIdx.x] = 1;
}
template <typename T> __global__ void is_infinite(const T *from, int *to) {
  if (isinf(from[threadIdx.x]))
    to[threadIdx.x] = 1;
}
template <typename T> __global__ void is_the_negative(const T *from, const T *of, int *to) {
  if (from[threadIdx.x] == -of[threadIdx.x])
    to[threadIdx.x] = 1;
}
__global__ void differ_by_five(const int *from, const int *second, int *to) {
  if (from[threadIdx.x] - second[threadIdx.x] == 5)
    to[threadIdx.x] = 1;
}
__global__ void differ_in_bits(const int *from, const int *second, int *to) {
  if ((from[threadIdx.x] ^ second[threadIdx.x]) == 5)
    to[threadIdx.x] = 1;
}
__global__ void compares_to_itself(const int *from, int *to) {
  int x = from[threadIdx.x], y;
  asm volatile("v_xor_b32 %0, %1, %1" : "=v"(y) : "v"(x));
  if (y == 0)
    to[threadIdx.x] = 1;
}

// ---- arithmetic whose result is stored ----

template <typename T> __global__ void adds_one(const T *from, T *to) {
  to[threadIdx.x] = (T)(from[threadIdx.x] + (T)1);
}
template <typename T> __global__ void squares(const T *from, T *to) {
  to[threadIdx.x] = (T)(from[threadIdx.x] * from[threadIdx.x]);
}
__global__ void takes_the_larger_float(const float *from, float *to) {
  to[threadIdx.x] = fmaxf(from[threadIdx.x], 5);
}
__global__ void adds_pairs(const __half2 *from, __half2 *to) {
  to[threadIdx.x] = __hadd2(from[threadIdx.x], from[threadIdx.x]);
}
__global__ void sums_four_products(const int *from, int *to) {
  to[threadIdx.x] = __builtin_amdgcn_sdot4(from[threadIdx.x], 3, 5, false);
}
typedef float Four __attribute__((ext_vector_type(4)));
__global__ void adds_to_a_product(const float *a, Four *to) {
  Four sum;
  asm volatile("" : "=v"(sum));
  to[threadIdx.x] = __builtin_amdgcn_mfma_f32_16x16x4f32(a[threadIdx.x], 1, sum, 0, 0, 0);
}
__global__ void packs_two_bytes(const unsigned char *from, short *to) {
  to[threadIdx.x] = (short)(from[2 * threadIdx.x] | from[2 * threadIdx.x + 1] << 8);
}

// ---- exchanges ----

__global__ void takes_a_fresh_lock(int *lock, int *to) {
  if (threadIdx.x == 0 && atomicCAS(lock, 0, 1) == 0)
    *to = 1;
}
__global__ void branches_on_what_was_there(int *place, int *to) {
  if (atomicExch(&place[threadIdx.x], 1) > 3)
    to[threadIdx.x] = 1;
}
__global__ void leaves_one(int *place) { atomicExch(&place[threadIdx.x], 1); }
__global__ void stores_lower_halves(int *to) { to[2 * threadIdx.x] = 1; }
__global__ void counts_in_64_bits(unsigned long long *sum) { atomicAdd(&sum[threadIdx.x], 1ull); }

// What LDS holds before anything is stored there is not 0.
__global__ void chooses_by_words_of_one_byte(int *to) { // lanes lie apart
  enum { APART = 17 };
  __shared__ int tile[WAVE * APART];
  ((unsigned char *)&tile[threadIdx.x * APART])[0] = 1;
  __syncthreads();
  to[threadIdx.x] = tile[threadIdx.x * APART] > 3 ? 10 : 20;
}
__global__ void copies_fresh_lds(int *to) {
  __shared__ int tile[2 * WAVE];
  tile[threadIdx.x] = (int)threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = tile[threadIdx.x + WAVE];
}
__global__ void branches(const int *from, int *to) {
  if (from[threadIdx.x] > 3)
    to[threadIdx.x] = 1;
}

__global__ void reduces_an_unpadded_tail(const float *from, float *to, unsigned n) {
  __shared__ float sum[2 * WAVE];
  if (threadIdx.x < n)
    sum[threadIdx.x] = from[threadIdx.x];
  for (unsigned half = WAVE; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      sum[threadIdx.x] += sum[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    *to = sum[0];
}
__global__ void flags_through_lds(const int *from, int *to) {
  __shared__ int large[WAVE];
  large[threadIdx.x] = from[threadIdx.x] > 3;
  __syncthreads();
  if (large[WAVE - 1 - threadIdx.x])
    to[threadIdx.x] = 1;
}
__global__ void sums_in_an_array(const int *from, int *to, int steps) {
  int sum[WAVE];
  for (int i = 0; i < steps; i++)
    sum[i * 7 % WAVE] += from[i];
  for (int i = 0; i < WAVE; i++)
    to[WAVE * threadIdx.x + i] = sum[(i + steps) % WAVE];
}

// Loads of 16 bits into half a register: the other half stays as it was.
__global__ void uses_the_other_half(const int *from, int *to, const short *short_from) {
  int both = from[threadIdx.x], upper;
  asm volatile("global_load_short_d16 %0, %2, %3\n s_waitcnt vmcnt(0)\n v_lshrrev_b32 %1, 16, %0"
               : "+v"(both), "=v"(upper)
               : "v"((int)threadIdx.x * 4), "s"(short_from));
  if (upper > 3)
    to[threadIdx.x] = 1;
}
__global__ void uses_the_loaded_half(const int *from, int *to, const short *short_from) {
  int both = from[threadIdx.x], lower;
  asm volatile("global_load_sbyte_d16_hi %0, %2, %3\n s_waitcnt vmcnt(0)\n v_lshlrev_b32 %1, 16, %0"
               : "+v"(both), "=v"(lower)
               : "v"((int)threadIdx.x * 4), "s"(short_from));
  if (lower > 3)
    to[threadIdx.x] = 1;
}

__global__ void keeps_pairs_with_one_half(const short2 *from, short *to) {
  __shared__ short2 pair[WAVE];
  const short2 x = from[threadIdx.x];
  pair[threadIdx.x] = make_short2((short)(x.x + x.x), (short)(x.y * x.y + 1));
  __syncthreads();
  to[threadIdx.x] = pair[WAVE - 1 - threadIdx.x].x;
}
__global__ void shuffles(const double *from, double *to) {
  to[threadIdx.x] = __shfl_xor(from[threadIdx.x], 1);
}

// ---- cases ----

typedef struct {
  const char *name;
  void (*run)(void);
} Case;
// ---- what is carried on beside what is computed ----

typedef unsigned long long Pair;
__device__ Pair pair_of(float low, float high) {
  return __float_as_uint(low) | (Pair)__float_as_uint(high) << 32;
}
__device__ float half_of(Pair pair, int half) {
  return __uint_as_float((unsigned)(half ? pair >> 32 : pair));
}
// One half has a value. Often enough to become machine code.
__global__ void multiplies_pairs(const float *known, const float *from, float *to, int half) {
  Pair pair = pair_of(known[threadIdx.x], from[threadIdx.x]);
#pragma unroll 1
  for (int i = 0; i < 40; i++)
    asm volatile("v_pk_mul_f32 %0, %0, %1" : "+v"(pair) : "v"(pair_of(1.5f, 2.5f)));
  to[threadIdx.x] = half_of(pair, half);
}
__global__ void crosses_pairs(const float *known, const float *from, float *to, int half) {
  Pair pair = pair_of(known[threadIdx.x], from[threadIdx.x]), crossed;
#pragma unroll 1
  for (int i = 0; i < 40; i++)
    asm volatile("v_pk_add_f32 %0, %1, %2 op_sel:[1,0] op_sel_hi:[0,1]"
                 : "=&v"(crossed)
                 : "v"(pair), "v"(pair_of(1.5f, 2.5f)));
  to[threadIdx.x] = half_of(crossed, half);
}
__global__ void adds_to_index(const int *known, const int *from, int *to, int half) {
  unsigned long long sum =
      (unsigned)known[threadIdx.x] | (unsigned long long)(unsigned)from[threadIdx.x] << 32;
  int carry = 0;
#pragma unroll 1
  for (int i = 0; i < 40; i++)
    asm volatile("v_mad_u64_u32 %0, vcc, %2, %3, %0\n"
                 "v_cndmask_b32 %1, 0, 1, vcc"
                 : "+v"(sum), "=v"(carry)
                 : "v"((unsigned)threadIdx.x), "v"(3)
                 : "vcc");
  to[threadIdx.x] = half == 2 ? carry : half ? (int)(sum >> 32) : (int)sum;
}
__global__ void copies_beside(const float *from, float *to, int multiplies) {
  Pair pair = pair_of(from[threadIdx.x], from[threadIdx.x]);
  float copy = 0;
#pragma unroll 1
  for (int i = 0; i < 40; i++) {
    asm volatile("v_mov_b32 %0, %1" : "=v"(copy) : "v"(half_of(pair, 0)));
    if (multiplies)
      asm volatile("v_pk_mul_f32 %0, %0, %0" : "+v"(pair));
  }
  to[threadIdx.x] = copy;
}
// Eight bits have no value, and are not looked at.
__global__ void copies_a_part(const int *from, int *to) {
  const int part = (from[threadIdx.x] & 0xff) | 0x500;
  int copy = 0;
#pragma unroll 1
  for (int i = 0; i < 40; i++)
    asm volatile("v_mov_b32 %0, %1" : "=v"(copy) : "v"(part));
  if (copy >> 8 == 5)
    to[threadIdx.x] = 1;
}
// The register that becomes undefined at the end was stored before, in one run of instructions.
__global__ void stores_and_then_loses(const float *known, const float *from, float *to) {
  const Pair other = pair_of(1.0f, from[threadIdx.x]);
  float *at = to + threadIdx.x, last;
#pragma unroll 1
  for (int i = 0; i < 40; i++)
    asm volatile("v_mov_b32 v10, %1\n"
                 "v_mov_b32 v11, %1\n"
                 "global_store_dword %2, v11, off\n"
                 "v_pk_mul_f32 v[10:11], v[10:11], %3\n"
                 "v_mov_b32 %0, v10"
                 : "=&v"(last)
                 : "v"(known[threadIdx.x]), "v"(at), "v"(other)
                 : "v10", "v11", "memory");
  *at = last;
}

// ---- who else writes ----

// Memory that the host may write as it likes, and writes zeros.
static int *host_writes(unsigned flags) {
  void *memory = NULL;
  hipExtMallocWithFlags(&memory, WAVE * sizeof(int), flags);
  memset(memory, 0, WAVE * sizeof(int));
  return (int *)memory;
}

// Zeros that were written by one address, to be read by another.
static int *mapped_again(bool at_the_same_time) {
  hipMemAllocationProp properties = {};
  properties.type = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  hipMemAccessDesc access = {properties.location, hipMemAccessFlagsProtReadWrite};
  hipMemGenericAllocationHandle_t memory;
  size_t size;
  void *range = NULL;
  hipMemGetAllocationGranularity(&size, &properties, hipMemAllocationGranularityMinimum);
  hipMemCreate(&memory, size, &properties, 0);
  hipMemAddressReserve(&range, 2 * size, 0, 0, 0);
  char *first = (char *)range, *second = first + size;
  hipMemMap(first, size, 0, memory, 0);
  if (at_the_same_time)
    hipMemMap(second, size, 0, memory, 0);
  hipMemSetAccess(first, size, &access, 1);
  if (!at_the_same_time) {
    hipMemset(first, 0, size);
    hipDeviceSynchronize();
    hipMemUnmap(first, size);
    hipMemMap(second, size, 0, memory, 0);
  }
  hipMemSetAccess(second, size, &access, 1);
  if (!at_the_same_time)
    return (int *)second;
  hipMemset(second, 0, size);
  return (int *)first;
}

#define CASE(name, ...)                                                                            \
  {                                                                                                \
    name, [] { __VA_ARGS__; }                                                                      \
  }

// All elements of the array have a value; the product of what lies in memory has none.
__global__ void products_in_an_array(const int *from, int *to, int by) {
  int sums[128] = {};
  for (int i = 0; i < 8; i++)
    sums[(i + by) & 127] += from[i] * 3;
  to[threadIdx.x] = sums[(by + 3) & 127] + 1;
}

// One element has a value, another decides.
__global__ void decides_by_an_array(const int *from, int *to, int by) {
  int kept[128];
  kept[by & 127] = from[0];
  if (kept[(by + 3) & 127] > from[1])
    to[threadIdx.x] = 1;
}

// Repeats of a launch are not executed while its memory is the same: the same bytes, and written ones.
__global__ void adds_up(const int *from, int *to, int rounds) {
  int sum = 0;
  for (int i = 0; i < rounds; i++)
    sum = sum * 3 + from[(threadIdx.x + i) % WAVE];
  to[threadIdx.x] = sum;
}
__global__ void copies_all(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x]; }
static void repeat_until_unwritten() {
  int same[WAVE];
  hipMemcpy(same, fresh, sizeof same, hipMemcpyDeviceToHost);
  hipMemcpy(zeros, same, sizeof same, hipMemcpyHostToDevice);
  hipMemset(out, 0, N * sizeof *out);
  for (int i = 0; i < 7; i++) {
    if (i == 6)
      copies_all<<<1, WAVE>>>(fresh, zeros);
    adds_up<<<1, WAVE>>>(zeros, out, 20000);
  }
}

static const Case row[] = {
    CASE("scalar-sum", adds_one_to_all<<<1, WAVE>>>(fresh, out)),
    CASE("ok-picked", picks<<<1, WAVE>>>(fresh, out, 0)),
    CASE("half", multiplies_pairs<<<1, WAVE>>>((float *)zeros, (float *)fresh, (float *)out, 1)),
    CASE("ok-half", multiplies_pairs<<<1, WAVE>>>((float *)zeros, (float *)fresh, (float *)out, 0)),
    CASE("crossed", crosses_pairs<<<1, WAVE>>>((float *)zeros, (float *)fresh, (float *)out, 0)),
    CASE("ok-crossed", crosses_pairs<<<1, WAVE>>>((float *)zeros, (float *)fresh, (float *)out, 1)),
    CASE("above-index", adds_to_index<<<1, WAVE>>>(zeros, fresh, out, 1)),
    CASE("carry-of-index", adds_to_index<<<1, WAVE>>>(zeros, fresh, out, 2)),
    CASE("ok-index", adds_to_index<<<1, WAVE>>>(zeros, fresh, out, 0)),
    CASE("copied-product", copies_beside<<<1, WAVE>>>((float *)fresh, (float *)out, 1)),
    CASE("ok-copy", copies_beside<<<1, WAVE>>>((float *)fresh, (float *)out, 0)),
    CASE("ok-part", copies_a_part<<<1, WAVE>>>(fresh, out)),
    CASE("ok-lost",
         stores_and_then_loses<<<1, WAVE>>>((float *)zeros, (float *)fresh, (float *)out)),
    CASE("chosen", chooses<<<1, WAVE>>>(fresh, out)),
    CASE("votes", counts_votes<<<1, WAVE>>>(fresh, out)),
    CASE("any", asks_for_any<<<1, WAVE>>>(fresh, out)),
    CASE("one-lane", adds_in_one_lane<<<1, WAVE>>>(fresh, out)),
    CASE("range", is_in_range<<<1, WAVE>>>(fresh, out)),
    CASE("bit-of-sum", has_a_bit_of_the_sum<<<1, WAVE>>>(fresh, out)),
    CASE("bits", has_three_bits<<<1, WAVE>>>(fresh, out)),
    CASE("quotient", is_three_sevenths<<<1, WAVE>>>(fresh, out)),
    CASE("as-float", float one = 1; hipMemcpy(zeros, &one, sizeof one, hipMemcpyHostToDevice);
         is_one_as_float<<<1, WAVE>>>((unsigned *)fresh, (float *)zeros, out)),
    CASE("infinite", is_infinite<<<1, WAVE>>>((float *)fresh, out)),
    CASE("infinite-double", is_infinite<<<1, WAVE>>>((double *)fresh, out)),
    CASE("negative", float one[WAVE]; for (float &each
                                           : one) each = 2.5f;
         hipMemcpy(zeros, one, sizeof one, hipMemcpyHostToDevice);
         is_the_negative<<<1, WAVE>>>((float *)fresh, (float *)zeros, out)),
    CASE("negative-double", double one[WAVE]; for (double &each
                                                   : one) each = 2.5;
         hipMemcpy(zeros, one, sizeof one, hipMemcpyHostToDevice);
         is_the_negative<<<1, WAVE>>>((double *)fresh, (double *)zeros, out)),
    CASE("difference", differ_by_five<<<1, WAVE>>>(fresh, other, out)),
    CASE("xor", differ_in_bits<<<1, WAVE>>>(fresh, other, out)),
    CASE("byte-sum", adds_one<<<1, WAVE>>>((unsigned char *)fresh, (unsigned char *)out)),
    CASE("short-product", squares<<<1, WAVE>>>((short *)fresh, (short *)out)),
    CASE("larger-float", takes_the_larger_float<<<1, WAVE>>>((float *)fresh, (float *)out)),
    CASE("pairs", adds_pairs<<<1, WAVE>>>((__half2 *)fresh, (__half2 *)out)),
    CASE("dot", sums_four_products<<<1, WAVE>>>(fresh, out)),
    CASE("matrix", adds_to_a_product<<<1, WAVE>>>((float *)zeros, (Four *)out)),
    CASE("lock", takes_a_fresh_lock<<<1, WAVE>>>(fresh, out)),
    CASE("brought", branches_on_what_was_there<<<1, WAVE>>>(fresh, out)),
    CASE("half-counter", stores_lower_halves<<<1, WAVE>>>(fresh);
         counts_in_64_bits<<<1, WAVE>>>((unsigned long long *)fresh)),
    CASE("copied-lds", copies_fresh_lds<<<1, WAVE>>>(fresh); branches<<<1, WAVE>>>(fresh, out)),
    CASE("bytes-apart", chooses_by_words_of_one_byte<<<1, WAVE>>>(out)),
    CASE("tail", reduces_an_unpadded_tail<<<1, 2 * WAVE>>>((float *)zeros, (float *)out, 100)),
    CASE("ok-padded", reduces_an_unpadded_tail<<<1, 2 * WAVE>>>((float *)zeros, (float *)out, 128)),
    CASE("flags", flags_through_lds<<<1, WAVE>>>(fresh, out)),
    CASE("array", sums_in_an_array<<<1, 8>>>(zeros, out, 5)),
    CASE("repeated", repeat_until_unwritten()),
    CASE("array-element", decides_by_an_array<<<1, 8>>>(zeros, out, 5)),
    CASE("array-of-results", products_in_an_array<<<1, 8>>>(fresh, out, 1)),
    CASE("last-byte", for (int i = 0; i < 64; i++) hipMemset((char *)fresh + 4 * i, 0, 3);
         branches<<<1, WAVE>>>(fresh, out)),
    CASE("upper-half", uses_the_other_half<<<1, WAVE>>>(fresh, out, (short *)zeros)),
    CASE("lower-half", uses_the_loaded_half<<<1, WAVE>>>(fresh, out, (short *)zeros)),
    CASE("ok-upper-half", uses_the_other_half<<<1, WAVE>>>(zeros, out, (short *)fresh)),
    CASE("ok-lower-half", uses_the_loaded_half<<<1, WAVE>>>(zeros, out, (short *)fresh)),
    CASE("ok-half-pair", for (int i = 0; i < 64; i++) hipMemset((char *)fresh + 4 * i, 1, 2);
         keeps_pairs_with_one_half<<<1, WAVE>>>((short2 *)fresh, (short *)out)),
    CASE("ok-shuffled", shuffles<<<1, WAVE>>>((double *)fresh, (double *)out)),
    CASE("ok-scalar-copy", copies_one_to_all<<<1, WAVE>>>(fresh, out)),
    CASE("ok-chosen", chooses_by_what_is_known<<<1, WAVE>>>(fresh, zeros, out)),
    CASE("ok-one-lane", one_lane_moves<<<1, WAVE>>>(fresh, out)),
    CASE("ok-itself", compares_to_itself<<<1, WAVE>>>(fresh, out)),
    CASE("ok-packed", packs_two_bytes<<<1, WAVE>>>((unsigned char *)fresh, (short *)out)),
    CASE("ok-left", leaves_one<<<1, WAVE>>>(fresh); branches<<<1, WAVE>>>(fresh, out)),
    CASE("ok-copied-lds", copies_fresh_lds<<<1, WAVE>>>(fresh)),
    CASE("ok-written-by-stream", hipStreamWriteValue32(0, fresh, 0, 0);
         chooses<<<1, 1>>>(fresh, out)),
    CASE("ok-written-by-host", chooses<<<1, WAVE>>>(host_writes(hipDeviceMallocFinegrained), out)),
    CASE("ok-mapped-twice", chooses<<<1, WAVE>>>(mapped_again(true), out)),
    CASE("ok-mapped-elsewhere", chooses<<<1, WAVE>>>(mapped_again(false), out)),
    CASE("ok-locked", takes_a_fresh_lock<<<1, WAVE>>>(zeros, out)),
};

int main(int argc, char **argv) {
  if (hipMalloc((void **)&fresh, N * sizeof *fresh) != hipSuccess ||
      hipMalloc((void **)&other, N * sizeof *other) != hipSuccess ||
      hipMalloc((void **)&zeros, N * sizeof *zeros) != hipSuccess ||
      hipMalloc((void **)&out, N * sizeof *out) != hipSuccess ||
      hipMemset(zeros, 0, N * sizeof *zeros) != hipSuccess)
    return 1;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (argc == 2 && strcmp(argv[1], row[i].name) == 0) {
      row[i].run();
      printf("hipDeviceSynchronize: %s\n", hipGetErrorName(hipDeviceSynchronize()));
      return 0;
    }
  fprintf(stderr, "uninitialised: no such case\n");
  return 2;
}
