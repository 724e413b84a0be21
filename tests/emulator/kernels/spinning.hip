// Workgroups that wait for later ones, and delays by the clock: all workgroups that fit the device at
// once make progress, and a delay takes the time it asks for without being emulated cycle by cycle.
#include "check.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Each workgroup waits for the one behind it: the last begins.
__global__ void chain(volatile int *flags, int *order, int *next) {
  const int group = blockIdx.x;
  if (threadIdx.x == 0) {
    while (group + 1 < (int)gridDim.x && flags[group + 1] == 0) {
    }
    order[atomicAdd(next, 1)] = group;
    __threadfence();
    flags[group] = 1;
  }
  __syncthreads();
}

// The same without atomics, so on several host threads.
__global__ void plain_chain(volatile int *flags) {
  const int group = blockIdx.x;
  while (group + 1 < (int)gridDim.x && flags[group + 1] == 0)
    __builtin_amdgcn_s_sleep(1);
  __syncthreads();
  if (threadIdx.x == 0)
    flags[group] = group + 1;
}

// Look-back: each takes its number from the order of arrival and waits for the one before.
__global__ void look_back(volatile int *sums, int *arrived) {
  __shared__ int place;
  if (threadIdx.x == 0) {
    place = atomicAdd(arrived, 1);
    int before = 0;
    while (place > 0 && (before = sums[place - 1]) == 0) {
    }
    __threadfence();
    sums[place] = before + 1;
  }
  __syncthreads();
}

// The threads of a workgroup come to a barrier in each round, whether they wait or not.
__global__ void chain_with_barriers(volatile int *flags, int *order, int *next) {
  const int group = blockIdx.x;
  bool mine = threadIdx.x != 0;
  for (;;) {
    if (!mine && (group + 1 == (int)gridDim.x || flags[group + 1])) {
      order[atomicAdd(next, 1)] = group;
      __threadfence();
      flags[group] = 1;
      mine = true;
    }
    if (__syncthreads_and(mine))
      return;
  }
}

// A token goes round, so that each workgroup waits again and again.
__global__ void ring_with_barriers(int *token, int rounds) {
  __shared__ int mine;
  for (int i = 0; i < rounds; i++) {
    mine = 0;
    __syncthreads();
    while (!mine) {
      if (threadIdx.x == 0)
        mine = atomicAdd(token, 0) % (int)gridDim.x == (int)(gridDim.x - 1 - blockIdx.x);
      __syncthreads();
    }
    if (threadIdx.x == 0)
      atomicAdd(token, 1);
  }
}

// Each looks at many flags, and again at all of them, until every later workgroup has set its own.
__global__ void long_rounds(volatile int *flags, int n) {
  const int later = (int)gridDim.x - 1 - (int)blockIdx.x;
  int seen;
  do {
    seen = 0;
    for (int i = 0; i < n; i++)
      seen += flags[i] != 0;
  } while (seen < later);
  flags[blockIdx.x] = 1;
}

// A lock in LDS between the waves of a workgroup.
__global__ void hand_over(int *out) {
  __shared__ volatile int turn;
  if (threadIdx.x == 0)
    turn = 15;
  __syncthreads();
  if (threadIdx.x % 64 == 0) {
    const int wave = threadIdx.x / 64;
    while (turn != wave) {
    }
    out[15 - wave] = wave;
    turn = wave - 1;
  }
}

__global__ void delay(long long cycles, long long *waited) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  waited[blockIdx.x * blockDim.x + threadIdx.x] = clock64() - begin;
}

__global__ void counted_delay(long long cycles, long long *reads) {
  const long long begin = clock64();
  long long count = 0;
  while (clock64() - begin < cycles)
    count++;
  *reads = count;
}

__global__ void wall_delay(long long ticks, long long *waited) {
  const long long begin = (long long)__builtin_amdgcn_s_memrealtime();
  while ((long long)__builtin_amdgcn_s_memrealtime() - begin < ticks) {
  }
  waited[threadIdx.x] = (long long)__builtin_amdgcn_s_memrealtime() - begin;
}

// Division of 64-bit integers has ways of its own, for small ones and large ones.
__global__ void divided_delay(long long units, long long rate, long long *waited) {
  const long long begin = clock64() / rate;
  long long now;
  do {
    now = clock64() / rate;
  } while (now - begin < units);
  waited[threadIdx.x] = now - begin;
}

// It waits for a word of the host's, which is to have the time that it was promised.
__global__ void polled_delay(long long cycles, int *word, int *looked) {
  const long long begin = clock64();
  int times = 0;
  while (clock64() - begin < cycles) {
    times++;
    if (atomicCAS(word, 3, 4) == 3)
      break;
  }
  *looked = times;
}

