// A program that goes wrong in the way its argument names: material of test_runtime_faults.c.
//
// In: the name of a case. Out: the emulator's sentences on stderr; on stdout the names of the HIP
// errors that hipDeviceSynchronize and a later hipMalloc returned.
#include <assert.h>
#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, BLOCK = 256, GROUPS = 4 };

__global__ void writes_behind_the_end(double *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void reads_before_the_begin(double *p) { p[threadIdx.x] = p[(int)threadIdx.x - 3]; }
__global__ void updates_behind_the_end(int *p) { atomicAdd(p + N + threadIdx.x, 1); }
__global__ void misaligned_load(char *p, int by) { *(int *)(p + 64) = *(volatile int *)(p + by); }
__global__ void misaligned_atomic(char *p, int by) {
  atomicAdd((unsigned long long *)(p + by), 1ull);
}
__global__ void writes_one(double *p) { *p = 1; }
__global__ void scalar_read(const int *p, int *q) { q[threadIdx.x] = p[1 << 20]; }

__global__ void writes_behind_lds(double *p, int n) {
  extern __shared__ double tile[];
  tile[threadIdx.x + n] = 1;
  __syncthreads();
  p[threadIdx.x] = tile[threadIdx.x];
}

// The tail is a multiple of no granule: LDS comes in 512 bytes, memory in pages of 4096.
__global__ void reads_behind_lds(double *p) {
  extern __shared__ double tile[];
  tile[threadIdx.x] = 1;
  __syncthreads();
  p[threadIdx.x] = tile[threadIdx.x + 1];
}

// As searches do that look at one more element and then do not use it.
__global__ void reads_far_behind_lds(double *p, int n) {
  extern __shared__ double tile[];
  tile[threadIdx.x] = 1;
  __syncthreads();
  if (tile[threadIdx.x + n] != 0)
    __builtin_trap();
  p[threadIdx.x] = tile[threadIdx.x];
}

__global__ void reads_one_behind(double *p) { p[threadIdx.x] = p[threadIdx.x + 1]; }
__device__ __attribute__((noinline)) double at(const double *p, int i) { return p[i]; }
__global__ void reads_one_behind_in_a_function(double *p) {
  p[threadIdx.x] = at(p, threadIdx.x + 1);
}

__global__ void never_ends(volatile int *p) {
  while (p[threadIdx.x] == 0) {
  }
}

__global__ void sleeps_for_ever(volatile int *p) {
  while (p[threadIdx.x] == 0)
    __builtin_amdgcn_s_sleep(1);
}

__global__ void counts_for_ever(volatile int *p) {
  for (unsigned i = 0;; i++)
    p[threadIdx.x] = i;
}
__global__ void counts_far(volatile int *p, unsigned long long n) {
  for (unsigned long long i = 0; i < n; i++)
    p[threadIdx.x] = (int)i;
}
__global__ void waits_for_the_host(volatile int *p) {
  while (*p == 0) {
  }
}

// Blocks that share a lock, and meet a barrier with it and without it.
__global__ void locks(int *lock, volatile int *sum, unsigned long long n) {
  for (unsigned long long i = 0; i < n; i++) {
    if (threadIdx.x == 0) {
      while (atomicCAS(lock, 0, 1) != 0) {
      }
      *sum = *sum + 1;
      __threadfence();
      atomicExch(lock, 0);
    }
    __syncthreads();
  }
}
__global__ void sets(volatile int *p) { p[threadIdx.x] = 1; }

__global__ void asserts(unsigned n) { assert(threadIdx.x < n); }
__global__ void traps(void) { __builtin_trap(); }
__global__ void unknown_instruction(void) { asm volatile("s_cbranch_g_fork s[0:1], s[2:3]"); }
__global__ void no_instruction(void) { asm volatile(".long 0xffffffff"); }
__global__ void flushes_f64(void) {
  asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 6, 2), 0");
}

__device__ __attribute__((noinline)) int stack(int *private_array, int i) {
  return private_array[i];
}
__global__ void beyond_the_stack(int *p, int i) {
  int private_array[16];
  for (int k = 0; k < 16; k++)
    private_array[k] = k;
  p[threadIdx.x] = stack(private_array, i);
}

// No compiler knows how deep; the number that comes last keeps it from becoming a loop.
__device__ __attribute__((noinline)) int depth(int n) { return n ? depth(n - 1) * 3 + n : 0; }
__global__ void recursion(int *p, int n) { p[threadIdx.x] = depth(n); }

static double *p;
static int *q;

__global__ void never_meets(volatile int *p) {
  while (p[0] == 0)
    __syncthreads();
}

