// Kernels with races that learners write, and right ones that look like them: parts of dwords, values that stay as they are,
// atomics beside plain accesses, flags and locks of each form, blocks that meet in global memory. Material of test_races.py.
//
// In: the name of a case. Out: the emulator's sentences on stderr; on stdout the name of the HIP error
// that hipDeviceSynchronize returned.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <string.h>

enum { N = 4096, LARGE = 1 << 20, BLOCK = 256, WAVE = 64 };
#define WORKGROUP __HIP_MEMORY_SCOPE_WORKGROUP

static int *zeros, *out;

// ---- parts of dwords in LDS ----

template <typename T> __global__ void all_waves_write(T *to) {
  __shared__ T tile[WAVE];
  tile[threadIdx.x % WAVE] = (T)threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = tile[threadIdx.x % WAVE];
}
template <typename T> __global__ void reads_the_first_part(T *to) {
  __shared__ T tile[BLOCK];
  tile[threadIdx.x] = (T)(threadIdx.x + 1);
  if (threadIdx.x / WAVE == 1)
    to[threadIdx.x] = tile[(threadIdx.x - WAVE) / (4 / sizeof(T)) * (4 / sizeof(T))];
}
template <typename T> __global__ void overwrites_what_is_read(T *to) {
  __shared__ T tile[WAVE];
  if (threadIdx.x < WAVE)
    tile[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x < WAVE)
    to[threadIdx.x] = tile[threadIdx.x];
  else if (threadIdx.x % 4 == 1)
    tile[threadIdx.x % WAVE] = (T)threadIdx.x;
}
__global__ void waves_write_bytes_of_their_own(unsigned char *to) {
  __shared__ unsigned char tile[BLOCK];
  tile[threadIdx.x % WAVE * 4 + threadIdx.x / WAVE] = (unsigned char)threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = tile[threadIdx.x];
}

// ---- values that stay as they are ----

__global__ void stores_zero_then_one(int *to) {
  __shared__ int one;
  if (threadIdx.x == 0)
    one = 0;
  __syncthreads();
  if (threadIdx.x % WAVE == 0)
    one = (int)threadIdx.x / WAVE % 2; // wave 0 leaves it
  __syncthreads();
  to[threadIdx.x] = one;
}
__global__ void blocks_store_their_number(int *to) {
  if (threadIdx.x == 0)
    *to = (int)blockIdx.x;
}
template <typename T> __global__ void blocks_store_parts(T *to, int apart) {
  to[threadIdx.x * apart] = (T)(blockIdx.x + 1);
}
template <typename T> __global__ void blocks_store_beside_each_other(T *to) {
  to[2 * threadIdx.x + blockIdx.x] = (T)(threadIdx.x + 1);
}
__global__ void marks(const int *at, bool *seen) {
  if (threadIdx.x % 2 || blockIdx.x % 2)
    seen[at[threadIdx.x] + (int)threadIdx.x] = true;
}
template <typename T> __global__ void smoothes_in_place(T *x) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const T sum = (T)(x[i] + x[i + 1]);
  x[i + 1] = (T)(sum + 1);
}
// What lanes of a wave make of one place, without atomics.
__global__ void counts(const int *from, int *count) {
  if (from[threadIdx.x] == 0)
    ++*count;
}
__global__ void counts_in_lds(const int *from, int *to) {
  __shared__ int count;
  if (threadIdx.x == 0)
    count = 0;
  __syncthreads();
  if (from[threadIdx.x] == 0)
    count += 3;
  *to = count;
}
__global__ void counts_in_a_table(const int *from, double *table) {
  table[from[threadIdx.x] + (int)(threadIdx.x * 5 % 7)] += 1.0;
}
__global__ void marks_and_keeps_the_largest(const int *from, int *to) {
  if (from[threadIdx.x] == 0)
    to[0] |= 4;
  if (from[threadIdx.x] == 0)
    to[1] = max(to[1], 7);
  if (to[2 + from[threadIdx.x]] == 0)
    to[2 + from[threadIdx.x]] = to[3] + 5;
}
__global__ void counts_in_places_of_their_own(const int *from, int *to) {
  to[from[threadIdx.x] + (int)(threadIdx.x * 29 % WAVE)] += 1;
}
__global__ void counts_far_apart(int *to) { to[threadIdx.x * 256] += 1; }
__global__ void stores_what_comes_behind(int *to) {
  int offset = 0, value;
  asm volatile("global_load_dword %1, %0, %2\n\ts_waitcnt vmcnt(0)\n\tv_add_u32 %1, 1, "
               "%1\n\tv_mov_b32 %0, 4\n\t"
               "global_store_dword %0, %1, %2"
               : "+v"(offset), "=&v"(value)
               : "s"(to)
               : "memory");
}
__global__ void one_counts(const int *from, int *to) {
  if (threadIdx.x == 5)
    to[from[threadIdx.x]] += 1;
}

