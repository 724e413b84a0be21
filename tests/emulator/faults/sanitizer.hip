// Kernels that compute what nobody can rely on, and others that only look so: material of
// test_sanitizer.py.
//
// In: the name of a case. Out: the emulator's sentences on stderr; on stdout the name of the HIP error
// that hipDeviceSynchronize returned.
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 1 << 16, N = 1024, BLOCK = 256, WAVE = 64, VALUE = 3 };

static int *fresh;     // that nobody writes
static int *zeros;     // all 0
static double *real;   // fresh, too
static int *out, *big; // big is fresh, of many pages
static double *real_out;

// ---- races in LDS ----

__global__ void reads_too_early(int *to) {
  __shared__ int tile[BLOCK];
  tile[threadIdx.x] = (int)threadIdx.x;
  to[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}
__global__ void writes_too_early(int *to) {
  __shared__ int tile[BLOCK];
  tile[threadIdx.x] = (int)threadIdx.x;
  __syncthreads();
  int other = tile[(threadIdx.x + WAVE) % BLOCK];
  tile[threadIdx.x] = other + 1;
  __syncthreads();
  to[threadIdx.x] = tile[threadIdx.x];
}
__global__ void two_write(int *to) {
  __shared__ int one;
  if (threadIdx.x % WAVE == 0)
    one = (int)threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = one;
}
__global__ void counts_before_zeros_are_there(int *to) {
  __shared__ int bin[WAVE];
  if (threadIdx.x < WAVE)
    bin[threadIdx.x] = 0;
  atomicAdd(&bin[threadIdx.x % WAVE], 1);
  __syncthreads();
  if (threadIdx.x < WAVE)
    to[threadIdx.x] = bin[threadIdx.x];
}

// ---- barriers ----

__global__ void barrier_in_a_branch(int *to) {
  __shared__ int tile[BLOCK];
  tile[threadIdx.x] = 1;
  if (threadIdx.x % 2) {
    __syncthreads();
    to[threadIdx.x] = tile[threadIdx.x - 1];
  }
  to[threadIdx.x + BLOCK] = 1;
}
__global__ void two_barriers(int *to) {
  if (threadIdx.x < WAVE) {
    to[0] = 1;
    __syncthreads();
    asm volatile("s_nop 1");
  } else {
    to[1] = 2;
    __syncthreads();
    asm volatile("s_nop 2");
  }
}

// ---- uninitialised values ----

__global__ void adds_fresh_memory(const double *from, double *to) {
  to[threadIdx.x] = from[threadIdx.x] + 1.0;
}
__global__ void branches_on_fresh_memory(const int *from, int *to) {
  if (from[threadIdx.x] > 3)
    to[threadIdx.x] = 1;
}
__global__ void wave_branches_on_fresh_memory(const int *from, int *to) {
  if (*from > 3)
    to[threadIdx.x] = 1;
}
__global__ void odd_lanes_branch_on_fresh_memory(int *from, int lanes, int *to) {
  from[threadIdx.x + 1] = 1; // so that the array is known
  if (threadIdx.x & 1)
    if (from[threadIdx.x / lanes] > 3) // at one place
      to[threadIdx.x] = 1;
}
__global__ void index_from_fresh_memory(const int *from, int *to) {
  to[from[threadIdx.x] & (N - 1)] = 1;
}
template <typename T> __global__ void looks_for(const T *from, T what, int *to) {
  if (from[threadIdx.x] == what)
    to[threadIdx.x] = 1;
}
template <typename T> __global__ void looks_beyond(const T *from, T what, int *to) {
  if (from[threadIdx.x] < what)
    to[threadIdx.x] = 1;
}
template <typename T> __global__ void wave_looks_for(const T *from, T what, int *to) {
  if (*from == what)
    to[threadIdx.x] = 1;
}
__global__ void takes_the_larger(const double *from, double *to) {
  to[threadIdx.x] = fmax(from[threadIdx.x], 5.0) + 1;
}
__global__ void adds_to_one_sum(const int *from, int *to) { atomicAdd(to, from[threadIdx.x]); }
__global__ void sums_in_lds(const int *from, int *to) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  atomicAdd(&sum, from[threadIdx.x]);
  __syncthreads();
  to[threadIdx.x] = 3 * sum;
}
__global__ void leaves_its_value(const int *from, int *to) {
  atomicExch(&to[threadIdx.x], from[threadIdx.x]);
}
__global__ void counts_in_fresh_memory(int *counter) { atomicAdd(counter, 1); }
__global__ void reads_fresh_lds(double *to) {
  __shared__ double tile[BLOCK];
  if (threadIdx.x < BLOCK - 1)
    tile[threadIdx.x] = 1;
  __syncthreads();
  to[threadIdx.x] = 2 * tile[BLOCK - 1 - threadIdx.x];
}
__global__ void branches_on_what_lds_brought(const int *from, int *to) {
  __shared__ int tile[BLOCK];
  tile[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  if (tile[BLOCK - 1 - threadIdx.x] > 3)
    to[threadIdx.x] = 1;
}
__global__ void reads_fresh_register(double *to) {
  double sum;
  asm volatile("v_add_f64 %0, v[30:31], 1.0" : "=v"(sum) : : "v30", "v31");
  to[threadIdx.x] = sum;
}
__global__ void jumps_to_fresh_register(void) {
  asm volatile("s_setpc_b64 s[90:91]" : : : "s90", "s91");
}
// What was loaded goes to y, and what is known to the index; then one of the two is used.
__global__ void swaps(const int *from, int *to, int to_first, int uses) {
  int index = from[threadIdx.x], y = (int)threadIdx.x;
  if (to_first)
    asm volatile("s_waitcnt vmcnt(0)\n v_swap_b32 %0, %1" : "+v"(index), "+v"(y));
  else
    asm volatile("s_waitcnt vmcnt(0)\n v_swap_b32 %1, %0" : "+v"(index), "+v"(y));
  to[uses ? y & (N - 1) : index] = 1;
}
// The upper half of a sum of 64 bits is as unknown as that of its addend, and so is the carry; the lower half is not.
enum Half { LOWER, UPPER, CARRY };
__global__ void sums(const int *from, int *to, Half half) {
  int lower = 0, upper = 0;
  unsigned long long carry = 0;
  asm volatile("s_waitcnt vmcnt(0)\n v_mov_b32 v20, %3\n v_mov_b32 v21, %4\n v_and_b32 v23, 1, %4\n"
               "v_mad_u64_u32 v[22:23], %2, %3, 4, v[20:21]\n v_mov_b32 %0, v22\n v_mov_b32 %1, v23"
               : "=v"(lower), "=v"(upper), "=s"(carry)
               : "v"((int)threadIdx.x), "v"(from[threadIdx.x])
               : "v20", "v21", "v22", "v23");
  to[half == LOWER   ? lower
     : half == UPPER ? upper & ~1
                     : (int)(carry >> (threadIdx.x & 1)) & 1] = 1;
}
__device__ __attribute__((noinline)) int at(const int *array, int i) { return array[i]; }
__global__ void reads_fresh_array(int *to, int i) {
  int array[16];
  array[i] = 1;
  to[threadIdx.x] = 3 * at(array, i + 1);
}

// ---- waits ----

__global__ void forgets_vmcnt(const int *from, int *to) {
  int value;
  asm volatile("s_waitcnt vmcnt(0)\n global_load_dword v20, %1, %2\n v_add_u32 %0, v20, 1\n"
               : "=v"(value)
               : "v"((int)threadIdx.x * 4), "s"(from)
               : "v20");
  to[threadIdx.x] = value;
}
__global__ void forgets_lgkmcnt(const int *from, int *to) {
  int value;
  asm volatile("s_load_dword s20, %1, 0x0\n s_add_u32 %0, s20, 1\n s_waitcnt lgkmcnt(0)"
               : "=s"(value)
               : "s"(from)
               : "s20");
  to[threadIdx.x] = value;
}
__global__ void waits_too_little(const int *from, int *to) {
  int value;
  asm volatile("s_waitcnt vmcnt(0)\n global_load_dword v20, %1, %2\n"
               "global_load_dword v21, %1, %2 offset:4\n s_waitcnt vmcnt(1)\n"
               "v_add_u32 %0, v20, v21\n s_waitcnt vmcnt(0)"
               : "=v"(value)
               : "v"((int)threadIdx.x * 4), "s"(from)
               : "v20", "v21");
  to[threadIdx.x] = value;
}

// Scalar loads come in any order: beside one, a count above 0 tells of no other result.
__global__ void counts_past_a_scalar_load(const int *from, int *to) {
  __shared__ int tile[WAVE];
  int value;
  tile[threadIdx.x] = 1;
  __syncthreads();
  asm volatile("s_waitcnt lgkmcnt(0)\n ds_read_b32 v20, %1\n s_load_dword s20, %2, 0x0\n"
               "s_waitcnt lgkmcnt(1)\n v_add_u32 %0, 1, v20\n s_waitcnt lgkmcnt(0)"
               : "=v"(value)
               : "v"((int)threadIdx.x * 4), "s"(from)
               : "s20", "v20", "memory");
  to[threadIdx.x] = value + tile[0];
}
// So do loads by generic addresses, which count twice.
__global__ void counts_past_a_generic_load(const int *from, int *to) {
  int value;
  asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)\n flat_load_dword v20, %1\n"
               "global_load_dword v21, %1, off offset:4\n s_waitcnt vmcnt(1) lgkmcnt(0)\n"
               "v_add_u32 %0, 1, v20\n s_waitcnt vmcnt(0)"
               : "=v"(value)
               : "v"(from + threadIdx.x)
               : "v20", "v21");
  to[threadIdx.x] = value;
}
template <int MORE> __global__ void waits_for_half_of_a_generic_load(const int *from, int *to) {
  int value;
  asm volatile("v_mov_b32 v21, 1\n s_waitcnt vmcnt(0) lgkmcnt(0)\n flat_load_dword v20, %1\n"
               ".rept %3\n flat_store_dword %2, v21\n .endr\n s_waitcnt vmcnt(0)\n"
               "v_add_u32 %0, 1, v20\n s_waitcnt lgkmcnt(0)"
               : "=v"(value)
               : "v"(from + threadIdx.x), "v"(to + threadIdx.x), "n"(MORE)
               : "v20", "v21", "memory");
  to[threadIdx.x] = value;
}
__global__ void branches_before_vcc_is_there(const int *from, int *to) {
  asm volatile("s_load_dwordx2 vcc, %0, 0x0\n s_cbranch_vccz 1f\n s_nop 0\n"
               "1: s_waitcnt lgkmcnt(0)"
               :
               : "s"(from)
               : "vcc");
  to[threadIdx.x] = 1;
}

