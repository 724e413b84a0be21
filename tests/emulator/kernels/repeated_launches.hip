// Launches that repeat others find their results put there again; where anything that decides a result has changed, they
// are executed. Each kernel here takes the host long enough for that to be worth it.
//
// In: optionally the word "executed", with EMULATOR_REUSE=0, "freed", "queued" or "changed". Out: results after each of several launches, as
// the host has them; that launches were repeated, and, where no time is modelled, that the program is told what
// the one before took. With "executed" none is. With "freed" a launch that reads freed memory is an error. With
// "changed" nothing is kept of large memory that each launch changes.
#include "check.h"

#include "emulator.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 16, THREADS = 64, ITEMS = BLOCKS * THREADS, LAUNCHES = 7 };
static int rounds; // of each work-item, so many that a launch takes the host some milliseconds

__device__ unsigned step = 1;

__device__ unsigned turned(unsigned x, int rounds) {
  for (int i = 0; i < rounds; i++)
    x = x * 1664525 + step;
  return x;
}

__global__ void turn(unsigned *out, const unsigned *in, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = turned(in[i], rounds);
}

__global__ void add_all(unsigned *sum, const unsigned *in, int rounds) {
  atomicAdd(sum, turned(in[blockIdx.x * blockDim.x + threadIdx.x], rounds));
}

__global__ void fill(unsigned *out, unsigned value, int first, int end) {
  for (int i = first; i < end; i++)
    out[i] = value;
}

__global__ void turn_behind(unsigned *out, const unsigned *in, int rounds, int behind) {
  out[threadIdx.x] = turned(in[behind + threadIdx.x], rounds); // behind the end of `in`
}

// Four for all, of which the last lies behind: a scalar load that begins inside, as compilers make of three.
typedef unsigned Four __attribute__((ext_vector_type(4)));
__global__ void turn_last_and_behind(unsigned *out, const unsigned *last, int rounds) {
  Four four;
  asm volatile("s_load_dwordx4 %0, %1, 0x0\n"
               "s_waitcnt lgkmcnt(0)"
               : "=&s"(four)
               : "s"(last));
  out[threadIdx.x] = turned(four.x + four.y + four.z + four.w, rounds);
}

__global__ void turn_pointed(unsigned *out, unsigned *const *in, int rounds) {
  out[threadIdx.x] = turned(in[0] ? *in[0] : 0, rounds);
}

// told: a flag, and a value that is there once it is raised.
__global__ void turn_told(unsigned *out, volatile unsigned *told, int rounds) {
  while (!told[0])
    __builtin_amdgcn_s_sleep(1);
  out[threadIdx.x] = turned(told[1], rounds);
}

__global__ void turn_and_print(unsigned *out, const unsigned *in, int rounds) {
  out[threadIdx.x] = turned(in[threadIdx.x], rounds);
  if (threadIdx.x == 0)
    printf("one line\n");
}

__global__ void turn_extent(unsigned *out, int rounds) {
  enum { GROUP_SEGMENT_SIZE = 7 }; // dword of the dispatch packet
  const unsigned lds = ((const unsigned *)__builtin_amdgcn_dispatch_ptr())[GROUP_SEGMENT_SIZE];
  if (threadIdx.x == 0 && blockIdx.x == 0)
    out[0] = turned(lds + blockDim.x + gridDim.x, rounds);
}

__global__ void turn_and_stamp(long long *clock, unsigned *out, int rounds) {
  const long long begin = clock[0] = clock64();
  *out = turned(5, rounds);
  while (clock64() - begin < 1000 * (long long)rounds) { // time runs ahead here
  }
  clock[1] = clock64();
}

static unsigned *in, *out;
static unsigned host_step = 1;

static unsigned expected(unsigned x, int rounds) {
  for (int i = 0; i < rounds; i++)
    x = x * 1664525 + host_step;
  return x;
}

static void fill_with(unsigned *to, unsigned value, int count) {
  fill<<<1, 1>>>(to, value, 0, count);
}

static unsigned at(const unsigned *from, int i) {
  unsigned value;
  HIP(hipMemcpy(&value, from + i, sizeof value, hipMemcpyDeviceToHost));
  return value;
}

static void expect(const char *what, int launch, unsigned found, unsigned value) {
  if (found != value)
    DIFFERS("%s, launch %d: %u, not %u", what, launch, found, value);
}