__global__ void stores_a_byte_of_a_word_again(unsigned char *x) {
  if (blockIdx.x == 0)
    x[4 * threadIdx.x] = 1;
  else
    ((int *)x)[threadIdx.x] = 0x0201;
}
// Each thread stores into a row of its own by several instructions, `apart` dwords behind the row of the thread before it.
template <int DWORDS> __global__ void fills_rows(int *rows, int apart, int *to, int back) {
  int *row = rows + (blockIdx.x * blockDim.x + threadIdx.x) * apart;
#pragma unroll
  for (int round = 0; round < 2; round++)
    for (int i = DWORDS - 1; i >= 0; i--) {
      row[i] += 1 + i + (int)threadIdx.x;
      asm volatile("" ::: "memory"); // else the compiler joins the stores
    }
  if (back && blockIdx.x > 0 && threadIdx.x == 0)
    *to = row[-back];
}
__global__ void leaves_bytes_of_a_word(unsigned char *x, int *to) {
  if (blockIdx.x == 0)
    x[4 * threadIdx.x] = 7;
  else
    to[threadIdx.x] = x[4 * threadIdx.x + 1];
}
__global__ void zeroes_and_adds(int *sum) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *sum = 0;
  atomicAdd(sum, 1);
}

__global__ void empties_slots_too_late(const int *key, int *to) {
  __shared__ int slot[WAVE];
  if (threadIdx.x < WAVE)
    slot[threadIdx.x] = -1; // as LDS was
  to[threadIdx.x] = slot[key[threadIdx.x] % WAVE];
}
__global__ void takes_the_least_of_a_late_one(const int *from, int *to) {
  __shared__ int least;
  if (threadIdx.x == 0)
    least = -1000;
  atomicMin(&least, from[threadIdx.x]);
  __syncthreads();
  to[threadIdx.x] = least;
}
__global__ void zeroes_a_fresh_sum(int *sum) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *sum = 0; // as memory was
  if (blockIdx.x != 0)
    atomicAdd(sum, 1);
}
__global__ void adds_where_one_has_stored(int *sum) { // its line is in use by several
  if (blockIdx.x == 0 && threadIdx.x == 0)
    sum[6] = 1;
  atomicAdd(&sum[blockIdx.x == 2 ? 6 : 5], 1);
}
__global__ void zeroes_rows_of_a_fresh_table(int *table, int *to) {
  enum { ROW = 32 };
  if (blockIdx.x == 0)
    table[threadIdx.x / 16 * ROW + threadIdx.x % 16] = 0;
  to[blockIdx.x * blockDim.x + threadIdx.x] = table[ROW + threadIdx.x % 16];
}
__global__ void zeroes_a_fresh_table(int *table, int *to) {
  if (blockIdx.x == 0)
    table[threadIdx.x] = 0;
  to[blockIdx.x * blockDim.x + threadIdx.x] = table[threadIdx.x];
}