// The lane that holds the lock waits behind the loop for those that ask for it.
__global__ void locks_lane_by_lane(int *lock, double *out) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *out += 1;
  atomicExch(lock, 0);
}

__global__ void waits_for_a_stray_block(volatile int *p, double *out) {
  if (blockIdx.x == 1) {
    out[GROUPS * BLOCK + 1000] = 1;
    p[0] = 1;
  }
  while (p[0] == 0) {
  }
}
__global__ void has_no_code(double *) { __builtin_unreachable(); }

// Odd threads read far away, twice, as kernels in assembly do that turn their reads off.
__global__ void reads_where_no_lds_is(unsigned far) {
  extern __shared__ double tile[];
  double one, next;
  tile[threadIdx.x] = 1;
  __syncthreads();
  asm volatile("ds_read_b64 %0, %2\n ds_read_b64 %1, %2 offset:8\n s_waitcnt lgkmcnt(0)"
               : "=&v"(one), "=&v"(next)
               : "v"(threadIdx.x % 2 ? far : threadIdx.x * (unsigned)sizeof *tile));
  if (one + next != (threadIdx.x % 2 ? 0 : 2))
    __builtin_trap();
}

// By the instructions of generic pointers, as all that is volatile.
__global__ void reads_far_by_a_pointer(double *p, int n) {
  extern __shared__ double tile[];
  p[threadIdx.x] = ((volatile double *)tile)[n];
}

// As compilers before clang 22 write p[i + 1] where p + i lies before the array.
__global__ void offset_into_lds(void) {
  __shared__ int array[BLOCK];
  asm volatile("flat_store_dword %0, %1 offset:4" : : "v"((char *)array - 4), "v"(1) : "memory");
}

__global__ void scalar_double(const double *p, double *q) { q[threadIdx.x] = p[512]; }
__global__ void misaligned_halves(char *p, int by) { // of a whole wavefront
  ((volatile short *)(p + by))[threadIdx.x] = 1;
}

// Lanes here and there, of which two go wrong.
__global__ void misaligned_lanes(char *p, int by) {
  const int lane = threadIdx.x;
  *(volatile int *)(p + lane * 29 % 64 * 4 + (lane == 37 || lane == 50 ? by : 0)) = 1;
}
__global__ void lanes_outside(int *p, int by) {
  const int lane = threadIdx.x;
  p[lane * 29 % 64 + (lane == 37 || lane == 50 ? by : 0)] = 1;
}

