// Memory of the program that is not there: see missing_memory.h.
#include "missing_memory.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static _Thread_local struct {
  jmp_buf *way_out; // NULL: nothing is watched
  MissingMemoryTest *is_programs;
  const void *data;
  uint64_t address;
  bool by_host;   // and not by the device: then the program's handler may see to it
  uint64_t asked; // address that it was asked for, and 1
} watched;

static const int told_by[] = {SIGSEGV, SIGBUS};
enum { SIGNALS = sizeof told_by / sizeof *told_by };

// While something is watched, the handlers of the process are ours, in place of the program's.
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;
static struct sigaction programs[SIGNALS];
static struct sigaction oldest[SIGNALS]; // what was there before the first use
static bool used[SIGNALS];

static bool has_handler(const struct sigaction *action) {
  return action->sa_flags & SA_SIGINFO ||
         (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

// As Linux would call the handler: with its signals blocked, once if it asks for that. A signal that nobody handles ends the process:
// what made it is done again, or it is sent again.
static void pass_on(int signal, siginfo_t *info, void *context, struct sigaction *handler) {
  const struct sigaction to = *handler;
  const bool sent = info->si_code <= 0, informs = to.sa_flags & SA_SIGINFO;
  sigset_t blocked = to.sa_mask, before;
  if (!informs && to.sa_handler == SIG_IGN && sent)
    return;
  if (!has_handler(&to)) {
    sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    if (sent)
      raise(signal);
    return;
  }
  if (to.sa_flags & SA_RESETHAND)
    *handler = (struct sigaction){.sa_handler = SIG_DFL};
  if (!(to.sa_flags & SA_NODEFER))
    sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  if (informs)
    to.sa_sigaction(signal, info, context);
  else
    to.sa_handler(signal);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Linux calls it with the context right above the return address (arch/x86/kernel/signal_64.c). A handler that the program has set
// over this one calls it otherwise, for what was there before: not for itself.
static void handle(int signal, siginfo_t *info, void *context) {
  const int i = signal == told_by[0] ? 0 : 1;
  const bool by_linux = __builtin_dwarf_cfa() == context;
  const uint64_t address = (uint64_t)info->si_addr;
  jmp_buf *way_out = watched.way_out;
  const bool sent = info->si_code <= 0; // by kill()
  if (sent || !way_out || !watched.is_programs(address, watched.data)) {
    pass_on(signal, info, context, by_linux ? &programs[i] : &oldest[i]);
    return;
  }
  watched.way_out = NULL; // the handler may jump away
  if (watched.by_host && watched.asked != address + 1 && has_handler(&programs[i])) {
    watched.asked = address + 1;
    pass_on(signal, info, context, &programs[i]);
    watched.way_out = way_out;
    return;
  }
  watched.address = address;
  longjmp(*way_out, MISSING_MEMORY);
}

static bool is_ours(int signal, struct sigaction *found) {
  return sigaction(signal, NULL, found) == 0 && found->sa_flags & SA_SIGINFO &&
         found->sa_sigaction == handle;
}

// SA_NODEFER: the longjmp leaves the signal as it is.
static void install(int i) {
  struct sigaction found, ours = {.sa_sigaction = handle};
  if (is_ours(told_by[i], &found))
    return;
  programs[i] = found;
  if (!used[i])
    oldest[i] = found;
  used[i] = true;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | (found.sa_flags & SA_ONSTACK);
  sigemptyset(&ours.sa_mask);
  sigaction(told_by[i], &ours, NULL);
}

static void give_back(int i) {
  struct sigaction found;
  if (is_ours(told_by[i], &found))
    sigaction(told_by[i], &programs[i], NULL);
}

bool missing_memory_has_handler(void) {
  struct sigaction found;
  pthread_mutex_lock(&installing);
  const bool handled = has_handler(is_ours(told_by[0], &found) ? &programs[0] : &found);
  pthread_mutex_unlock(&installing);
  return handled;
}

void missing_memory_begin(void) {
  pthread_mutex_lock(&installing);
  users++;
  for (int i = 0; i < SIGNALS; i++)
    install(i);
  pthread_mutex_unlock(&installing);
}

void missing_memory_end(void) {
  pthread_mutex_lock(&installing);
  users--;
  for (int i = 0; i < SIGNALS && !users; i++)
    give_back(i);
  pthread_mutex_unlock(&installing);
}

void missing_memory_after_fork(void) {
  installing = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < SIGNALS && users; i++)
    give_back(i);
  users = 0;
}

void missing_memory_watch(jmp_buf *way_out, MissingMemoryTest *is_programs, const void *data,
                          bool by_host) {
  watched.by_host = by_host;
  watched.asked = 0;
  watched.is_programs = is_programs;
  watched.data = data;
  watched.way_out = way_out;
}

bool missing_memory_reach(void (*access)(void *data), MissingMemoryTest *is_programs, void *data,
                          bool by_host) {
  volatile bool there = true;
  jmp_buf way_out;
  missing_memory_begin();
  if (setjmp(way_out) == 0) {
    missing_memory_watch(&way_out, is_programs, data, by_host);
    access(data);
    missing_memory_unwatch();
  } else
    there = false;
  missing_memory_end();
  return there;
}

void missing_memory_unwatch(void) { watched.way_out = NULL; }

uint64_t missing_memory_address(void) { return watched.address; }