__global__ void lanes_store_to_one_place(int *to) { *to = (int)threadIdx.x; }
__global__ void lanes_store_to_few_places(int *to) {
  __shared__ short slot[8];
  if (threadIdx.x % 9 < 8)
    slot[threadIdx.x % 9] = (short)threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = slot[threadIdx.x % 8];
}
__global__ void lanes_agree(int *to) {
  __shared__ int slot[8];
  slot[threadIdx.x % 8] = (int)threadIdx.x % 8;
  to[threadIdx.x % 8] = slot[threadIdx.x % 8];
}

// ---- generic addresses ----

__device__ void turns(int *tile, int *to) {
  tile[threadIdx.x] = (int)threadIdx.x;
  to[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}
__global__ void turns_somewhere(int *to, int where) {
  __shared__ int tile[BLOCK];
  turns(where ? tile : to + BLOCK, to);
}
__global__ void counts_somewhere(int *to, int where) {
  __shared__ int tile[WAVE];
  int *p = where ? tile : to + BLOCK;
  if (threadIdx.x < WAVE)
    p[threadIdx.x] = 0;
  atomicAdd(&p[threadIdx.x % WAVE], 1); // and no barrier
}
__global__ void reads_what_is_volatile(int *to, int where) {
  __shared__ int tile[BLOCK];
  int *p = where ? tile : to + BLOCK;
  p[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < WAVE)
    *(volatile int *)&p[threadIdx.x] = 1 + *(volatile int *)&p[threadIdx.x];
  else
    to[threadIdx.x] = p[threadIdx.x % WAVE];
}
__global__ void sums_with_a_volatile_end(const int *from, int *to) {
  __shared__ int sum[BLOCK];
  volatile int *end = sum;
  const unsigned t = threadIdx.x;
  sum[t] = from[t] + (int)t;
  __syncthreads();
  if (t < 128)
    sum[t] += sum[t + 128]; // and no barrier
  if (t < WAVE) {
    end[t] += end[t + 64];
    end[t] += end[t + 32];
  }
  if (t == 0)
    *to = sum[0];
}

// ---- atomics beside plain accesses, in LDS ----

__global__ void numbers_from_a_late_zero(int *to) {
  __shared__ int count;
  if (threadIdx.x == 0)
    count = 0;
  to[threadIdx.x] = atomicAdd(&count, 1);
}
__global__ void begins_anew_too_early(int *to) {
  __shared__ int count;
  if (threadIdx.x == 0)
    count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  if (threadIdx.x == WAVE)
    count = 0;
  __syncthreads();
  to[threadIdx.x] = count;
}
__global__ void the_last_wave_reads_too_early(int *to) {
  __shared__ int count;
  if (threadIdx.x == 0)
    count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  if (threadIdx.x == BLOCK - 1)
    *to = count;
}
__global__ void compacts_too_early(int *total, int *to) {
  __shared__ int count, begin, kept[BLOCK];
  if (threadIdx.x == 0)
    count = 0;
  __syncthreads();
  if (threadIdx.x % 3)
    kept[atomicAdd(&count, 1)] = (int)threadIdx.x;
  if (threadIdx.x == 0) // and no barrier
    begin = atomicAdd(total, count);
  __syncthreads();
  to[begin + threadIdx.x] = kept[threadIdx.x % 64];
}
__global__ void compacts(int *total, int *to) {
  __shared__ int count, begin, kept[BLOCK];
  if (threadIdx.x == 0)
    count = 0;
  __syncthreads();
  if (threadIdx.x % 3)
    kept[atomicAdd(&count, 1)] = (int)threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0)
    begin = atomicAdd(total, count);
  __syncthreads();
  if ((int)threadIdx.x < count)
    to[begin + threadIdx.x] = kept[threadIdx.x];
}
template <typename T> __global__ void finds_the_largest(T *to) {
  __shared__ T largest;
  if (threadIdx.x == 0)
    largest = 0;
  __syncthreads();
  atomicMax(&largest, (T)threadIdx.x);
  __syncthreads();
  to[threadIdx.x] = largest;
}
__global__ void adds_by_compare_and_swap(float *to) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  unsigned before = sum, seen;
  while ((seen = atomicCAS(&sum, before, __float_as_uint(__uint_as_float(before) + 1))) != before)
    before = seen;
  __syncthreads();
  to[threadIdx.x] = __uint_as_float(sum);
}