static void case_behind(void) { writes_behind_the_end<<<GROUPS, BLOCK>>>(p); }
static void case_before(void) { reads_before_the_begin<<<1, BLOCK>>>(p); }
static void case_atomic_behind(void) { updates_behind_the_end<<<1, BLOCK>>>((int *)p + N); }
static void case_misaligned_load(void) { misaligned_load<<<1, 1>>>((char *)p, 2); }
static void case_misaligned_halves(void) { misaligned_halves<<<1, 64>>>((char *)p, 1); }
static void case_misaligned_lanes(void) { misaligned_lanes<<<1, 64>>>((char *)p, 2); }
static void case_lanes_outside(void) { lanes_outside<<<1, 64>>>((int *)p, 1 << 20); }
static void case_misaligned_atomic(void) { misaligned_atomic<<<1, 1>>>((char *)p, 4); }
static void case_offset_into_lds(void) { offset_into_lds<<<1, 1>>>(); }
static void case_null(void) { writes_one<<<1, 1>>>(NULL); }
static void case_host_memory(void) {
  double *host = (double *)malloc(sizeof *host);
  writes_one<<<1, 1>>>(host);
}
static void case_nowhere(void) { writes_one<<<1, 1>>>((double *)0x123456789000); }
static void case_freed(void) {
  hipFree(p);
  writes_one<<<1, 1>>>(p);
}
static void case_scalar(void) { scalar_read<<<1, 64>>>(q, q); }
static void case_misaligned_scalar(void) {
  scalar_read<<<1, 64>>>((const int *)((char *)p + 2) - (1 << 20), q);
}
static void case_scalar_over_the_end(void) {
  void *odd;
  if (hipMalloc(&odd, 4100) == hipSuccess && hipMemset(odd, 0, 4100) == hipSuccess)
    scalar_double<<<1, 64>>>((const double *)odd, p);
}
static void case_lds(void) {
  writes_behind_lds<<<1, BLOCK, BLOCK * sizeof(double)>>>(p, 3 * BLOCK);
}
static void case_lds_far(void) {
  reads_far_behind_lds<<<1, BLOCK, BLOCK * sizeof(double)>>>(p, BLOCK);
}
static void case_lds_from(unsigned far) {
  reads_where_no_lds_is<<<1, BLOCK, BLOCK * sizeof(double)>>>(far);
}
static void case_lds_zeros(void) { case_lds_from(0xf00000); }
static void case_lds_first_zeros(void) { case_lds_from(0x10000); }
static void case_lds_last_zeros(void) { case_lds_from(0x7fffffe0); }
static void case_lds_nearly_zeros(void) { case_lds_from(0x10000 - 8); }
static void case_lds_negative(void) { case_lds_from(0x80000000); }
static void case_lds_pointer(void) {
  reads_far_by_a_pointer<<<1, 1, BLOCK * sizeof(double)>>>(p, 65536 / sizeof(double));
}
static void case_lds_granule(void) { reads_behind_lds<<<1, 100, 100 * sizeof(double)>>>(p); }
static void case_one_behind(void) { reads_one_behind<<<1, BLOCK>>>(p + N - BLOCK); }
static void case_one_behind_a_page(void) {
  double *page;
  hipMalloc((void **)&page, 4096);
  reads_one_behind_in_a_function<<<1, 512>>>(page);
}
static void case_endless(void) { never_ends<<<1, 64>>>(q); }
static void case_endless_with_barriers(void) { never_meets<<<1, 128>>>(q); }
static void case_waited_for(void) { waits_for_a_stray_block<<<2, 64>>>(q, p); }
static void case_lock_of_lanes(void) { locks_lane_by_lane<<<1, 50>>>(q, p); }
static void case_asleep(void) { sleeps_for_ever<<<1, 64>>>(q); }
static void case_counting(void) { // it may go on until the host waits for it
  counts_for_ever<<<1, 64>>>(q);
  sleep(5);
}
static void case_counting_far(void) { counts_far<<<1, 64>>>(q, 1ull << 62); }
static void case_locks(void) {
  hipMemset(q, 0, N * sizeof *q);
  locks<<<8, BLOCK>>>(q, q + 64, 1ull << 62);
}
static void case_host_flag(void) {
  int *flag;
  hipHostMalloc((void **)&flag, sizeof *flag, 0);
  *flag = 0;
  waits_for_the_host<<<1, 64>>>(flag);
  sleep(5);
  *(volatile int *)flag = 1;
}
static void case_second_stream(void) {
  hipStream_t first, second;
  hipStreamCreate(&first);
  hipStreamCreate(&second);
  hipMemset(q, 0, N * sizeof *q);
  never_ends<<<1, 64, 0, first>>>(q);
  sets<<<1, 64, 0, second>>>(q);
}
extern "C" __device__ void __ockl_grid_sync(void); // what grid_group::sync() calls
__global__ void meets_for_ever(volatile int *p) {
  while (p[0] == 0)
    __ockl_grid_sync();
}
static void case_endless_grid(void) {
  void *arguments[] = {&q};
  hipMemset(q, 0, N * sizeof *q);
  hipLaunchCooperativeKernel((void *)meets_for_ever, dim3(8), dim3(64), arguments, 0, NULL);
}
// Two kernels by many short turns, for seconds: one wave of each workgroup waits, and all go on to the next barrier.
__global__ void plays_long(volatile int *ball, int *done, int me, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    if (threadIdx.x == 0)
      while (*ball != 2 * turn + me)
        ;
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(done + me, 1) == (int)gridDim.x * (turn + 1) - 1)
      *ball = 2 * turn + me + 1;
  }
}
static void case_plays_long(void) {
  hipStream_t stream[2];
  hipMemset(q, 0, N * sizeof *q);
  for (int i = 0; i < 2; i++) {
    hipStreamCreate(&stream[i]);
    plays_long<<<64, 256, 0, stream[i]>>>(q, q + 1, i, 8000);
  }
}
// One grid waits on one device while the other one on another passes barriers across it, with short work in between.
__global__ void meets_long(volatile int *p, int *counts, int me, int rounds) {
  if (me == 0)
    while (*p == 0)
      ;
  for (int round = 0; me == 1 && round < rounds; round++) {
    counts[blockIdx.x * blockDim.x + threadIdx.x]++;
    __ockl_grid_sync();
  }
  if (me == 1)
    *p = 1;
}
static void case_meets_long(void) {
  hipStream_t stream[2];
  int rounds = 70000, me[] = {0, 1}, *counts[2], *met;
  hipHostMalloc((void **)&met, sizeof *met, 0);
  *met = 0;
  for (int d = 0; d < 2; d++) {
    hipSetDevice(d);
    hipStreamCreate(&stream[d]);
    hipMalloc((void **)&counts[d], 64 * 64 * sizeof **counts);
  }
  for (int d = 0; d < 2; d++) {
    void *arguments[] = {&met, &counts[d], &me[d], &rounds};
    hipLaunchCooperativeKernel((void *)meets_long, dim3(64), dim3(64), arguments, 0, stream[d]);
  }
  hipSetDevice(0);
}
static void case_behind_itself(void) {
  never_ends<<<1, 64>>>(q);
  sets<<<1, 64>>>(q);
}
static void case_both_streams_wait(void) {
  hipStream_t stream[2];
  for (int i = 0; i < 2; i++) {
    hipStreamCreate(&stream[i]);
    never_ends<<<1, 64, 0, stream[i]>>>(q);
  }
}
static void case_second_device(void) {
  hipDeviceEnablePeerAccess(1, 0);
  hipSetDevice(1);
  hipDeviceEnablePeerAccess(0, 0);
  hipSetDevice(0);
  never_ends<<<1, 64>>>(q);
  hipSetDevice(1);
  sets<<<1, 64>>>(q);
  hipSetDevice(0);
}
static void case_endless_while_allocating(void) {
  double *more;
  never_ends<<<1, 64>>>(q);
  hipMalloc((void **)&more, 8);
}
static void case_no_code(void) { has_no_code<<<1, 64>>>(p); }
static void case_assert(void) { asserts<<<1, 64>>>(60); }
// As programs do that expect the process to be ended.
static jmp_buf before_the_signal;
static void on_signal(int number) {
  signal(number, SIG_DFL);
  longjmp(before_the_signal, 1);
}
static void case_caught(void) {
  signal(SIGABRT, on_signal);
  if (setjmp(before_the_signal)) {
    printf("SIGABRT is caught\n");
    return;
  }
  case_assert();
  printf("after the signal: %s\n", hipGetErrorName(hipDeviceSynchronize()));
}
static void case_trap(void) { traps<<<1, 64>>>(); }
static void case_unknown(void) { unknown_instruction<<<1, 64>>>(); }
static void case_bytes(void) { no_instruction<<<1, 64>>>(); }
static void case_float_mode(void) { flushes_f64<<<1, 64>>>(); }
static void case_stack(void) { beyond_the_stack<<<1, 64>>>(q, 1 << 20); }
enum { DEEP = 2000 };
static void case_recursion(void) { recursion<<<1, 64>>>(q, DEEP); }
static void case_recursion_with_room(void) {
  typedef hipError_t SetLimit(int, size_t); // not in the headers and the library of ROCm 5.2
  ((SetLimit *)dlsym(RTLD_DEFAULT, "hipDeviceSetLimit"))(0, 100000);
  recursion<<<1, 64>>>(q, DEEP);
  unsigned expected = 0;
  for (unsigned n = 1; n <= DEEP; n++)
    expected = expected * 3 + n;
  int last;
  hipMemcpy(&last, q + 63, sizeof last, hipMemcpyDeviceToHost);
  printf("depth %s\n", last == (int)expected ? "reached" : "missed");
}
static void
case_first(void) { // two workgroups go wrong: the lower one must be named, on any number of threads
  writes_behind_the_end<<<4096, BLOCK>>>(p);
}
static void case_later_calls(void) {
  writes_one<<<1, 1>>>(NULL);
  hipDeviceSynchronize();
  writes_one<<<1, 1>>>(p);
  printf("later launch: %s\n", hipGetErrorName(hipGetLastError()));
  printf("hipMemcpy: %s\n", hipGetErrorName(hipMemcpy(q, p, 8, hipMemcpyDeviceToDevice)));
  printf("hipFree: %s\n", hipGetErrorName(hipFree(p)));
}