// Work between two readings takes what it takes.
__global__ void timed_work(long long *waited, float *values, int n) {
  for (int i = 0; i < 200; i++) {
    const long long begin = clock64();
    float sum = values[threadIdx.x];
    for (int k = 0; k < n; k++)
      sum = sum * 1.5f + 1;
    values[threadIdx.x] = sum;
    waited[i] = clock64() - begin;
  }
}

__global__ void long_loop(unsigned *out, unsigned n) {
  unsigned x = threadIdx.x + 1;
  for (unsigned i = 0; i < n; i++) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  out[threadIdx.x] = x;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// How long a loop takes that waits for nothing, in this build of the emulator and on this computer.
static double plain_loop;

// most: times a plain loop.
static void took(const char *what, double begin, double most) {
  const double times = (seconds() - begin) / plain_loop;
  if (times > most)
    DIFFERS("%s took %g times as long as a plain loop", what, times);
}

static void check_long_loop(void) {
  enum { TURNS = 8000000 }; // more instructions than any budget that is a number of them
  unsigned x = 1, got[64];
  for (unsigned i = 0; i < TURNS; i++) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  unsigned *end = (unsigned *)to_device(NULL, sizeof got);
  const double begin = seconds();
  long_loop<<<1, 64>>>(end, TURNS);
  to_host(got, end, sizeof got);
  plain_loop = seconds() - begin;
  if (got[0] != x)
    DIFFERS("after a long loop x is %u, not %u", got[0], x);
}

static void check_chains(void) {
  enum { GROUPS = 128 };
  int order[GROUPS], flags[GROUPS];
  int *next = (int *)to_device(NULL, sizeof(int)), *device = (int *)to_device(NULL, sizeof flags);
  int *device_order = (int *)to_device(NULL, sizeof order);
  double begin = seconds();
  chain<<<GROUPS, 256>>>(device, device_order, next);
  to_host(order, device_order, sizeof order);
  took("a chain", begin, 200);
  for (int i = 0; i < GROUPS; i++)
    if (order[i] != GROUPS - 1 - i)
      DIFFERS("workgroup %d came at place %d", order[i], i);
  HIP(hipMemset(device, 0, sizeof flags));
  HIP(hipMemset(next, 0, sizeof *next));
  device_order = (int *)to_device(NULL, sizeof order); // to_host() freed it
  begin = seconds();
  chain_with_barriers<<<GROUPS, 256>>>(device, device_order, next);
  to_host(order, device_order, sizeof order);
  took("a chain with barriers", begin, 200);
  for (int i = 0; i < GROUPS; i++)
    if (order[i] != GROUPS - 1 - i)
      DIFFERS("with barriers, workgroup %d came at place %d", order[i], i);
  HIP(hipMemset(device, 0, sizeof flags));
  begin = seconds();
  plain_chain<<<GROUPS, 256>>>(device);
  to_host(flags, device, sizeof flags);
  took("a chain without atomics", begin, 200);
  for (int i = 0; i < GROUPS; i++)
    if (flags[i] != i + 1)
      DIFFERS("flag %d is %d", i, flags[i]);
}

// most: times a plain loop.
static void check_ring(int rounds, double most) {
  enum { GROUPS = 16 };
  int *device = (int *)to_device(NULL, sizeof(int)), token;
  const double begin = seconds();
  ring_with_barriers<<<GROUPS, 64>>>(device, rounds);
  to_host(&token, device, sizeof token);
  took("a token that goes round", begin, most);
  if (token != GROUPS * rounds)
    DIFFERS("a token was handed over %d times, not %d", token, GROUPS * rounds);
}

static void check_long_rounds(void) {
  enum { GROUPS = 32, FLAGS = 1500 };
  int flags[FLAGS];
  int *device = (int *)to_device(NULL, sizeof flags);
  const double begin = seconds();
  long_rounds<<<GROUPS, 64>>>(device, FLAGS);
  to_host(flags, device, sizeof flags);
  took("waiting in long rounds", begin, 100);
  for (int i = 0; i < GROUPS; i++)
    if (!flags[i])
      DIFFERS("flag %d is not set", i);
}

static void check_look_back(void) {
  enum { GROUPS = 1500 }; // more than fit
  static int sums[GROUPS];
  int *device = (int *)to_device(NULL, sizeof sums), *arrived = (int *)to_device(NULL, sizeof(int));
  double begin = seconds();
  look_back<<<GROUPS, 256>>>(device, arrived);
  to_host(sums, device, sizeof sums);
  took("look-back", begin, 200);
  for (int i = 0; i < GROUPS; i++)
    if (sums[i] != i + 1)
      DIFFERS("sum %d is %d", i, sums[i]);
}

// A program that was stopped goes on where it was: time has passed in which nothing could happen.
static void check_stopped(void) {
  enum { GROUPS = 800, BEFORE = 300000, LONG = 3500000 }; // us
  int flags[GROUPS], *device = (int *)to_device(NULL, sizeof flags);
  pid_t self = getpid(), child = 0;
  do {
    HIP(hipMemset(device, 0, sizeof flags));
    plain_chain<<<GROUPS, 64>>>(device);
    HIP(hipMemcpy(flags, device, sizeof flags, hipMemcpyDeviceToHost));
    for (int i = 0; i < GROUPS; i++)
      if (flags[i] != i + 1)
        DIFFERS("flag %d is %d", i, flags[i]);
    if (child == 0 && (child = fork()) == 0) { // all of it is loaded, from now on workgroups wait
      usleep(BEFORE);
      kill(self, SIGSTOP);
      usleep(LONG);
      kill(self, SIGCONT);
      _exit(0);
    }
  } while (waitpid(child, NULL, WNOHANG) == 0);
}

static void check_delays(void) {
  enum { N = 256 };
  long long waited[N];
  long long *device = (long long *)to_device(NULL, sizeof waited);
  const double begin = seconds();
  for (long long cycles = 1000; cycles < 10000000000ll; cycles *= 1000) {
    delay<<<4, 64>>>(cycles, device);
    HIP(hipMemcpy(waited, device, sizeof waited, hipMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
      if (waited[i] < cycles || waited[i] > cycles + cycles / 4 + 1000)
        DIFFERS("a delay of %lld cycles took %lld", cycles, waited[i]);
  }
  wall_delay<<<1, 64>>>(100000000, device); // a second
  HIP(hipMemcpy(waited, device, 64 * sizeof *waited, hipMemcpyDeviceToHost));
  if (waited[0] < 100000000 || waited[0] > 130000000)
    DIFFERS("a delay of a second took %lld ticks", waited[0]);
  divided_delay<<<1, 64>>>(10000, 1000000, device);
  HIP(hipMemcpy(waited, device, 64 * sizeof *waited, hipMemcpyDeviceToHost));
  if (waited[0] < 10000 || waited[0] > 13000)
    DIFFERS("a delay of 10000 million cycles took %lld million", waited[0]);
  took("delays", begin, 200);

  long long reads[2];
  for (int i = 0; i < 2; i++) { // of 10^10 cycles, and of 20 times as many
    counted_delay<<<1, 1>>>(i ? 200000000000 : 10000000000, device + i);
    HIP(hipMemcpy(&reads[i], device + i, sizeof *reads, hipMemcpyDeviceToHost));
  }
  if (reads[1] < 10 * reads[0] || reads[1] > 30 * reads[0])
    DIFFERS("20 times as long a delay is over after %lld reads of the clock, not %lld", reads[1],
            reads[0]);

  enum { POLLED = 1000000 };
  int none[2] = {0, 0}, *word = (int *)to_device(none, sizeof none);
  polled_delay<<<1, 1>>>(POLLED, word, word + 1);
  to_host(none, word, sizeof none);
  if (none[1] < POLLED / 200)
    DIFFERS("in %d cycles a word was looked at %d times", POLLED, none[1]);

  float *values = (float *)to_device(NULL, 64 * sizeof *values);
  timed_work<<<1, 1>>>(device, values, 10);
  to_host(waited, device, sizeof waited);
  for (int i = 1; i < 200; i++)
    if (waited[i] < 150 || waited[i] > 300)
      DIFFERS("work %d took %lld cycles", i, waited[i]);
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "stopped") == 0) {
    check_stopped();
    return verdict();
  }
  check_long_loop();
  if (count == 2 && strcmp(arguments[1], "ring") == 0) { // for longer than all may wait
    check_ring(3500, 200);
    return verdict();
  }
  check_chains();
  check_ring(20, 20);
  check_long_rounds();
  check_look_back();
  check_delays();

  int order[16];
  int *out = (int *)to_device(NULL, sizeof order);
  hand_over<<<1, 1024>>>(out);
  to_host(order, out, sizeof order);
  for (int i = 0; i < 16; i++)
    if (order[i] != 15 - i)
      DIFFERS("wave %d came at place %d", order[i], i);
  return verdict();
}