// ---- loops over LDS that wait for nothing, and flags ----

__global__ void searches_too_early(int *to, int n, int key) {
  __shared__ int sorted[BLOCK];
  sorted[threadIdx.x] = 0;
  __syncthreads();
  sorted[threadIdx.x] = (int)threadIdx.x * 2;
  int i = 0; // and no barrier
  while (i < n && sorted[i] < key + (int)threadIdx.x)
    i++;
  to[threadIdx.x] = i;
}
template <int RAISE, int WAIT> __global__ void hands_on(int *to) {
  __shared__ int flag, data[WAVE];
  const int lane = (int)threadIdx.x % WAVE;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x < WAVE) {
    data[lane] = lane + 5;
    __threadfence_block();
    if (lane == 0 && RAISE == 0)
      atomicExch(&flag, 1);
    if (lane == 0 && RAISE == 1)
      *(volatile int *)&flag = 1;
    if (lane == 0 && RAISE == 2)
      atomicAdd(&flag, 1);
    return;
  }
  if (WAIT == 0)
    while (*(volatile int *)&flag == 0) {
    }
  if (WAIT == 1)
    while (atomicCAS(&flag, 1, 1) != 1) {
    }
  if (WAIT == 2)
    while (atomicMax(&flag, 0) == 0) {
    }
  if (WAIT == 3)
    while (__hip_atomic_load(&flag, __ATOMIC_ACQUIRE, WORKGROUP) == 0)
      __builtin_amdgcn_s_sleep(1);
  if (WAIT == 4)
    while (!__shfl(lane ? 0 : __hip_atomic_load(&flag, __ATOMIC_ACQUIRE, WORKGROUP), 0)) {
    }
  __threadfence_block();
  to[lane] = data[lane];
}
// The address of the flag is made anew in each round.
__global__ void waits_at_a_slot(int *to, int slot) {
  __shared__ int full[8], data[WAVE];
  const int lane = (int)threadIdx.x % WAVE;
  if (threadIdx.x < 8)
    full[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < WAVE) {
    data[lane] = lane;
    __threadfence_block();
    if (lane == 0)
      __hip_atomic_store(&full[slot], 1, __ATOMIC_RELEASE, WORKGROUP);
    return;
  }
  while (!__shfl(lane ? 0 : __hip_atomic_load(&full[slot], __ATOMIC_ACQUIRE, WORKGROUP), 0)) {
  }
  to[lane] = data[lane];
}
// A wave fills slots of a ring, another empties them: it looks once, and then between naps.
__global__ void hands_on_in_a_ring(int *to, int rounds) {
  enum { SLOTS = 3 };
  __shared__ int data[SLOTS][WAVE], full[SLOTS], emptied[SLOTS];
  const int lane = (int)threadIdx.x % WAVE;
  if (threadIdx.x < SLOTS)
    full[threadIdx.x] = emptied[threadIdx.x] = 0;
  __syncthreads();
  for (int r = 0, sum = 0; r < rounds; r++) {
    const int slot = r % SLOTS, turn = r / SLOTS;
    if (threadIdx.x < WAVE) {
      while (__hip_atomic_load(&emptied[slot], __ATOMIC_ACQUIRE, WORKGROUP) < turn) {
      }
      data[slot][lane] = r + lane;
      __threadfence_block();
      if (lane == 0)
        __hip_atomic_store(&full[slot], turn + 1, __ATOMIC_RELEASE, WORKGROUP);
    } else {
      while (__hip_atomic_load(&full[slot], __ATOMIC_ACQUIRE, WORKGROUP) <= turn)
        __builtin_amdgcn_s_sleep(1);
      to[lane] = sum += data[slot][lane];
      __threadfence_block();
      if (lane == 0)
        __hip_atomic_fetch_add(&emptied[slot], 1, __ATOMIC_RELEASE, WORKGROUP);
    }
  }
}
__device__ void lock(int *mutex) {
  while (atomicCAS(mutex, 0, 1) != 0) {
  }
  __threadfence_block();
}
__device__ void unlock(int *mutex) {
  __threadfence_block();
  atomicExch(mutex, 0);
}
__global__ void waves_take_locks(int *to, int locks) {
  __shared__ int mutex[2], sum;
  if (threadIdx.x < 2)
    mutex[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  if (threadIdx.x % WAVE == 0) {
    int *own = &mutex[threadIdx.x / WAVE % (unsigned)locks];
    lock(own);
    sum += 1;
    unlock(own);
  }
  __syncthreads();
  to[threadIdx.x] = sum;
}
__global__ void waves_meet(int *to) {
  __shared__ int arrived, data[BLOCK];
  if (threadIdx.x == 0)
    arrived = 0;
  __syncthreads();
  data[threadIdx.x] = (int)threadIdx.x;
  __threadfence_block();
  if (threadIdx.x % WAVE == 0)
    __hip_atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE, WORKGROUP);
  while (__hip_atomic_load(&arrived, __ATOMIC_ACQUIRE, WORKGROUP) < BLOCK / WAVE) {
  }
  to[threadIdx.x] = data[BLOCK - 1 - threadIdx.x];
}