// A matrix with an allocation for each row.
enum { ROWS = 40, COLUMNS = 100 };

__global__ void writes_in_each_row(int **row, int column) {
  for (int turn = 0; turn < 2; turn++)
    for (int i = 0; i < ROWS; i++)
      row[i][turn && i > ROWS - 10 ? column : COLUMNS - 1] = i;
}

static int **new_rows(void) {
  int **row;
  hipMallocManaged((void **)&row, ROWS * sizeof *row);
  for (int i = 0; i < ROWS; i++)
    hipMalloc((void **)&row[i], COLUMNS * sizeof **row);
  return row;
}
static void case_behind_a_row(void) { writes_in_each_row<<<1, 1>>>(new_rows(), COLUMNS); }
__global__ void frees_a_row(int *to) {
  int *volatile row[ROWS];
  for (int i = 0; i < ROWS; i++)
    row[i] = (int *)malloc(10000); // so much is an allocation of its own
  for (int i = 0; i < ROWS; i++)
    row[i][COLUMNS - 1] = i;
  free(row[ROWS - 10]);
  *to = row[ROWS - 10][COLUMNS - 1];
}
static void case_freed_row(void) { frees_a_row<<<1, 1>>>((int *)p); }

// As LLVM 15 divides 64-bit numbers that it knows to have 32 bits.
__global__ void divides_by_f32(unsigned first, float *remainder) {
  const float dividend = first + threadIdx.x, divisor = 7;
  float quotient, rest;
  asm volatile("v_rcp_iflag_f32 %0, %2\n v_mul_f32 %0, %3, %0\n v_trunc_f32 %0, %0\n v_mad_f32 %1, "
               "-%0, %2, %3"
               : "=&v"(quotient), "=v"(rest)
               : "v"(divisor), "v"(dividend));
  remainder[threadIdx.x] = rest;
}
static void case_divides(void) { divides_by_f32<<<1, 64>>>((1 << 24) - 2, (float *)p); }
static void case_divides_small(void) { divides_by_f32<<<1, 64>>>((1 << 24) - 64, (float *)p); }