// In the last round alone, when what follows is machine code where that may be.
__global__ void forgets_vmcnt_at_last(const int *from, int *to, int last) {
  int value;
  asm volatile("s_mov_b32 s20, 0\n"
               "1: global_load_dword v20, %1, %2\n"
               "s_cmp_eq_u32 s20, %3\n s_cbranch_scc1 2f\n s_waitcnt vmcnt(0)\n"
               "s_branch 2f\n s_nop 0\n"
               "2: v_mov_b32 v21, 1\n v_add_u32 v21, v21, v21\n s_waitcnt vmcnt(1)\n"
               "v_add_u32 %0, v20, v21\n"
               "s_waitcnt vmcnt(0)\n v_add_u32 v21, v21, v20\n"
               "s_add_u32 s20, s20, 1\n s_cmp_lg_u32 s20, 41\n s_cbranch_scc1 1b"
               : "=&v"(value)
               : "v"((int)threadIdx.x * 4), "s"(from), "s"(last)
               : "v20", "v21", "s20", "scc");
  to[threadIdx.x] = value;
}

// ---- workgroups ----

__global__ void blocks_store_differently(int *to) { to[threadIdx.x] = (int)blockIdx.x + 1; }
__global__ void one_lane_stores_differently(int *to) {
  to[threadIdx.x] = threadIdx.x == 40 ? (int)blockIdx.x + 1 : VALUE;
}