// A load that loses its address, and behind it a wait for another dword.
__global__ void reads_and_then_waits(const int *at, int *to, int flag) {
  extern __shared__ int data[];
  const int t = (int)threadIdx.x, from = (at[t] + t) % (2 * WAVE);
  data[t] = 0;
  if (t == 0)
    data[flag] = 0;
  __syncthreads();
  if (t < 2 * WAVE)
    data[t] = t + 1;
  to[t] = data[from]; // and no barrier
  __threadfence_block();
  if (t == 0)
    __hip_atomic_store(&data[flag], 1, __ATOMIC_RELEASE, WORKGROUP);
  while (__hip_atomic_load(&data[flag], __ATOMIC_ACQUIRE, WORKGROUP) == 0) {
  }
}
__global__ void uses_the_largest_too_early(const int *from, float *to) {
  __shared__ float largest[WAVE];
  const unsigned t = threadIdx.x;
  largest[t % WAVE] = 0;
  __syncthreads();
  atomicMax(&largest[t % WAVE], (float)(from[t] + (int)t));
  to[t] = largest[WAVE - 1 - t % WAVE];
}

// ---- blocks that meet in global memory ----

__global__ void divides_by_the_sum(float *x, float *sum) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsafeAtomicAdd(sum, 1.0f + x[i]);
  __syncthreads();
  x[i] = 1 / *sum;
}
// Each component of a graph gets its least node for a name. What the swap found says where to go on.
__global__ void number_themselves(int *parent) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  parent[i] = i;
}
__device__ int find(int *parent, int node) {
  int at = parent[node], next;
  for (int before = node; at > (next = parent[at]); before = at, at = next)
    parent[before] = next;
  return at;
}
__global__ void join_neighbours(int *parent, int n) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  int a = find(parent, i), b = find(parent, i * 7 % n), seen;
  bool again;
  do {
    again = false;
    if (a < b && (seen = atomicCAS(&parent[b], b, a)) != b) {
      b = seen;
      again = true;
    } else if (b < a && (seen = atomicCAS(&parent[a], a, b)) != a) {
      a = seen;
      again = true;
    }
  } while (again);
}
// Two blocks store the same values at the same time, beside what others have stored.
__global__ void mark_in_pairs(unsigned char *met, int *level) {
  const unsigned at = threadIdx.x * (gridDim.x / 2) + blockIdx.x / 2;
  met[at] = 1;
  level[at] = 7;
}
__global__ void looks_before_it_updates(const int *from, int *largest) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (from[i] + (int)i > *largest)
    atomicMax(largest, from[i] + (int)i);
}
__global__ void keeps_the_largest(const int *from, int *largest) {
  const int mine = from[blockIdx.x] + (int)blockIdx.x + 1, before = *largest;
  *largest = before > mine ? before : mine;
}
__global__ void adds_floats_and_stores(float *sum, int *to) {
  atomicAdd(sum, 1.0f); // a loop of compare-and-swap
  if (threadIdx.x == 0)
    *to = (int)blockIdx.x + 1;
}
__global__ void prints_and_stores(int *to) {
  if (threadIdx.x == 3 && blockIdx.x == 2)
    printf("%d\n", to[0]);
  to[threadIdx.x] = (int)blockIdx.x + 1;
}
__global__ void takes_a_lock_and_stores(int *lock, int *to) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *to += (int)blockIdx.x + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}