static const struct {
  const char *name;
  void (*run)(void);
} row[] = {{"behind", case_behind},
           {"before", case_before},
           {"atomic-behind", case_atomic_behind},
           {"misaligned-load", case_misaligned_load},
           {"misaligned-halves", case_misaligned_halves},
           {"misaligned-lanes", case_misaligned_lanes},
           {"lanes-outside", case_lanes_outside},
           {"misaligned-atomic", case_misaligned_atomic},
           {"null", case_null},
           {"offset-into-lds", case_offset_into_lds},
           {"host-memory", case_host_memory},
           {"nowhere", case_nowhere},
           {"freed", case_freed},
           {"behind-a-row", case_behind_a_row},
           {"freed-row", case_freed_row},
           {"scalar", case_scalar},
           {"misaligned-scalar", case_misaligned_scalar},
           {"scalar-over-the-end", case_scalar_over_the_end},
           {"lds", case_lds},
           {"lds-far", case_lds_far},
           {"lds-granule", case_lds_granule},
           {"lds-zeros", case_lds_zeros},
           {"lds-first-zeros", case_lds_first_zeros},
           {"lds-last-zeros", case_lds_last_zeros},
           {"lds-nearly-zeros", case_lds_nearly_zeros},
           {"lds-negative", case_lds_negative},
           {"lds-pointer", case_lds_pointer},
           {"one-behind", case_one_behind},
           {"one-behind-a-page", case_one_behind_a_page},
           {"endless", case_endless},
           {"endless-with-barriers", case_endless_with_barriers},
           {"waited-for", case_waited_for},
           {"lock-of-lanes", case_lock_of_lanes},
           {"asleep", case_asleep},
           {"counting", case_counting},
           {"counting-far", case_counting_far},
           {"locks", case_locks},
           {"host-flag", case_host_flag},
           {"second-stream", case_second_stream},
           {"endless-grid", case_endless_grid},
           {"plays-long", case_plays_long},
           {"meets-long", case_meets_long},
           {"behind-itself", case_behind_itself},
           {"both-streams-wait", case_both_streams_wait},
           {"second-device", case_second_device},
           {"endless-while-allocating", case_endless_while_allocating},
           {"no-code", case_no_code},
           {"assert", case_assert},
           {"caught", case_caught},
           {"trap", case_trap},
           {"unknown", case_unknown},
           {"bytes", case_bytes},
           {"float-mode", case_float_mode},
           {"stack", case_stack},
           {"recursion", case_recursion},
           {"recursion-with-room", case_recursion_with_room},
           {"divides", case_divides},
           {"divides-small", case_divides_small},
           {"first", case_first},
           {"later-calls", case_later_calls}};

int main(int argc, char **argv) {
  if (hipMalloc((void **)&p, N * sizeof *p) != hipSuccess ||
      hipMalloc((void **)&q, N * sizeof *q) != hipSuccess)
    return 1;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (argc == 2 && strcmp(argv[1], row[i].name) == 0) {
      row[i].run();
      printf("launch: %s\n", hipGetErrorName(hipPeekAtLastError()));
      printf("hipDeviceSynchronize: %s\n", hipGetErrorName(hipDeviceSynchronize()));
      double *later;
      printf("hipMalloc: %s\n", hipGetErrorName(hipMalloc((void **)&later, 8)));
      return 0;
    }
  fprintf(stderr, "faults: no such case\n");
  return 2;
}