static void expect_all(const char *what, int launch, unsigned value) {
  static unsigned found[ITEMS];
  HIP(hipMemcpy(found, out, sizeof found, hipMemcpyDeviceToHost));
  for (int i = 0; i < ITEMS; i++)
    if (found[i] != value) {
      expect(what, launch, found[i], value);
      return;
    }
}

typedef void LaunchOne(void);
static void launch_turn(void) { turn<<<BLOCKS, THREADS>>>(out, in, rounds); }

static float time_of(LaunchOne *launch, hipEvent_t begin, hipEvent_t end) {
  float ms;
  HIP(hipEventRecord(begin, NULL));
  launch();
  HIP(hipEventRecord(end, NULL));
  HIP(hipEventSynchronize(end));
  HIP(hipEventElapsedTime(&ms, begin, end));
  return ms;
}

static size_t repeated_so_far(void) {
  static __typeof__(emulator_repeated_launches) *ask =
      (__typeof__(emulator_repeated_launches) *)dlsym(RTLD_DEFAULT, "emulator_repeated_launches");
  return ask();
}

// The last three of `launches` are repetitions, or none of them is. The first ones have `others` inputs of their own. The
// program is told that a repetition takes what an execution took.
static void are_repeated(LaunchOne *launch, int others, int launches, bool repeated) {
  enum { LAST = 3 };
  hipEvent_t begin, end;
  float executed = 1e9f, last = 0;
  size_t before = 0;
  HIP(hipEventCreate(&begin));
  HIP(hipEventCreate(&end));
  for (int k = 0; k < launches; k++) {
    if (k <= others)
      fill_with(in, (unsigned)k, ITEMS);
    const size_t so_far = repeated_so_far();
    if (k == launches - LAST)
      before = so_far;
    last = time_of(launch, begin, end);
    if (repeated_so_far() == so_far)
      executed = last < executed ? last : executed;
  }
  if (repeated_so_far() - before != (repeated ? LAST : 0))
    DIFFERS("%zu of the last 3 launches were repeated", repeated_so_far() - before);
  if (last < executed / 2)
    DIFFERS("a launch takes %g ms, and its repetition %g", executed, last);
}

enum { LARGE = 64 << 20 }; // bytes, so that to keep them takes longer than to copy them once more
static uint4 *large_out, *large_in;
static unsigned large_bytes;

__global__ void copy_large(uint4 *to, const uint4 *from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

static void launch_copy(void) {
  copy_large<<<large_bytes / sizeof(uint4) / 256, 256>>>(large_out, large_in);
}

// The whole takes what its parts take together: a launch and a copy.
static void times_add_up(void) {
  hipEvent_t event[3];
  float launch, copy, both;
  char *host = (char *)malloc(LARGE);
  large_bytes = LARGE;
  HIP(hipMalloc((void **)&large_in, LARGE));
  HIP(hipMalloc((void **)&large_out, LARGE));
  for (hipEvent_t &one : event)
    HIP(hipEventCreate(&one));
  HIP(hipEventRecord(event[0], NULL));
  launch_turn();
  HIP(hipEventRecord(event[1], NULL));
  HIP(hipMemcpy(host, large_in, LARGE, hipMemcpyDeviceToHost));
  HIP(hipEventRecord(event[2], NULL));
  HIP(hipEventSynchronize(event[2]));
  HIP(hipEventElapsedTime(&launch, event[0], event[1]));
  HIP(hipEventElapsedTime(&copy, event[1], event[2]));
  HIP(hipEventElapsedTime(&both, event[0], event[2]));
  if (fabsf(both - launch - copy) > 0.01f * both)
    DIFFERS("a launch of %g ms and a copy of %g ms take %g ms", launch, copy, both);
  HIP(hipFree(large_in));
  HIP(hipFree(large_out));
  free(host);
}

// What takes long to keep is kept, too, when there were many. Rooms that are left of it are for what has their size.
static void many(unsigned bytes) {
  large_bytes = bytes;
  HIP(hipMalloc((void **)&large_in, bytes));
  HIP(hipMalloc((void **)&large_out, bytes));
  HIP(hipMemset(large_in, 7, bytes));
  are_repeated(launch_copy, 0, 200, true);
  HIP(hipFree(large_in));
  HIP(hipFree(large_out));
}

// What is there before a launch may be what the last one left, or something else.
static void same_input(bool overwritten) {
  fill_with(in, 5, ITEMS);
  for (int k = 0; k < LAUNCHES; k++) {
    if (overwritten)
      HIP(hipMemset(out, 1, ITEMS * sizeof *out));
    turn<<<BLOCKS, THREADS>>>(out, in, rounds);
    expect_all("the same input", k, expected(5, rounds));
  }
}

static void other_input(bool by_kernel) {
  for (int k = 0; k < 2 * LAUNCHES; k++) {
    const unsigned value = k < LAUNCHES ? 7 : 8;
    if (by_kernel)
      fill_with(in, value, ITEMS);
    else
      HIP(hipMemsetD32((hipDeviceptr_t)in, (int)value, ITEMS));
    turn<<<BLOCKS, THREADS>>>(out, in, rounds);
    expect_all("another input", k, expected(value, rounds));
  }
}

static void other_variable(void) {
  fill_with(in, 5, ITEMS);
  for (int k = 0; k < 2 * LAUNCHES; k++) {
    host_step = k < LAUNCHES ? 3 : 4;
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(step), &host_step, sizeof host_step));
    turn<<<BLOCKS, THREADS>>>(out, in, rounds);
    expect_all("another variable", k, expected(5, rounds));
  }
}