// ---- cases ----

typedef struct {
  const char *name;
  void (*run)(void);
} Case;
#define CASE(name, ...)                                                                            \
  {                                                                                                \
    name, [] { __VA_ARGS__; }                                                                      \
  }

// What the loop of compare-and-swap begins with is an atomic load.
__global__ void takes_the_largest_and_stores(float *largest, int *to) {
  atomicMax(&largest[threadIdx.x], (float)blockIdx.x);
  to[threadIdx.x] = (int)blockIdx.x + 1;
}

// All waves fill the same table with the same values, and each reads what it has stored itself: side by side, in an order of its
// own, at one place.
__global__ void fills_and_reads(const int *in, int *out) {
  __shared__ int side[WAVE], order[WAVE], one[4];
  const int lane = (int)threadIdx.x % WAVE, place = lane * 9 % WAVE;
  side[lane] = in[lane];
  order[place] = in[lane] + 1;
  one[1] = in[5] + 2;
  out[threadIdx.x] = side[WAVE - 1 - lane] + order[lane] + one[1];
}

// A small number changes one byte of four; the address of the load is the same in all lanes.
__global__ void numbers_and_looks(int *to, int *seen) {
  if (threadIdx.x)
    return;
  to[blockIdx.x] = (int)blockIdx.x;
  if (blockIdx.x)
    seen[blockIdx.x] = to[blockIdx.x - 1];
}

