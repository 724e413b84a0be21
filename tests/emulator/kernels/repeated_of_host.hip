// Launches on memory that the host program may write, too: those that repeat others find their results put there again, but only
// while the program waits. What it wrote meanwhile stays, and is what the next launch finds.
//
// Out: results after each of several launches, as the host has them; how many launches were repeated.
#include "check.h"

#include "emulator.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 16, THREADS = 64, ITEMS = BLOCKS * THREADS, LAUNCHES = 12 };
enum { BESIDE = ITEMS, WORDS = ITEMS + 1 }; // of an allocation: the last one no kernel accesses
// Of each work-item, so many that a launch takes the host some milliseconds. One more for each test, whose launches then are new.
static int rounds;

__device__ __host__ unsigned turned(unsigned x, int rounds) {
  for (int i = 0; i < rounds; i++)
    x = x * 1664525 + 1;
  return x;
}

__global__ void turn(unsigned *out, const unsigned *in, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = turned(in[i], rounds);
}

__global__ void fill(unsigned *out, unsigned value) { out[threadIdx.x] = value; }

// Waits until it is told to write, and until it is told to end.
__global__ void write_when_told(volatile unsigned *told, volatile unsigned *to, unsigned value,
                                volatile unsigned *end) {
  while (!*told)
    __builtin_amdgcn_s_sleep(1);
  to[threadIdx.x] = value;
  while (!*end)
    __builtin_amdgcn_s_sleep(1);
}

static unsigned *in, *out, *other;

static size_t repeated_so_far(void) {
  static __typeof__(emulator_repeated_launches) *ask =
      (__typeof__(emulator_repeated_launches) *)dlsym(RTLD_DEFAULT, "emulator_repeated_launches");
  return ask();
}

static void launch(unsigned *to, const unsigned *from) {
  turn<<<BLOCKS, THREADS>>>(to, from, rounds);
}

static void wait_for_all(void) { HIP(hipDeviceSynchronize()); }

static void write_all(unsigned *to, unsigned value) {
  for (int i = 0; i < ITEMS; i++)
    to[i] = value;
}

static void expect(const char *what, int launch, unsigned found, unsigned value) {
  if (found != value)
    DIFFERS("%s, launch %d: %u, not %u", what, launch, found, value);
}

// Some of them, how many depends on how soon the program waits.
static void expect_repeated(const char *what, size_t before, bool repeated) {
  const size_t found = repeated_so_far() - before;
  if (repeated ? !found : found)
    DIFFERS("%s: %zu of %d launches were repeated", what, found, LAUNCHES);
}

// Queued behind each other, or each waited for.
static void while_the_program_waits(bool one_by_one) {
  rounds++;
  for (unsigned value = 5; value < 7; value++) {
    const size_t before = repeated_so_far();
    write_all(in, value);
    for (int k = 0; k < LAUNCHES; k++) {
      launch(out, in);
      if (one_by_one)
        wait_for_all();
    }
    wait_for_all();
    expect_repeated(one_by_one ? "one by one" : "queued", before, true);
    expect("while the program waits", LAUNCHES, out[ITEMS - 1], turned(value, rounds));
  }
}

static void write_beside(void *unused) {
  (void)unused;
  out[BESIDE] = 1;
}

// When the first of two launches is done, the program wakes, or is called back, and writes while the second one is at work or put
// back: in half of the rounds, the first or the last ones.
static void beside_the_second_of_two(bool by_callback, bool first_rounds) {
  hipStream_t launches, callbacks;
  hipEvent_t first;
  rounds++;
  HIP(hipStreamCreateWithFlags(&launches, hipStreamNonBlocking));
  HIP(hipStreamCreateWithFlags(&callbacks, hipStreamNonBlocking));
  HIP(hipEventCreate(&first));
  write_all(in, 5);
  for (int k = 0; k < 2 * LAUNCHES; k++) {
    const bool writes = (k < LAUNCHES) == first_rounds;
    out[0] = out[BESIDE] = 0;
    turn<<<BLOCKS, THREADS, 0, launches>>>(other, in, rounds);
    HIP(hipEventRecord(first, launches));
    if (writes && by_callback) {
      HIP(hipStreamWaitEvent(callbacks, first, 0));
      HIP(hipLaunchHostFunc(callbacks, write_beside, NULL));
    }
    turn<<<BLOCKS, THREADS, 0, launches>>>(out, in, rounds);
    if (writes && !by_callback) {
      HIP(hipEventSynchronize(first));
      write_beside(NULL);
    }
    wait_for_all();
    expect(by_callback ? "beside the second of two, by a callback" : "beside the second of two", k,
           out[BESIDE], writes);
  }
  HIP(hipEventDestroy(first));
}