typedef __attribute__((address_space(3))) volatile int LdsInt;
template <class Value> __global__ void stores_beside_dwords(int *to, int by) {
  __shared__ char bytes[WAVE * sizeof(int) + sizeof(int)];
  Value *value = (Value *)(bytes + threadIdx.x * sizeof(int) + by); // they fit together again
  *value = VALUE;
  to[threadIdx.x] = *value;
}

__global__ void nothing() {}

__global__ void adds_in_place(int *to) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i > 0)
    to[i] += to[i - 1] + 1;
}
// Block 0 stores a dword. Lanes of block 1 load two dwords each: one of them from `from`, the others far behind and apart.
__global__ void gathers_what_was_stored(int *to, int *sum, int at, int from) {
  const int i = (int)threadIdx.x, place = i == 5 ? from : MANY / 2 + i * 7919 % (MANY / 4);
  int two[2];
  if (blockIdx.x == 0) {
    if (i == 0)
      to[at] = VALUE;
    return;
  }
  __builtin_memcpy(two, __builtin_assume_aligned(to + place, 4), sizeof two);
  sum[i] = two[0] + two[1];
}
// A block begins when the one before it says so.
// Each thread begins its own sum, when threads of blocks before have added to it.
__global__ void begins_sums_late(int *sum, int n) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  sum[i] = 0;
  atomicAdd(&sum[(i + WAVE) % n], 1);
}
__global__ void adds_to_what_the_first_block_stores(int *sum) {
  if (blockIdx.x == 0)
    sum[threadIdx.x] = VALUE;
  else
    atomicAdd(&sum[threadIdx.x], 1);
}
__global__ void adds_up_to_a_limit(int *sum, int *to) {
  if (sum[threadIdx.x] < VALUE)
    atomicAdd(&sum[threadIdx.x], 1);
  to[blockIdx.x * blockDim.x + threadIdx.x] = VALUE;
}
__global__ void waits_for_the_block_before(volatile int *flag, int *sum) {
  if (threadIdx.x != 0)
    return;
  while (blockIdx.x && !flag[blockIdx.x - 1]) {
  }
  __threadfence();
  *sum += VALUE;
  __threadfence();
  flag[blockIdx.x] = 1;
}

// As hipCUB's GridBarrier loads: a plain load in machine code.
__device__ int plain_load(const int *from) {
  int value;
  asm volatile("global_load_dword %0, %1, off\n s_waitcnt vmcnt(0)"
               : "=v"(value)
               : "v"(from)
               : "memory");
  return value;
}
// Block 0 waits for the flags of all others, and they until it takes them back. Then all look at what others stored.
__global__ void meets_by_flags(int *flag, int *to) {
  const int block = (int)blockIdx.x, blocks = (int)gridDim.x, i = (int)threadIdx.x;
  to[block * WAVE + i] = block;
  __syncthreads();
  if (block == 0) {
    if (i > 0 && i < blocks)
      while (plain_load(&flag[i]) == 0) {
      }
    __syncthreads();
    if (i > 0 && i < blocks)
      flag[i] = 0;
  } else if (i == 0) {
    flag[block] = 1;
    while (plain_load(&flag[block]) == 1) {
    }
  }
  __syncthreads();
  to[(block + 1) % blocks * WAVE + i] += VALUE;
}
// Block 0 waits until block 1 has raised it. The place comes from scalar registers in each round.
__global__ void takes_back_a_flag(int *flag) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 1) {
    *flag = 1;
    return;
  }
  while (plain_load(flag) == 0) {
  }
  *flag = 0;
}
// Loops that only look for something: by an index, and from one place to the next.
__global__ void looks_and_stores(const int *from, int *to) {
  int i = 0;
  while (from[i] == 0)
    i++;
  to[threadIdx.x] = (int)blockIdx.x + i;
}
__global__ void follows_and_stores(const int *next, int *to) {
  int steps = 1;
  for (int i = next[threadIdx.x]; i != 0; i = next[i])
    steps++;
  to[threadIdx.x] = (int)blockIdx.x + steps;
}
__global__ void steps_and_stores(const int *from, int *to) {
  int value;
  asm volatile("s_mov_b64 s[20:21], %1\n v_mov_b32 v20, 0\n"
               "1: global_load_dword %0, v20, s[20:21]\n s_add_u32 s20, s20, 4\n"
               "s_addc_u32 s21, s21, 0\n s_waitcnt vmcnt(0)\n v_cmp_eq_u32 vcc, 0, %0\n"
               "s_cbranch_vccnz 1b"
               : "=&v"(value)
               : "s"(from)
               : "v20", "s20", "s21", "vcc", "scc");
  to[threadIdx.x] = (int)blockIdx.x + value;
}