static const Case row[] = {
    CASE("bytes-written", all_waves_write<<<1, BLOCK>>>((unsigned char *)out)),
    CASE("halves-written", all_waves_write<<<1, BLOCK>>>((short *)out)),
    CASE("byte-read", reads_the_first_part<<<1, BLOCK>>>((unsigned char *)out)),
    CASE("half-read", reads_the_first_part<<<1, BLOCK>>>((short *)out)),
    CASE("byte-overwritten", overwrites_what_is_read<<<1, 2 * WAVE>>>((unsigned char *)out)),
    CASE("ok-bytes", waves_write_bytes_of_their_own<<<1, BLOCK>>>((unsigned char *)out)),
    CASE("same-first", stores_zero_then_one<<<1, 2 * WAVE>>>(out)),
    CASE("late-slots", empties_slots_too_late<<<1, BLOCK>>>(zeros, out)),
    CASE("late-least", takes_the_least_of_a_late_one<<<1, BLOCK>>>(zeros, out)),
    CASE("fresh-sum", zeroes_a_fresh_sum<<<2, WAVE>>>(out)),
    CASE("stored-and-sums", adds_where_one_has_stored<<<3, WAVE>>>(zeros)),
    CASE("note-rows", zeroes_rows_of_a_fresh_table<<<2, WAVE>>>(out, zeros)),
    CASE("note-table", zeroes_a_fresh_table<<<2, WAVE>>>(out, zeros)),
    CASE("lanes", lanes_store_to_one_place<<<1, WAVE>>>(out)),
    CASE("lanes-in-lds", lanes_store_to_few_places<<<1, WAVE>>>(out)),
    CASE("ok-lanes", lanes_agree<<<1, WAVE>>>(out)),
    CASE("generic", turns_somewhere<<<1, BLOCK>>>(out, 1)),
    CASE("generic-sum", counts_somewhere<<<1, BLOCK>>>(out, 1)),
    CASE("volatile-end", sums_with_a_volatile_end<<<1, BLOCK>>>(zeros, out)),
    CASE("late-zero", numbers_from_a_late_zero<<<1, BLOCK>>>(out)),
    CASE("early-zero", begins_anew_too_early<<<1, BLOCK>>>(out)),
    CASE("last-wave", the_last_wave_reads_too_early<<<1, BLOCK>>>(out)),
    CASE("compacted", compacts_too_early<<<1, BLOCK>>>(zeros, out)),
    CASE("ok-compacted", compacts<<<2, BLOCK>>>(zeros, out)),
    CASE("ok-largest-float", finds_the_largest<<<1, BLOCK>>>((float *)out)),
    CASE("ok-largest-double", finds_the_largest<<<1, BLOCK>>>((double *)out)),
    CASE("ok-cas", adds_by_compare_and_swap<<<1, BLOCK>>>((float *)out)),
    CASE("searched", searches_too_early<<<1, BLOCK>>>(out, BLOCK, 100)),
    CASE("ok-exch-volatile", (hands_on<0, 0><<<1, 2 * WAVE>>>(out))),
    CASE("ok-exch-cas", (hands_on<0, 1><<<1, 2 * WAVE>>>(out))),
    CASE("ok-exch-max", (hands_on<0, 2><<<1, 2 * WAVE>>>(out))),
    CASE("ok-exch-sleep", (hands_on<0, 3><<<1, 2 * WAVE>>>(out))),
    CASE("ok-exch-shfl", (hands_on<0, 4><<<1, 2 * WAVE>>>(out))),
    CASE("ok-volatile-sleep", (hands_on<1, 3><<<1, 2 * WAVE>>>(out))),
    CASE("ok-volatile-shfl", (hands_on<1, 4><<<1, 2 * WAVE>>>(out))),
    CASE("ok-add-volatile", (hands_on<2, 0><<<1, 2 * WAVE>>>(out))),
    CASE("read-then-waited", reads_and_then_waits<<<1, BLOCK, 2048>>>(zeros, out, 300)),
    CASE("largest", uses_the_largest_too_early<<<1, BLOCK>>>(zeros, (float *)out)),
    CASE("ok-marks", marks<<<4, WAVE>>>(zeros, (bool *)out)),
    CASE("ok-meet", waves_meet<<<1, BLOCK>>>(out)),
    CASE("ok-slot", waits_at_a_slot<<<1, 2 * WAVE>>>(out, 3)),
    CASE("ok-ring", hands_on_in_a_ring<<<1, 2 * WAVE>>>(out, 12)),
    CASE("two-locks", waves_take_locks<<<1, BLOCK>>>(out, 2)),
    CASE("ok-lock", waves_take_locks<<<1, BLOCK>>>(out, 1)),
    CASE("generic-beside-volatile", reads_what_is_volatile<<<1, BLOCK>>>(out, 1)),
    CASE("blocks-first-zero", blocks_store_their_number<<<2, WAVE>>>(zeros)),
    CASE("blocks-bytes", blocks_store_parts<<<2, WAVE>>>((unsigned char *)out, 1)),
    CASE("blocks-halves", blocks_store_parts<<<2, WAVE>>>((__half *)out, 1)),
    CASE("blocks-pixels", blocks_store_parts<<<2, WAVE>>>((unsigned char *)out, 3)),
    CASE("blocks-pairs", blocks_store_parts<<<2, WAVE>>>((short *)out, 2)),
    CASE("ok-blocks-bytes", blocks_store_beside_each_other<<<2, WAVE>>>((unsigned char *)out)),
    CASE("ok-blocks-halves", blocks_store_beside_each_other<<<2, WAVE>>>((short *)out)),
    CASE("ok-other-bytes", leaves_bytes_of_a_word<<<2, WAVE>>>((unsigned char *)zeros, out)),
    CASE("lost-count", counts<<<1, WAVE>>>(zeros, zeros + WAVE)),
    CASE("lost-in-lds", counts_in_lds<<<1, WAVE>>>(zeros, out)),
    CASE("lost-in-a-table", counts_in_a_table<<<1, WAVE>>>(zeros, (double *)(zeros + WAVE))),
    CASE("ok-same-twice", marks_and_keeps_the_largest<<<1, WAVE>>>(zeros, zeros + WAVE)),
    CASE("ok-own-counts", counts_in_places_of_their_own<<<1, WAVE>>>(zeros, zeros + WAVE)),
    CASE("ok-far-counts", counts_far_apart<<<1, WAVE>>>(zeros)),
    CASE("ok-behind", stores_what_comes_behind<<<1, WAVE>>>(zeros)),
    CASE("ok-one-counts", one_counts<<<1, WAVE>>>(zeros, zeros + WAVE)),
    CASE("ok-byte-again", stores_a_byte_of_a_word_again<<<2, WAVE>>>((unsigned char *)zeros)),
    CASE("ok-rows", fills_rows<3><<<4, 40>>>(zeros, 3, out, 0)),
    CASE("blocks-rows", fills_rows<4><<<2, 40>>>(zeros, 3, out, 0)),
    CASE("note-row", fills_rows<4><<<2, WAVE>>>(zeros, 4, out, 1)),
    CASE("note-bytes", smoothes_in_place<<<2, WAVE>>>((unsigned char *)zeros)),
    CASE("note-halves", smoothes_in_place<<<2, WAVE>>>((short *)zeros)),
    CASE("zero-and-sum", zeroes_and_adds<<<4, WAVE>>>(zeros)),
    CASE("float-largest", takes_the_largest_and_stores<<<4, WAVE>>>((float *)zeros, zeros + WAVE)),
    CASE("note-uniform", numbers_and_looks<<<4, WAVE>>>(zeros, out)),
    CASE("float-sum", adds_floats_and_stores<<<4, WAVE>>>((float *)zeros, zeros + WAVE)),
    CASE("printed", prints_and_stores<<<3, WAVE>>>(zeros)),
    CASE("ok-global-lock", takes_a_lock_and_stores<<<4, WAVE>>>(zeros, zeros + WAVE)),
    CASE("note-sum", divides_by_the_sum<<<4, WAVE>>>((float *)zeros, (float *)zeros + 4 * WAVE)),
    CASE("note-scalar", keeps_the_largest<<<4, WAVE>>>(zeros + WAVE, zeros)),
    CASE("ok-joined", number_themselves<<<N / BLOCK, BLOCK>>>(zeros);
         join_neighbours<<<N / BLOCK, BLOCK>>>(zeros, N)),
    CASE("ok-marked", mark_in_pairs<<<2 * LARGE / BLOCK, BLOCK>>>((unsigned char *)zeros, out)),
    CASE("ok-own-values", fills_and_reads<<<1, BLOCK>>>(zeros, out)),
    CASE("ok-looks", looks_before_it_updates<<<4, WAVE>>>(zeros + WAVE, zeros)),
};

int main(int argc, char **argv) {
  if (hipMalloc((void **)&zeros, LARGE * sizeof *zeros) != hipSuccess ||
      hipMalloc((void **)&out, LARGE * sizeof *out) != hipSuccess ||
      hipMemset(zeros, 0, LARGE * sizeof *zeros) != hipSuccess)
    return 1;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (argc == 2 && strcmp(argv[1], row[i].name) == 0) {
      row[i].run();
      printf("hipDeviceSynchronize: %s\n", hipGetErrorName(hipDeviceSynchronize()));
      return 0;
    }
  fprintf(stderr, "races: no such case\n");
  return 2;
}