static void write_beside_and_stay(void *unused) {
  usleep(2000); // the launch has begun
  write_beside(unused);
  usleep(50000); // and has ended
}

// What a function wrote that was called back before a launch began, and is at work after its end, is not the launch's.
static void beside_a_callback(void) {
  hipStream_t launches, callbacks;
  rounds++;
  HIP(hipStreamCreateWithFlags(&launches, hipStreamNonBlocking));
  HIP(hipStreamCreateWithFlags(&callbacks, hipStreamNonBlocking));
  for (int k = 0; k < 2 * LAUNCHES; k++) {
    const bool called = k < LAUNCHES;
    out[0] = out[BESIDE] = 0;
    if (called)
      HIP(hipLaunchHostFunc(callbacks, write_beside_and_stay, NULL));
    turn<<<BLOCKS, THREADS, 0, launches>>>(out, in, rounds);
    wait_for_all();
    expect("beside a callback", k, out[BESIDE], called);
  }
}

static void *do_something_else(void *stop) {
  while (!__atomic_load_n((unsigned *)stop, __ATOMIC_RELAXED)) {
  }
  return NULL;
}

// It may write at any time: nothing is repeated until it has ended, whatever was before.
static void beside_a_thread(bool from_the_first_on) {
  unsigned *own = (unsigned *)to_device(NULL, ITEMS * sizeof *own);
  rounds++;
  for (int turn = from_the_first_on; turn < 3; turn++) {
    const size_t before = repeated_so_far();
    pthread_t thread;
    unsigned stop = 0;
    if (turn == 1 && pthread_create(&thread, NULL, do_something_else, &stop) != 0)
      DIFFERS("%s", "no thread");
    for (int k = 0; k < (turn == 1 ? 3 : 1) * LAUNCHES; k++)
      launch(own, in);
    wait_for_all();
    expect_repeated("beside a thread", before, turn != 1);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    if (turn == 1)
      pthread_join(thread, NULL);
  }
  HIP(hipFree(own));
}

// Others may have the program's own memory, too.
static void of_registered_memory(void) {
  unsigned *own = (unsigned *)aligned_alloc(4096, ITEMS * sizeof *own);
  const size_t before = repeated_so_far();
  rounds++;
  write_all(own, 5);
  HIP(hipHostRegister(own, ITEMS * sizeof *own, 0));
  for (int k = 0; k < LAUNCHES; k++)
    launch(out, own);
  wait_for_all();
  expect_repeated("of registered memory", before, false);
  HIP(hipHostUnregister(own));
  free(own);
}

static void nothing(int signal) { (void)signal; }

static void handle(void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigaction(SIGUSR1, &action, NULL);
}

// It may come at any time, and write.
static void beside_a_handler(void) {
  const size_t before = repeated_so_far();
  rounds++;
  handle(nothing);
  for (int k = 0; k < LAUNCHES; k++)
    launch(out, in);
  wait_for_all();
  expect_repeated("beside a handler", before, false);
  handle(SIG_DFL);
}

// Every other launch: those between stay worth a try.
static void beside_a_handler_now_and_then(void) {
  size_t before = 0;
  rounds++;
  for (int k = 0; k < 4 * LAUNCHES; k++) {
    if (k == 3 * LAUNCHES)
      before = repeated_so_far();
    handle(k % 2 ? nothing : SIG_DFL);
    launch(out, in);
    wait_for_all();
  }
  expect_repeated("beside a handler now and then", before, true);
  handle(SIG_DFL);
}

// What comes between launches while the program waits for all of them, so that nothing is compared but after what may have changed it.
typedef enum { SHORT_LAUNCH, FILL, REPEATED_LAUNCH, WAYS } Way;

static void change_in(Way way) {
  if (way == SHORT_LAUNCH)
    fill<<<1, ITEMS>>>(in, 8);
  else if (way == FILL)
    HIP(hipMemsetD32Async((hipDeviceptr_t)in, 8, ITEMS, NULL));
  else
    launch(in, other);
}

static void between(Way way) {
  rounds++;
  unsigned *first = (unsigned *)to_device(NULL, ITEMS * sizeof *first);
  write_all(first, 5);
  write_all(other, 8);
  for (int k = 0; k < LAUNCHES && way == REPEATED_LAUNCH; k++) {
    launch(in, first);
    launch(in, other); // from what the launch before left: it is kept, too
  }
  launch(in, first);
  for (int k = 0; k < LAUNCHES; k++)
    launch(out, in);
  change_in(way);
  launch(out, in);
  wait_for_all();
  const unsigned found = way == REPEATED_LAUNCH ? turned(8, rounds) : 8;
  expect("between", way, out[0], turned(found, rounds));
  HIP(hipFree(first));
}