static void in_place(void) {
  unsigned value = 5;
  fill_with(out, value, ITEMS);
  for (int k = 0; k < LAUNCHES; k++) {
    turn<<<BLOCKS, THREADS>>>(out, out, rounds);
    value = expected(value, rounds);
    expect_all("in place", k, value);
  }
}

static void other_arguments(void) {
  fill_with(in, 5, ITEMS);
  for (int k = 0; k < 2 * LAUNCHES; k++) {
    const int more = rounds + k / LAUNCHES;
    turn<<<BLOCKS, THREADS>>>(out, in, more);
    expect_all("another argument", k, expected(5, more));
  }
}

// The kernel and its arguments are the same.
static void other_extent(void) {
  for (int k = 0; k < 4 * LAUNCHES; k++) {
    const unsigned blocks = k / LAUNCHES == 1 ? 8 : 4, threads = k / LAUNCHES == 2 ? 128 : 64,
                   lds = k / LAUNCHES == 3 ? 4096 : 512;
    HIP(hipMemset(out, 0, sizeof *out));
    turn_extent<<<blocks, threads, lds>>>(out, rounds);
    expect("another extent", k, at(out, 0), expected(blocks + threads + lds, rounds));
  }
}

static void atomics(bool from_zero) {
  unsigned sum = 0;
  fill_with(in, 5, ITEMS);
  HIP(hipMemset(out, 0, sizeof *out));
  for (int k = 0; k < LAUNCHES; k++) {
    if (from_zero)
      HIP(hipMemset(out, 0, sizeof *out));
    add_all<<<BLOCKS, THREADS>>>(out, in, rounds);
    sum = (from_zero ? 0 : sum) + ITEMS * expected(5, rounds);
    expect("atomics", k, at(out, 0), sum);
  }
}

static void memory_of_host(bool managed) {
  unsigned *shared;
  if (managed)
    HIP(hipMallocManaged((void **)&shared, ITEMS * sizeof *shared));
  else
    HIP(hipHostMalloc((void **)&shared, ITEMS * sizeof *shared, 0));
  for (int k = 0; k < 2 * LAUNCHES; k++) {
    const unsigned value = k < LAUNCHES ? 7 : 8;
    for (int i = 0; i < ITEMS; i++)
      shared[i] = value;
    turn<<<BLOCKS, THREADS>>>(out, shared, rounds);
    expect_all("memory of the host", k, expected(value, rounds));
  }
  HIP(managed ? hipFree(shared) : hipHostFree(shared));
}

// As the host of a system with a large BAR may.
static void written_by_pointer(void) {
  for (int k = 0; k < 2 * LAUNCHES; k++) {
    const unsigned value = k < LAUNCHES ? 7 : 8;
    for (int i = 0; i < ITEMS; i++)
      ((volatile unsigned *)in)[i] = value;
    turn<<<BLOCKS, THREADS>>>(out, in, rounds);
    expect_all("written by the host", k, expected(value, rounds));
  }
}

