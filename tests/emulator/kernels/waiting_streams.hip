// Kernels of different streams and devices that wait for each other: on a device they run side by side, here they take turns.
#include "check.h"

#include <hip/hip_cooperative_groups.h>
#include <unistd.h>

enum { ITEMS = 64, ROUNDS = 100, GRIDS = 4, BLOCKS = 64 };

__global__ void wait_for(volatile int *word, int value, int *out) {
  while (*word != value)
    ;
  out[blockIdx.x] = *word;
}

__global__ void set(volatile int *word, int value) { *word = value; }

__global__ void fill(int *values) { values[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

// Each turn is the other kernel's, too, until the last.
__global__ void play(volatile int *ball, int me, int players, int *caught) {
  for (int turn = me; turn < ROUNDS * players; turn += players) {
    while (*ball != turn)
      ;
    ++*caught;
    __threadfence_system();
    *ball = turn + 1;
  }
}

// Does something new all the time, so that nobody can see that it waits.
__global__ void count_until(volatile int *word, unsigned *counted) {
  unsigned count = 0;
  while (!*word)
    count = count * 1664525u + 1013904223u;
  *counted = count | 1;
}

// Long enough to be worth repeating, where nothing has changed.
__global__ void work_and_wait(volatile int *word, unsigned *drawn, int n) {
  unsigned value = threadIdx.x;
  for (int i = 0; i < n; i++)
    value = value * 1664525u + 1013904223u;
  while (!*word)
    ;
  drawn[threadIdx.x] = value;
}

__global__ void sum_of_grids(int *values, int *sum) {
  cooperative_groups::multi_grid_group all = cooperative_groups::this_multi_grid();
  for (int round = 1; round <= 3; round++) {
    if (all.thread_rank() % 7 == 0)
      atomicAdd_system(&values[round], 1);
    all.sync();
    if (threadIdx.x == 0 && blockIdx.x == 0)
      sum[all.grid_rank()] += round * values[round];
    all.sync();
  }
}

static void expect(const char *what, int got, int wanted) {
  if (got != wanted)
    DIFFERS("%s is %d, not %d", what, got, wanted);
}

static int *words(int count) {
  int *address;
  HIP(hipHostMalloc((void **)&address, count * sizeof *address, hipHostMallocMapped));
  memset(address, 0, count * sizeof *address);
  return address;
}

// The one that waits comes first; `blocks` of it wait, and as many do something else before the word is set.
static void wait_for_another_stream(hipStream_t *stream, int blocks) {
  int *word = words(1 + blocks), *values = words(blocks * ITEMS), sum = 0;
  wait_for<<<blocks, ITEMS, 0, stream[0]>>>(word, 7, word + 1);
  fill<<<blocks, ITEMS, 0, stream[1]>>>(values);
  set<<<1, 1, 0, stream[1]>>>(word, 7);
  HIP(hipStreamSynchronize(stream[0]));
  for (int i = 0; i < blocks; i++)
    sum += word[1 + i];
  expect("what blocks that waited found", sum, 7 * blocks);
  HIP(hipDeviceSynchronize());
}

static void throw_a_ball(hipStream_t *stream, int players) {
  int *word = words(1 + players);
  for (int i = 0; i < players; i++)
    play<<<1, 1, 0, stream[i]>>>(word, i, players, word + 1 + i);
  HIP(hipDeviceSynchronize());
  for (int i = 0; i < players; i++) {
    HIP(hipStreamSynchronize(stream[i]));
    expect("how often a kernel caught the ball", word[1 + i], ROUNDS);
  }
}

static void interrupt_a_long_one(hipStream_t *stream) {
  int *word = words(2);
  count_until<<<1, ITEMS, 0, stream[0]>>>(word, (unsigned *)word + 1);
  set<<<1, 1, 0, stream[1]>>>(word, 1);
  HIP(hipDeviceSynchronize());
  expect("whether it counted", word[1] != 0, 1);
}

// Launches that one before them is like, but which wait, one like the other.
static void wait_where_none_did_before(hipStream_t *stream) {
  enum { LONG = 1000000 };
  unsigned *drawn = (unsigned *)to_device(NULL, ITEMS * sizeof *drawn), first[2];
  int *word = (int *)to_device(NULL, sizeof *word);
  set<<<1, 1>>>(word, 1);
  work_and_wait<<<1, ITEMS>>>(word, drawn, LONG);
  HIP(hipMemcpy(&first[0], drawn, sizeof *first, hipMemcpyDeviceToHost));
  set<<<1, 1>>>(word, 0);
  HIP(hipMemset(drawn, 0, ITEMS * sizeof *drawn));
  for (int i = 0; i < 3; i++)
    work_and_wait<<<1, ITEMS, 0, stream[i]>>>(word, drawn, LONG);
  set<<<1, 1, 0, stream[3]>>>(word, 1);
  HIP(hipDeviceSynchronize());
  HIP(hipMemcpy(&first[1], drawn, sizeof *first, hipMemcpyDeviceToHost));
  expect("what was drawn after waiting", (int)first[1], (int)first[0]);
  for (int i = 0; i < 5; i++) {
    set<<<1, 1>>>(word, 0);
    work_and_wait<<<1, ITEMS, 0, stream[0]>>>(word, drawn, LONG);
    usleep(50000);
    expect("a kernel whose word nobody has set", hipStreamQuery(stream[0]), hipErrorNotReady);
    set<<<1, 1, 0, stream[3]>>>(word, 1);
    HIP(hipDeviceSynchronize());
  }
}

// A copy waits for the kernel that the memory's device has before, whatever device is current.
static void copy_from_another_device(void) {
  enum { LONG = 1000000 };
  HIP(hipSetDevice(1));
  unsigned *drawn = (unsigned *)to_device(NULL, ITEMS * sizeof *drawn), got = 0;
  int *word = (int *)to_device(NULL, sizeof *word);
  set<<<1, 1>>>(word, 1);
  HIP(hipDeviceSynchronize());
  work_and_wait<<<1, ITEMS>>>(word, drawn, LONG);
  HIP(hipSetDevice(0));
  HIP(hipMemcpy(&got, drawn, sizeof got, hipMemcpyDeviceToHost));
  expect("whether a copy came after the kernel of another device", got != 0, 1);
}

static void meet_across_devices(hipStream_t *stream) {
  int *word = words(4 + 2);
  int *values = word, *sum = word + 4, expected = 0;
  hipLaunchParams list[2];
  void *arguments[] = {&values, &sum};
  for (int d = 0; d < 2; d++) {
    list[d].func = (void *)sum_of_grids;
    list[d].gridDim = dim3(GRIDS);
    list[d].blockDim = dim3(ITEMS);
    list[d].args = arguments;
    list[d].sharedMem = 0;
    list[d].stream = stream[d];
  }
  HIP(hipLaunchCooperativeKernelMultiDevice(list, 2, 0));
  for (int rank = 0; rank < 2 * GRIDS * ITEMS; rank += 7)
    expected += 1 + 2 + 3;
  for (int d = 0; d < 2; d++) {
    HIP(hipStreamSynchronize(stream[d]));
    expect("what a grid found behind the barrier", sum[d], expected);
  }
}

int main(void) {
  hipStream_t stream[4], on_device[2];
  setenv("EMULATOR_DEVICES", "2", 1); // before the first call reads it
  setenv("EMULATOR_REUSE", "1", 1);
  for (int i = 0; i < 4; i++)
    HIP(hipStreamCreate(&stream[i]));
  for (int d = 0; d < 2; d++) {
    HIP(hipSetDevice(d));
    HIP(hipStreamCreate(&on_device[d]));
  }
  HIP(hipSetDevice(0));
  wait_for_another_stream(stream, 1);
  wait_for_another_stream(stream, BLOCKS);
  throw_a_ball(stream, 2);
  throw_a_ball(stream, 4);
  throw_a_ball(on_device, 2);
  interrupt_a_long_one(stream);
  wait_where_none_did_before(stream);
  copy_from_another_device();
  meet_across_devices(on_device);
  wait_for_another_stream(on_device, 1);
  return verdict();
}