// ---- where only part of what a wave touches is wrong ----

__global__ void adds_some_lanes(const double *from, double *to, int first, int last, int step) {
  const int lane = (int)threadIdx.x;
  if (lane >= first && lane <= last && lane % step == 0)
    to[lane] = from[lane] + 1.0;
}
__global__ void adds_bytes(const unsigned char *from, int *to) {
  to[threadIdx.x] = from[threadIdx.x] + 1;
}
__global__ void meets_in_one_dword(int *to, int where) {
  __shared__ int tile[2 * BLOCK];
  tile[threadIdx.x + BLOCK] = (int)threadIdx.x;
  if ((int)threadIdx.x == where)
    tile[where + WAVE] = VALUE;
  tile[threadIdx.x] = (int)threadIdx.x + 1;
  __syncthreads();
  to[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + BLOCK];
}
__global__ void last_waves_race(int *to) {
  __shared__ int tile[BLOCK];
  tile[threadIdx.x] = VALUE;
  __syncthreads();
  if (threadIdx.x >= 2 * WAVE && threadIdx.x < 3 * WAVE)
    tile[threadIdx.x] = (int)threadIdx.x;
  if (threadIdx.x >= 3 * WAVE)
    to[threadIdx.x] = tile[threadIdx.x - WAVE];
}
__global__ void reads_what_is_counted(int *to) {
  __shared__ int bin[WAVE];
  if (threadIdx.x < WAVE)
    bin[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < WAVE)
    atomicAdd(&bin[threadIdx.x], 1);
  if (threadIdx.x >= 3 * WAVE)
    to[threadIdx.x] = bin[threadIdx.x - 3 * WAVE];
}
__global__ void writes_every_other(double *to) {
  if (threadIdx.x % 2 == 0)
    to[threadIdx.x] = 1;
}
// Rows of 16 lanes read one dword each, or the same 16.
__global__ void reads_rows_too_early(int *to, int one_place) {
  __shared__ int tile[BLOCK];
  const int x = (int)threadIdx.x % 16, y = (int)threadIdx.x / 16;
  if (threadIdx.x < WAVE)
    tile[threadIdx.x] = VALUE;
  if (threadIdx.x >= 3 * WAVE)
    to[threadIdx.x] = one_place ? tile[y] : tile[x + 16 * (y % 2)];
}
__global__ void races_in_one_block(int *to) {
  __shared__ int tile[BLOCK];
  tile[threadIdx.x] = (int)threadIdx.x;
  if (blockIdx.x != 5)
    __syncthreads();
  to[blockIdx.x * BLOCK + threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}

// ---- what only looks wrong ----

typedef struct {
  char one;
  double two;
} Padded;

__global__ void copies_fresh_memory(const int4 *from, int4 *to) {
  to[threadIdx.x] = from[threadIdx.x];
}
__global__ void copies_padding(const Padded *from, Padded *to) {
  Padded copy = from[threadIdx.x];
  to[threadIdx.x] = copy;
}
// A block of four elements of which only the first is used.
__global__ void masks_what_it_loads(const double *from, double *to, int n) {
  double value = from[threadIdx.x];
  double twice = 2 * value;
  to[threadIdx.x] = (int)threadIdx.x < n ? twice : 0;
}
__global__ void uses_one_byte(const uint4 *from, int *to) {
  uint4 all = from[0];
  to[threadIdx.x] = (int)((all.x & 0xff) * 2);
}
namespace rocprim {
namespace detail {
template <int TIMES> __global__ void computes_a_whole_block(const int *from, int *to) {
  to[threadIdx.x] = TIMES * from[threadIdx.x];
}
} // namespace detail
} // namespace rocprim
__global__ void returns_early(int *to, int n) {
  __shared__ int tile[BLOCK];
  if ((int)threadIdx.x >= n)
    return;
  tile[threadIdx.x] = 1;
  __syncthreads();
  to[threadIdx.x] = tile[(threadIdx.x + WAVE) % (unsigned)n];
}
__global__ void transposes(int *to) {
  __shared__ int tile[16][17];
  int x = (int)threadIdx.x % 16, y = (int)threadIdx.x / 16;
  tile[y][x] = x;
  __syncthreads();
  to[threadIdx.x] = tile[x][y];
}
__global__ void in_one_wave(int *to) {
  __shared__ int tile[BLOCK];
  int lane = (int)threadIdx.x % WAVE, base = (int)threadIdx.x - lane;
  tile[threadIdx.x] = lane;
  for (int step = WAVE / 2; step; step /= 2) {
    __builtin_amdgcn_wave_barrier();
    if (lane < step)
      tile[base + lane] += tile[base + lane + step];
  }
  __builtin_amdgcn_wave_barrier();
  to[threadIdx.x] = tile[base];
}
__global__ void all_say_the_same(int *to) {
  __shared__ int found;
  if (threadIdx.x == 0)
    found = 0;
  __syncthreads();
  if (threadIdx.x % 3 == 0)
    found = 1;
  __syncthreads();
  to[threadIdx.x] = found;
  to[N - 1] = 1;
}
__global__ void waits_for_a_flag(int *to) {
  __shared__ volatile int flag;
  __shared__ int data;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == BLOCK - 1) {
    data = VALUE;
    __threadfence_block();
    flag = 1;
  }
  if (threadIdx.x == 0) {
    while (!flag) {
    }
    __threadfence_block();
    to[0] = data;
  }
}
__device__ int load_flag(const int *flag, int order) {
  return order ? __hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP)
               : __hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}
