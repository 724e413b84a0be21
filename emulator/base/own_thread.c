// Threads of the emulator: see own_thread.h.
#define _GNU_SOURCE // sched_getaffinity
#include "own_thread.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

enum { STACK_BYTES = 8 << 20 }; // at least: what Linux gives the first thread of a program

typedef struct {
  void *(*function)(void *);
  void *argument;
} Start;

static cpu_set_t processors; // as the library was loaded: later a program may bind its threads
static bool processors_known;
static int count,
    asking; // our threads, and of others those that have asked for something: changed atomically
static _Thread_local bool ours, asks;

// fork() copies but the thread that calls it.
static void forget_all(void) {
  count = 0;
  asking = asks;
}

__attribute__((constructor)) static void note_process(void) {
  processors_known = sched_getaffinity(0, sizeof processors, &processors) == 0;
  pthread_atfork(NULL, NULL, forget_all);
}

static void *begin(void *data) {
  const Start start = *(Start *)data;
  free(data);
  ours = true;
  if (processors_known)
    sched_setaffinity(0, sizeof processors, &processors);
  void *result = start.function(start.argument);
  __atomic_sub_fetch(&count, 1, __ATOMIC_RELAXED);
  return result;
}

// But for those by which an instruction fails, which come to the thread that it is of.
static void block_signals(sigset_t *before) {
  static const int of_instructions[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  sigset_t all;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof of_instructions / sizeof *of_instructions; i++)
    sigdelset(&all, of_instructions[i]);
  pthread_sigmask(SIG_SETMASK, &all, before);
}

static bool start_with(Start *start, pthread_t *thread) {
  pthread_attr_t attributes;
  sigset_t before;
  size_t usual;
  if (!start || pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_getstacksize(&attributes, &usual);
  if (usual < STACK_BYTES)
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
  block_signals(&before); // a thread begins with those of the one that starts it
  const bool started = pthread_create(thread, &attributes, begin, start) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return started;
}

bool own_thread_start(pthread_t *thread, void *(*function)(void *), void *argument) {
  Start *start = malloc(sizeof *start);
  if (start)
    *start = (Start){function, argument};
  __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  const bool started = start_with(start, thread);
  if (!started) {
    __atomic_sub_fetch(&count, 1, __ATOMIC_RELAXED);
    free(start);
  }
  return started;
}

static pthread_key_t at_end;
static void asks_no_more(void *unused) {
  (void)unused;
  __atomic_sub_fetch(&asking, 1, __ATOMIC_RELAXED);
}
static void make_key(void) { pthread_key_create(&at_end, asks_no_more); }

void own_thread_asks(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (asks || ours)
    return;
  asks = true;
  pthread_once(&once, make_key);
  pthread_setspecific(at_end, &asks);
  __atomic_add_fetch(&asking, 1, __ATOMIC_RELAXED);
}

int own_thread_asking(void) { return __atomic_load_n(&asking, __ATOMIC_RELAXED); }

int own_thread_others(void) {
  DIR *tasks = opendir("/proc/self/task");
  int all = 0;
  if (!tasks)
    return 0;
  for (const struct dirent *task; (task = readdir(tasks));)
    all += task->d_name[0] != '.';
  closedir(tasks);
  return all - __atomic_load_n(&count, __ATOMIC_RELAXED);
}