// By a kernel that has stepped aside, told by a launch that was put back.
static void beside_another_kernel(void) {
  rounds++;
  unsigned *told = (unsigned *)to_device(NULL, ITEMS * sizeof *told),
           *ones = (unsigned *)to_device(NULL, ITEMS * sizeof *ones), *end = other + BESIDE;
  hipStream_t waiting, launches;
  HIP(hipStreamCreateWithFlags(&waiting, hipStreamNonBlocking));
  HIP(hipStreamCreateWithFlags(&launches, hipStreamNonBlocking));
  fill<<<1, ITEMS>>>(ones, 1);
  write_all(in, 5);
  *end = 0;
  for (int k = 0; k < LAUNCHES; k++) {
    HIP(hipMemset(told, 0, ITEMS * sizeof *told));
    launch(told, ones);
  }
  HIP(hipMemset(told, 0, ITEMS * sizeof *told));
  wait_for_all();
  write_when_told<<<1, ITEMS, 0, waiting>>>(told, in, 9, end);
  for (int k = 0; k < LAUNCHES; k++)
    turn<<<BLOCKS, THREADS, 0, launches>>>(out, in, rounds);
  turn<<<BLOCKS, THREADS, 0, launches>>>(told, ones, rounds);
  HIP(hipStreamWaitValue32(launches, in + ITEMS - 1, 9, hipStreamWaitValueEq, 0xffffffff));
  turn<<<BLOCKS, THREADS, 0, launches>>>(out, in, rounds);
  HIP(hipStreamWriteValue32(launches, end, 1, 0));
  wait_for_all();
  expect("beside another kernel", LAUNCHES, out[0], turned(9, rounds));
  HIP(hipFree(told));
  HIP(hipFree(ones));
}

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// While the program goes on to wait, what launches found once is not compared again and again. It may come too late to wait for the
// first one of a row, which then is executed: the fastest row counts.
static void are_not_read(void) {
  enum { COUNT = 16 << 20, ROUNDS = 60, ROWS = 5 };
  unsigned *large[2];
  double least_s = 1e9;
  for (unsigned *&one : large)
    HIP(hipMallocManaged((void **)&one, COUNT * sizeof *one));
  for (int row = 0; row < ROWS; row++) {
    const double begin = now_s();
    for (int k = 0; k < LAUNCHES; k++)
      turn<<<COUNT / THREADS, THREADS>>>(large[0], large[1], ROUNDS);
    wait_for_all();
    least_s = fmin(least_s, now_s() - begin);
  }
  const double begin = now_s();
  for (int k = 0; k < LAUNCHES; k++)
    if (memcmp(large[0], large[0] + COUNT / 2, COUNT / 2 * sizeof **large) != 0)
      DIFFERS("%s", "large: results differ");
  const double read_s = now_s() - begin;
  if (least_s > read_s)
    DIFFERS("%d launches took %g s, and reading half their memory %g s", LAUNCHES, least_s, read_s);
  for (unsigned *one : large)
    HIP(hipFree(one));
}

static unsigned *shared(bool managed) {
  unsigned *memory;
  if (managed)
    HIP(hipMallocManaged((void **)&memory, WORDS * sizeof *memory));
  else
    HIP(hipHostMalloc((void **)&memory, WORDS * sizeof *memory, 0));
  return memory;
}

int main(void) {
  const char *model = getenv("EMULATOR_MODEL");
  const bool modelled = !model || strcmp(model, "0") != 0;
  rounds = modelled ? 5000 : 30000;
  setenv("EMULATOR_REUSE", "1", 1);
  for (int managed = 0; managed < 2; managed++) {
    in = shared(managed);
    out = shared(managed);
    other = shared(managed);
    while_the_program_waits(false);
    while_the_program_waits(true);
    for (int kind = 0; kind < 4; kind++)
      beside_the_second_of_two(kind & 1, kind & 2);
    beside_a_callback();
    beside_a_thread(false);
    beside_a_thread(true);
    of_registered_memory();
    beside_a_handler();
    beside_a_handler_now_and_then();
    for (int way = 0; way < WAYS; way++)
      between((Way)way);
    beside_another_kernel();
  }
  if (!modelled)
    are_not_read();
  return verdict();
}