__device__ void raise_flag(int *flag) {
  __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
}
// One thread raises it, the wave of another one waits for it and then reads what was stored before.
__global__ void waits_for_an_atomic_flag(int *to, int raises, int waits) {
  __shared__ int flag, data;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if ((int)threadIdx.x == raises) {
    data = VALUE + (int)blockIdx.x;
    raise_flag(&flag);
  }
  if ((int)threadIdx.x / WAVE == waits / WAVE) {
    while (!load_flag(&flag, 1)) {
    }
    to[threadIdx.x] = data;
  }
}
__global__ void sleeps_until_an_atomic_flag(int *to, int raises, int waits) {
  __shared__ int flag, data;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if ((int)threadIdx.x == raises) {
    data = VALUE;
    __threadfence_block();
    raise_flag(&flag);
  }
  if ((int)threadIdx.x == waits) {
    while (!load_flag(&flag, 0))
      __builtin_amdgcn_s_sleep(1);
    __threadfence_block();
    to[threadIdx.x] = data;
  }
}
__global__ void looks_once_at_an_atomic_flag(int *to) {
  __shared__ int flag;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == BLOCK - 1)
    raise_flag(&flag);
  if (threadIdx.x == 0)
    to[0] = load_flag(&flag, 1);
}
__global__ void stores_after_the_flag(int *to) {
  __shared__ int flag, data;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == BLOCK - 1) {
    raise_flag(&flag);
    data = VALUE;
  }
  if (threadIdx.x == 0) {
    while (!load_flag(&flag, 1)) {
    }
    to[0] = data;
  }
}
// A loop that loads again and again, and does not wait.
__global__ void sums_behind_fences(int *to, int rounds) {
  __shared__ int one;
  int sum = 0;
  if (threadIdx.x == 0)
    one = 0;
  __syncthreads();
  if (threadIdx.x == BLOCK - 1)
    one = VALUE;
  if (threadIdx.x == 0) {
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
      __threadfence_block();
      sum += one;
    }
    to[0] = sum;
  }
}
__global__ void takes_a_lock(int *to) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0)
    lock = sum = 0;
  __syncthreads();
  if (threadIdx.x % WAVE == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence_block();
    sum += 1;
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  to[threadIdx.x] = sum;
}
__global__ void last_block_sums(int *counter, int *part) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = VALUE;
    __threadfence();
    last = atomicAdd(counter, 1) == (int)gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0)
    for (unsigned i = 1; i < gridDim.x; i++)
      part[0] += part[i];
}
__global__ void bytes_of_one_dword(int *to) {
  __shared__ unsigned char tile[BLOCK];
  const unsigned wave = threadIdx.x / WAVE, lane = threadIdx.x % WAVE;
  tile[lane * 4 + wave] = (unsigned char)(lane + 1);
  to[threadIdx.x] = tile[lane * 4 + wave];
}
__global__ void buffers_twice(const int *from, int *to) {
  __shared__ int tile[2][BLOCK];
  int sum = 0;
  tile[0][threadIdx.x] = from[threadIdx.x] + 1;
  for (int round = 0; round < 9; round++) {
    __syncthreads();
    tile[(round + 1) % 2][threadIdx.x] = round;
    sum += tile[round % 2][BLOCK - 1 - threadIdx.x];
  }
  to[blockIdx.x * BLOCK + threadIdx.x] = sum;
}
__global__ void waits_as_it_must(const int *from, int *to) {
  int value;
  asm volatile("s_waitcnt vmcnt(0)\n global_load_dword v20, %1, %2\n"
               "global_load_dword v21, %1, %2 offset:4\n s_waitcnt vmcnt(1)\n"
               "v_add_u32 %0, v20, 1\n s_waitcnt vmcnt(0)"
               : "=v"(value)
               : "v"((int)threadIdx.x * 4), "s"(from)
               : "v20", "v21");
  to[threadIdx.x] = value;
}

static void case_copies(void) {
  copies_fresh_memory<<<1, WAVE>>>((const int4 *)fresh, (int4 *)out);
  copies_padding<<<1, WAVE>>>((const Padded *)fresh, (Padded *)out);
  hipMemcpy(out, fresh, N, hipMemcpyDeviceToDevice);
}
static void case_masked(void) {
  hipMemset(real, 0, 10 * sizeof *real);
  masks_what_it_loads<<<1, WAVE>>>(real, real_out, 10);
  hipMemset(fresh, 1, 1);
  uses_one_byte<<<1, WAVE>>>((const uint4 *)fresh, out);
}
static void case_written_by_the_host(void) {
  int host[N];
  memset(host, 0, sizeof host);
  hipMemcpy(fresh, host, sizeof host, hipMemcpyHostToDevice);
  branches_on_fresh_memory<<<1, BLOCK>>>(fresh, out);
}
// When the first block with undefined values comes, the loop is machine code where that may be.
__global__ void mixes(const int *from, int *to) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned mixed = (unsigned)from[i];
#pragma unroll 1
  for (unsigned round = 0; round < 8; round++) {
    mixed = (mixed << 5 | mixed >> 27) * 33 + round;
    mixed ^= mixed >> 7;
  }
  to[i] = (int)mixed;
}
static void case_later_block(void) {
  hipMemset(fresh, 0, N / 2 * sizeof *fresh);
  mixes<<<N / WAVE, WAVE>>>(fresh, out);
}
static void case_copied_then_used(void) {
  hipMemcpy(zeros, fresh, N, hipMemcpyDeviceToDevice);
  branches_on_fresh_memory<<<1, WAVE>>>(zeros, out);
}
// ---- loads from memory straight into LDS ----