// Beside a kernel that leaves it alone, by a stream: a repeat of the kernel does not bring it back.
static void written_beside(void) {
  hipStream_t stream, other;
  unsigned *all = (unsigned *)to_device(NULL, (ITEMS + 1) * sizeof *all), *beside = all + ITEMS;
  HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  HIP(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
  for (int k = 0; k < 2 * LAUNCHES; k++) {
    const unsigned value = k < LAUNCHES ? 3 : 0;
    HIP(hipMemset(all, 0, (ITEMS + 1) * sizeof *all));
    HIP(hipDeviceSynchronize());
    turn<<<BLOCKS, THREADS, 0, stream>>>(all, in, 10 * rounds);
    usleep(500); // it has begun
    if (value)
      HIP(hipStreamWriteValue32(other, beside, value, 0));
    HIP(hipDeviceSynchronize());
    expect("written beside", k, at(all, ITEMS), value);
  }
  HIP(hipFree(all));
}

// So large that Linux is asked whether it was written, instead of looking at it.
typedef enum { BY_POINTER, BY_COPY, BY_FILL, BY_KERNEL, BEFORE_ANOTHER, WAYS } Way;

static void write_large(unsigned *large, unsigned value, Way way) {
  static unsigned items[ITEMS];
  for (int i = 0; i < ITEMS; i++)
    items[i] = value;
  if (way == BY_POINTER)
    memcpy(large, items, sizeof items);
  else if (way == BY_COPY)
    HIP(hipMemcpy(large, items, sizeof items, hipMemcpyHostToDevice));
  else if (way == BY_FILL)
    HIP(hipMemsetD32((hipDeviceptr_t)large, (int)value, ITEMS));
  else
    fill_with(large, value, ITEMS);
}

// Another kernel that repeats itself on the same memory, and so begins to watch it.
static void repeat_another(unsigned *sum, const unsigned *large) {
  for (int k = 0; k < LAUNCHES; k++) {
    HIP(hipMemset(sum, 0, sizeof *sum));
    add_all<<<BLOCKS, THREADS>>>(sum, large, rounds);
  }
}

static void large_input(Way way) {
  enum { LARGE = 4 << 20 };
  unsigned *large = (unsigned *)to_device(NULL, LARGE), *sum = (unsigned *)to_device(NULL, 4);
  for (int k = 0; k < 3 * LAUNCHES; k++) {
    const unsigned value = 7 + (unsigned)(k / LAUNCHES);
    if (k % LAUNCHES == 0) {
      HIP(hipDeviceSynchronize());
      write_large(large, value, way);
      if (way == BEFORE_ANOTHER && k == LAUNCHES)
        repeat_another(sum, large);
    }
    turn<<<BLOCKS, THREADS>>>(out, large, rounds);
    expect_all("a large input", k, expected(value, rounds));
  }
  HIP(hipFree(large));
  HIP(hipFree(sum));
}

static void allocated_anew(void) {
  for (int k = 0; k < LAUNCHES; k++) {
    unsigned *fresh;
    HIP(hipMallocAsync((void **)&fresh, ITEMS * sizeof *fresh, NULL));
    fill_with(fresh, 7 + k % 2, ITEMS);
    turn<<<BLOCKS, THREADS>>>(out, fresh, rounds);
    HIP(hipFreeAsync(fresh, NULL));
    expect_all("allocated anew", k, expected(7 + k % 2, rounds));
  }
}

// What lies behind an allocation is on its pages, but not its own.
static void behind_the_end(bool by_scalar) {
  enum { LITTLE = 64 };
  unsigned *small;
  HIP(hipMalloc((void **)&small, LITTLE * sizeof *small));
  fill_with(small, 0, LITTLE);
  for (int k = 0; k < 2 * LAUNCHES; k++) {
    const unsigned value = k < LAUNCHES ? 7 : 8;
    fill<<<1, 1>>>(small, value, LITTLE, 2 * LITTLE);
    if (by_scalar)
      turn_last_and_behind<<<1, LITTLE>>>(out, small + LITTLE - 3, rounds);
    else
      turn_behind<<<1, LITTLE>>>(out, small, rounds, LITTLE);
    expect("behind the end", k, at(out, 0), expected(value, rounds));
  }
  HIP(hipFree(small));
}

// An input that two kernels find is kept once, but only if both find the same, and as long as one of them needs it.
static void input_of_two(void) {
  enum { KEPT = 3 }; // with the third launch
  unsigned *both = (unsigned *)to_device(NULL, ITEMS * sizeof *both),
           *sum = (unsigned *)to_device(NULL, sizeof *sum);
  for (int k = 0; k < 4 * LAUNCHES; k++) {
    const bool in_turn = k / LAUNCHES % 2 == 0;
    const unsigned value = in_turn ? 7 + (unsigned)k / LAUNCHES : k % LAUNCHES < KEPT ? 8 : 7;
    fill_with(both, value, ITEMS);
    if (in_turn) {
      turn<<<BLOCKS, THREADS>>>(out, both, rounds);
      expect_all("an input of two", k, expected(value, rounds));
    } else {
      HIP(hipMemset(sum, 0, sizeof *sum));
      add_all<<<BLOCKS, THREADS>>>(sum, both, rounds);
      expect("an input of two, the sum", k, at(sum, 0), ITEMS * expected(value, rounds));
    }
  }
  HIP(hipFree(both));
  HIP(hipFree(sum));
}

// From the third launch on, which is the first that is kept, the kernel accesses one allocation more.
static void another_allocation(void) {
  unsigned **place = (unsigned **)to_device(NULL, sizeof *place),
           *value = (unsigned *)to_device(NULL, 4);
  for (int k = 0; k < LAUNCHES; k++) {
    if (k == 2)
      HIP(hipMemcpy(place, &value, sizeof value, hipMemcpyHostToDevice));
    fill_with(value, 7 + (unsigned)k, 1);
    HIP(hipMemset(out, 0, THREADS * sizeof *out));
    turn_pointed<<<1, THREADS>>>(out, place, rounds);
    expect("another allocation", k, at(out, 0), expected(k < 2 ? 0 : 7 + (unsigned)k, rounds));
  }
}

// What the host writes while the kernel runs.
static void told_meanwhile(void) {
  volatile unsigned *told;
  HIP(hipHostMalloc((void **)&told, 2 * sizeof *told, 0));
  for (unsigned k = 0; k < LAUNCHES; k++) {
    told[0] = told[1] = 0;
    HIP(hipMemset(out, 0, THREADS * sizeof *out));
    turn_told<<<1, THREADS>>>(out, told, rounds);
    usleep(5000);
    told[1] = k;
    __atomic_store_n(&told[0], 1, __ATOMIC_RELEASE);
    expect("told meanwhile", (int)k, at(out, 0), expected(k, rounds));
  }
}

// What copies bring while the kernel runs, which then is no work of the kernel's.
static void told_by_copies(void) {
  unsigned *told = (unsigned *)to_device(NULL, 2 * sizeof *told), *word;
  hipStream_t kernels, copies;
  HIP(hipHostMalloc((void **)&word, 2 * sizeof *word, 0));
  HIP(hipStreamCreateWithFlags(&kernels, hipStreamNonBlocking));
  HIP(hipStreamCreateWithFlags(&copies, hipStreamNonBlocking));
  for (unsigned k = 0; k < LAUNCHES; k++) {
    HIP(hipMemset(told, 0, 2 * sizeof *told));
    HIP(hipMemset(out, 0, THREADS * sizeof *out));
    HIP(hipDeviceSynchronize());
    turn_told<<<1, THREADS, 0, kernels>>>(out, told, rounds);
    usleep(5000);
    word[0] = 1;
    word[1] = k;
    HIP(hipMemcpyAsync(told + 1, word + 1, sizeof *word, hipMemcpyHostToDevice, copies));
    HIP(hipMemcpyAsync(told, word, sizeof *word, hipMemcpyHostToDevice, copies));
    HIP(hipStreamSynchronize(copies));
    HIP(hipStreamSynchronize(kernels));
    expect("told by copies", (int)k, at(out, 0), expected(k, rounds));
  }
}

// No launch sets the clock back, and what reads it is executed again. A launch that does not read it takes more than
// `rounds` clocks, too.
static void stamped(void) {
  long long clock[2], before = 0, *stamp = (long long *)to_device(NULL, sizeof clock);
  for (int k = 0; k < LAUNCHES; k++) {
    HIP(hipMemset(stamp, 0, sizeof clock));
    turn_and_stamp<<<1, 1>>>(stamp, out, rounds);
    turn<<<BLOCKS, THREADS>>>(out, in, rounds);
    HIP(hipMemcpy(clock, stamp, sizeof clock, hipMemcpyDeviceToHost));
    if (k && clock[0] - before < rounds)
      DIFFERS("stamped, launch %d: clock %lld, %lld before", k, clock[0], before);
    before = clock[1];
  }
}

// The kernel reads memory that is gone through a pointer that is not.
static int freed(void) {
  unsigned **place = (unsigned **)to_device(NULL, sizeof *place),
           *value = (unsigned *)to_device(NULL, 4);
  HIP(hipMemcpy(place, &value, sizeof value, hipMemcpyHostToDevice));
  for (int k = 0; k < LAUNCHES; k++)
    turn_pointed<<<1, THREADS>>>(out, place, rounds);
  HIP(hipFree(value));
  turn_pointed<<<1, THREADS>>>(out, place, rounds);
  return hipDeviceSynchronize() == hipSuccess;
}

static long most_memory_kb(void) {
  char line[128];
  long kb = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (status && !kb && fgets(line, sizeof line, status))
    sscanf(line, "VmHWM: %ld", &kb);
  if (status)
    fclose(status);
  return kb;
}

// Each takes some times as long as copying its memory: long enough to be kept, not so long that a copy in vain is nothing.
static int changed(void) {
  enum { COUNT = 16 << 20, ROUNDS = 20 };
  unsigned *large = (unsigned *)to_device(NULL, COUNT * sizeof *large);
  long before = 0;
  for (int k = 0; k < 3 * LAUNCHES; k++) {
    turn<<<COUNT / THREADS, THREADS>>>(large, large, ROUNDS);
    HIP(hipDeviceSynchronize());
    before = k ? before : most_memory_kb();
  }
  const long more = most_memory_kb() - before;
  if (more > COUNT * (long)sizeof *large / 1024 / 2)
    DIFFERS("%ld KB were kept of memory that each launch changes", more);
  return verdict();
}

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Launches of more than a second, which could give another one a turn, with nothing behind them but launches that wait for them.
static int queued(void) {
  enum { QUEUED = 8 };
  const double long_s = 3;
  double one_s = 0;
  for (rounds = 1 << 20; one_s < long_s; rounds *= 2) {
    const double begin = now_s();
    turn<<<BLOCKS, THREADS>>>(out, in, rounds);
    HIP(hipDeviceSynchronize());
    one_s = now_s() - begin;
  }
  rounds /= 2;
  const double begin = now_s();
  for (int k = 0; k < QUEUED; k++)
    turn<<<BLOCKS, THREADS>>>(out, in, rounds);
  HIP(hipDeviceSynchronize());
  const double all_s = now_s() - begin;
  if (all_s > QUEUED * one_s / 2)
    DIFFERS("%d launches like one of %g s took %g s", QUEUED, one_s, all_s);
  return verdict();
}

static void printed(void) {
  FILE *text = tmpfile();
  const int before = dup(STDOUT_FILENO);
  int lines = 0;
  fill_with(in, 5, ITEMS);
  fflush(stdout);
  dup2(fileno(text), STDOUT_FILENO);
  for (int k = 0; k < LAUNCHES; k++)
    turn_and_print<<<1, THREADS>>>(out, in, rounds);
  HIP(hipDeviceSynchronize());
  fflush(stdout);
  dup2(before, STDOUT_FILENO);
  rewind(text);
  for (int c; (c = fgetc(text)) != EOF;)
    lines += c == '\n';
  expect("printed", LAUNCHES, (unsigned)lines, LAUNCHES);
  fclose(text);
}

int main(int count, char **word) {
  const bool executed = count > 1 && strcmp(word[1], "executed") == 0;
  const char *model = getenv("EMULATOR_MODEL");
  const bool modelled = !model || strcmp(model, "0") != 0;
  rounds = modelled ? 5000 : 60000;
  if (count > 1 && strcmp(word[1], "changed") == 0)
    return changed();
  if (!executed)
    setenv("EMULATOR_REUSE", "1", 1);
  in = (unsigned *)to_device(NULL, ITEMS * sizeof *in);
  out = (unsigned *)to_device(NULL, ITEMS * sizeof *out);
  if (count > 1 && strcmp(word[1], "freed") == 0)
    return freed();
  if (count > 1 && strcmp(word[1], "queued") == 0)
    return queued();
  if (!modelled)
    are_repeated(launch_turn, 4, 4 + LAUNCHES, !executed);
  if (!modelled)
    times_add_up();
  if (!modelled && !executed) {
    many(LARGE / 2);
    many(LARGE);
  }
  same_input(false);
  same_input(true);
  other_input(false);
  other_input(true);
  other_variable();
  in_place();
  other_arguments();
  other_extent();
  atomics(false);
  atomics(true);
  memory_of_host(false);
  memory_of_host(true);
  written_by_pointer();
  written_beside();
  for (int way = 0; way < WAYS; way++)
    large_input((Way)way);
  allocated_anew();
  behind_the_end(false);
  behind_the_end(true);
  input_of_two();
  another_allocation();
  told_meanwhile();
  told_by_copies();
  stamped();
  printed();
  return verdict();
}