typedef int Descriptor __attribute__((ext_vector_type(4)));

// Each lane's element of its type, 0 from the byte `end` on, becomes a dword of the wave's 64.
#define BRINGS(NAME, LOAD, BYTES)                                                                  \
  __device__ void NAME(const int *from, int end, int *tile) {                                      \
    const unsigned place =                                                                         \
        (unsigned)__builtin_amdgcn_readfirstlane(threadIdx.x / WAVE * WAVE * 4);                   \
    const Descriptor buffer = {(int)(size_t)from, (int)((size_t)from >> 32), end, 0};              \
    asm volatile("s_mov_b32 m0, %2\n " LOAD " %0, %1, 0 offen lds\n s_waitcnt vmcnt(0)"            \
                 :                                                                                 \
                 : "v"(threadIdx.x * BYTES), "s"(buffer), "s"(place), "v"(tile)                    \
                 : "memory");                                                                      \
  }
BRINGS(brings, "buffer_load_dword", 4)
BRINGS(brings_bytes, "buffer_load_ubyte", 1)

__global__ void adds_what_comes_into_lds(const int *from, int end, int *to, int bytes) {
  __shared__ int tile[BLOCK];
  if (bytes)
    brings_bytes(from, end, tile);
  else
    brings(from, end, tile);
  __syncthreads();
  to[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x] + 1;
}
__global__ void reads_before_it_comes(const int *from, int *to) {
  __shared__ int tile[BLOCK];
  tile[threadIdx.x] = 7;
  __syncthreads();
  brings(from, BLOCK * 4, tile);
  to[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}
__global__ void is_brought_before_it_was_read(const int *from, int *to) {
  __shared__ int tile[BLOCK];
  tile[threadIdx.x] = 7;
  __syncthreads();
  to[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
  brings(from, BLOCK * 4, tile);
}

// The first bytes are written, and these lanes read.
static void case_of_lanes(size_t written, int first, int last, int step) {
  hipMemset(real, 0, written);
  adds_some_lanes<<<1, WAVE>>>(real, real_out, first, last, step);
}
static void case_unaligned(void) {
  hipMemset(fresh, 0, 101);
  adds_bytes<<<1, WAVE>>>((const unsigned char *)fresh + 39, out);
}
static void case_between(void) {
  writes_every_other<<<1, WAVE>>>(real);
  adds_some_lanes<<<1, WAVE>>>(real, real_out, 7, 7, 1);
}
// A bit for each byte: those of 32 KiB lie in one page of the host's.
static void case_page(void) {
  enum { PAGE = 32768, BEFORE = 20 };
  hipMemset(big, 0, PAGE + 12 * sizeof *big);
  adds_some_lanes<<<1, WAVE>>>((const double *)(big + PAGE / 4 - BEFORE), real_out, 0, 63, 1);
}
static void case_gathered(int at, int from) {
  (void)hipMemset(big, 0, MANY * sizeof *big);
  gathers_what_was_stored<<<2, WAVE>>>(big, out, at, from);
}
// A place that is not 0, behind zeros.
static void case_found(void) {
  (void)hipMemset(big, 0, N * sizeof *big);
  (void)hipMemset(big + WAVE, 1, sizeof *big);
}
static void case_library(const int *then) {
  rocprim::detail::computes_a_whole_block<3><<<1, WAVE>>>(fresh, out);
  branches_on_fresh_memory<<<1, WAVE>>>(then, zeros);
}
static void case_overlap(void) {
  printf("hipMemcpy: %s\n",
         hipGetErrorName(hipMemcpy(zeros + 1, zeros, 64, hipMemcpyDeviceToDevice)));
}

static const struct {
  const char *name;
  void (*run)(void);
} row[] = {
#define CASE(NAME, CALL)                                                                           \
  {                                                                                                \
    NAME, [] { CALL; }                                                                             \
  }
    CASE("read-race", (reads_too_early<<<1, BLOCK>>>(out))),
    CASE("write-race", (writes_too_early<<<1, BLOCK>>>(out))),
    CASE("two-writers", (two_write<<<1, BLOCK>>>(out))),
    CASE("atomic-race", (counts_before_zeros_are_there<<<1, BLOCK>>>(out))),
    CASE("barrier-in-branch", (barrier_in_a_branch<<<1, BLOCK>>>(out))),
    CASE("two-barriers", (two_barriers<<<1, BLOCK>>>(out))),
    CASE("fresh-sum", (adds_fresh_memory<<<1, WAVE>>>(real, real_out))),
    CASE("fresh-branch", (branches_on_fresh_memory<<<1, WAVE>>>(fresh, out))),
    CASE("fresh-wave-branch", (wave_branches_on_fresh_memory<<<1, WAVE>>>(fresh, out))),
    CASE("fresh-one-place", (odd_lanes_branch_on_fresh_memory<<<1, WAVE>>>(fresh, WAVE, out))),
    CASE("fresh-index", (index_from_fresh_memory<<<1, WAVE>>>(fresh, out))),
    CASE("fresh-equal", (looks_for<int><<<1, WAVE>>>(fresh, 7, out))),
    CASE("fresh-equal-double", (looks_for<double><<<1, WAVE>>>(real, 7, out))),
    CASE("fresh-wave-equal", (wave_looks_for<int><<<1, WAVE>>>(fresh, 7, out))),
    CASE("fresh-below", (looks_beyond<double><<<1, WAVE>>>(real, -9, out))),
    CASE("fresh-below-float", (looks_beyond<float><<<1, WAVE>>>((float *)fresh, -9, out))),
    CASE("fresh-larger", (takes_the_larger<<<1, WAVE>>>(real, real_out))),
    CASE("fresh-atomic", (adds_to_one_sum<<<1, WAVE>>>(fresh, zeros))),
    CASE("fresh-lds-atomic", (sums_in_lds<<<1, WAVE>>>(fresh, out))),
    CASE("ok-exchanged", (leaves_its_value<<<1, WAVE>>>(fresh, zeros))),
    CASE("fresh-counter", (counts_in_fresh_memory<<<1, WAVE>>>(fresh))),
    CASE("fresh-lds", (reads_fresh_lds<<<1, BLOCK>>>(real_out))),
    CASE("fresh-through-lds", (branches_on_what_lds_brought<<<1, BLOCK>>>(fresh, out))),
    CASE("fresh-jump", (jumps_to_fresh_register<<<1, WAVE>>>())),
    CASE("fresh-register", (reads_fresh_register<<<1, WAVE>>>(real_out))),
    CASE("swapped", (swaps<<<1, WAVE>>>(fresh, out, 1, 1))),
    CASE("ok-lower-half", (sums<<<1, WAVE>>>(fresh, out, LOWER))),
    CASE("upper-half", (sums<<<1, WAVE>>>(fresh, out, UPPER))),
    CASE("carry", (sums<<<1, WAVE>>>(fresh, out, CARRY))),
    CASE("swapped-back", (swaps<<<1, WAVE>>>(fresh, out, 0, 1))),
    CASE("ok-swapped", (swaps<<<1, WAVE>>>(fresh, out, 1, 0))),
    CASE("ok-swapped-back", (swaps<<<1, WAVE>>>(fresh, out, 0, 0))),
    CASE("fresh-array", (reads_fresh_array<<<1, WAVE>>>(out, 3))),
    CASE("later-block", case_later_block()),
    CASE("copied-then-used", case_copied_then_used()),
    CASE("vmcnt", (forgets_vmcnt<<<1, WAVE>>>(zeros, out))),
    CASE("lgkmcnt", (forgets_lgkmcnt<<<1, WAVE>>>(zeros, out))),
    CASE("waits-too-little", (waits_too_little<<<1, WAVE>>>(zeros, out))),
    CASE("lgkmcnt-mixed", (counts_past_a_scalar_load<<<1, WAVE>>>(zeros, out))),
    CASE("generic-mixed", (counts_past_a_generic_load<<<1, WAVE>>>(zeros, out))),
    CASE("generic-half", (waits_for_half_of_a_generic_load<0><<<1, WAVE>>>(zeros, out))),
    CASE("generic-of-16", (waits_for_half_of_a_generic_load<15><<<1, WAVE>>>(zeros, out))),
    CASE("ok-generic-of-17", (waits_for_half_of_a_generic_load<16><<<1, WAVE>>>(zeros, out))),
    CASE("vcc-on-its-way", (branches_before_vcc_is_there<<<1, WAVE>>>(zeros, out))),
    CASE("blocks", (blocks_store_differently<<<2, WAVE>>>(out))),
    CASE("blocks-that-look", (case_found(), looks_and_stores<<<2, WAVE>>>(big, out))),
    CASE("blocks-that-follow", (case_found(), follows_and_stores<<<2, WAVE>>>(zeros, out))),
    CASE("blocks-that-step", (case_found(), steps_and_stores<<<2, WAVE>>>(big, out))),
    CASE("blocks-with-flags", (waits_for_an_atomic_flag<<<2, BLOCK>>>(out, BLOCK - 1, 0))),
    CASE("blocks-after-flags",
         (meets_by_flags<<<4, WAVE>>>(zeros, big), blocks_store_differently<<<2, WAVE>>>(out))),
    CASE("ok-taken-back", (takes_back_a_flag<<<2, WAVE>>>(zeros))),
    CASE("ok-meets", (meets_by_flags<<<4, WAVE>>>(zeros, out))),
    CASE("zeros-over-sums", (begins_sums_late<<<2, WAVE>>>(zeros, 2 * WAVE))),
    CASE("sums-over-a-store", (adds_to_what_the_first_block_stores<<<2, WAVE>>>(zeros))),
    CASE("ok-sums", (adds_up_to_a_limit<<<4, WAVE>>>(zeros, out))),
    CASE("late-vmcnt", (forgets_vmcnt_at_last<<<1, WAVE>>>(zeros, out, 40))),
    CASE("one-lane", (one_lane_stores_differently<<<2, WAVE>>>(out))),
    CASE("beside-dwords", (stores_beside_dwords<LdsInt><<<1, WAVE>>>(out, 2))),
    CASE("beside-generic", (stores_beside_dwords<volatile int><<<1, WAVE>>>(out, 2))),
    CASE("ok-dwords", (stores_beside_dwords<LdsInt><<<1, WAVE>>>(out, 4))),
    CASE("ok-generic", (stores_beside_dwords<volatile int><<<1, WAVE>>>(out, 4))),
    CASE("in-place", (adds_in_place<<<3, WAVE>>>(zeros))),
    CASE("many-blocks", (nothing<<<1 << 24, 1>>>())),
    CASE("gathered-first", case_gathered(4 * N, 4 * N - 1)),
    CASE("gathered-last", case_gathered(5 * N - 1, 5 * N - 1)),
    CASE("ok-order", (waits_for_the_block_before<<<4, WAVE>>>(zeros, zeros + WAVE))),
    CASE("used-later", case_library(out)),
    CASE("ok-unused", case_library(zeros)),
    CASE("half", case_of_lanes(32 * 8, 0, 63, 1)),
    CASE("last-byte", case_of_lanes(64 * 8 - 1, 0, 63, 1)),
    CASE("run-of-lanes", case_of_lanes(20 * 8, 10, 20, 1)),
    CASE("lanes-apart", case_of_lanes(44 * 8, 3, 60, 4)),
    CASE("one-lane-alone", case_of_lanes(8, 5, 5, 1)),
    CASE("unaligned", case_unaligned()),
    CASE("page", case_page()),
    CASE("dword-of-a-wave", (meets_in_one_dword<<<1, BLOCK>>>(out, 100))),
    CASE("last-waves", (last_waves_race<<<1, BLOCK>>>(out))),
    CASE("counted", (reads_what_is_counted<<<1, BLOCK>>>(out))),
    CASE("between", case_between()),
    CASE("one-place", (reads_rows_too_early<<<1, BLOCK>>>(out, 1))),
    CASE("same-rows", (reads_rows_too_early<<<1, BLOCK>>>(out, 0))),
    CASE("sixth-block", (races_in_one_block<<<8, BLOCK>>>(big))),
    CASE("atomic-once", (looks_once_at_an_atomic_flag<<<1, BLOCK>>>(out))),
    CASE("after-flag", (stores_after_the_flag<<<1, BLOCK>>>(out))),
    CASE("behind-fences", (sums_behind_fences<<<1, BLOCK>>>(out, 8))),
    CASE("fresh-into-lds", (adds_what_comes_into_lds<<<1, BLOCK>>>(fresh, BLOCK * 4, out, 0))),
    CASE("last-into-lds", (hipMemset(fresh, 0, BLOCK * 4 - 1),
                           adds_what_comes_into_lds<<<1, BLOCK>>>(fresh, BLOCK * 4, out, 0))),
    CASE("byte-into-lds", (hipMemset(fresh, 0, BLOCK - 1),
                           adds_what_comes_into_lds<<<1, BLOCK>>>(fresh, BLOCK, out, 1))),
    CASE("read-into-lds", (reads_before_it_comes<<<1, BLOCK>>>(zeros, out))),
    CASE("write-into-lds", (is_brought_before_it_was_read<<<1, BLOCK>>>(zeros, out))),
    CASE("ok-into-lds", (adds_what_comes_into_lds<<<1, BLOCK>>>(zeros, BLOCK * 4, out, 0))),
    CASE("ok-beyond-into-lds",
         (hipMemset(fresh, 0, WAVE), adds_what_comes_into_lds<<<1, BLOCK>>>(fresh, WAVE, out, 0))),
    CASE("ok-byte-into-lds", (hipMemset(fresh, 0, BLOCK),
                              adds_what_comes_into_lds<<<1, BLOCK>>>(fresh, BLOCK, out, 1))),
    CASE("overlap", case_overlap()),
    CASE("ok-copies", case_copies()),
    CASE("ok-masked", case_masked()),
    CASE("ok-host", case_written_by_the_host()),
    CASE("ok-return", (returns_early<<<1, BLOCK>>>(out, 100))),
    CASE("ok-transpose", (transposes<<<1, BLOCK>>>(out))),
    CASE("ok-wave", (in_one_wave<<<1, BLOCK>>>(out))),
    CASE("ok-same", (all_say_the_same<<<4, BLOCK>>>(out))),
    CASE("ok-flag", (waits_for_a_flag<<<1, BLOCK>>>(out))),
    CASE("ok-atomic-flag", (waits_for_an_atomic_flag<<<1, BLOCK>>>(out, BLOCK - 1, 0))),
    CASE("ok-atomic-raised", (waits_for_an_atomic_flag<<<1, BLOCK>>>(out, 0, BLOCK - 1))),
    CASE("ok-atomic-sleep", (sleeps_until_an_atomic_flag<<<1, BLOCK>>>(out, BLOCK - 1, 0))),
    CASE("ok-atomic-awake", (sleeps_until_an_atomic_flag<<<1, BLOCK>>>(out, 0, BLOCK - 1))),
    CASE("ok-lock", (takes_a_lock<<<1, BLOCK>>>(out))),
    CASE("ok-last-block", (last_block_sums<<<4, WAVE>>>(zeros, out))),
    CASE("ok-lanes", case_of_lanes(61 * 8, 0, 60, 3)),
    CASE("ok-bytes", (bytes_of_one_dword<<<1, BLOCK>>>(out))),
    CASE("ok-twice", (buffers_twice<<<8, BLOCK>>>(zeros, big))),
    CASE("ok-late", (forgets_vmcnt_at_last<<<1, WAVE>>>(zeros, out, 41))),
    CASE("ok-waits", (waits_as_it_must<<<1, WAVE>>>(zeros, out))),
};

int main(int argc, char **argv) {
  if (hipMalloc((void **)&fresh, N * sizeof *fresh) != hipSuccess ||
      hipMalloc((void **)&zeros, N * sizeof *zeros) != hipSuccess ||
      hipMalloc((void **)&out, N * sizeof *out) != hipSuccess ||
      hipMalloc((void **)&big, MANY * sizeof *big) != hipSuccess ||
      hipMalloc((void **)&real, N * sizeof *real) != hipSuccess ||
      hipMalloc((void **)&real_out, N * sizeof *real_out) != hipSuccess ||
      hipMemset(zeros, 0, N * sizeof *zeros) != hipSuccess)
    return 1;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (argc == 2 && strcmp(argv[1], row[i].name) == 0) {
      row[i].run();
      printf("hipDeviceSynchronize: %s\n", hipGetErrorName(hipDeviceSynchronize()));
      return 0;
    }
  fprintf(stderr, "sanitizer: no such case\n");
  return 2;
}
