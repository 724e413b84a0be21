// Memory of the program that is not there: see missing_memory.h.
#include "missing_memory.h"

#include <signal.h>
#include <stddef.h>

static _Thread_local struct {
  jmp_buf *way_out; // NULL: nothing is watched
  MissingMemoryTest *is_programs;
  const void *data;
  uint64_t address;
} watched;

static const int told_by[] = {SIGSEGV, SIGBUS};
enum { SIGNALS = sizeof told_by / sizeof *told_by };
static struct sigaction before[SIGNALS]; // the program's

// Where the program has no handler the access is made again, and ends the process.
static void pass_on(int signal, siginfo_t *info, void *context) {
  const struct sigaction *to = &before[signal == told_by[0] ? 0 : 1];
  if (to->sa_flags & SA_SIGINFO)
    to->sa_sigaction(signal, info, context);
  else if (to->sa_handler == SIG_DFL || to->sa_handler == SIG_IGN)
    sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
  else
    to->sa_handler(signal);
}

static void handle(int signal, siginfo_t *info, void *context) {
  const uint64_t address = (uint64_t)info->si_addr;
  jmp_buf *way_out = watched.way_out;
  const bool sent = info->si_code <= 0; // by kill()
  if (sent || !way_out || !watched.is_programs(address, watched.data)) {
    pass_on(signal, info, context);
    return;
  }
  watched.way_out = NULL;
  watched.address = address;
  longjmp(*way_out, MISSING_MEMORY);
}

// SA_NODEFER: the longjmp leaves the signal as it is.
void missing_memory_prepare(void) {
  struct sigaction ours = {.sa_sigaction = handle,
                           .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK},
                   found;
  sigemptyset(&ours.sa_mask);
  for (int i = 0; i < SIGNALS; i++) {
    if (sigaction(told_by[i], NULL, &found) != 0 ||
        (found.sa_flags & SA_SIGINFO && found.sa_sigaction == handle))
      continue;
    before[i] = found;
    sigaction(told_by[i], &ours, NULL);
  }
}

void missing_memory_watch(jmp_buf *way_out, MissingMemoryTest *is_programs, const void *data) {
  watched.is_programs = is_programs;
  watched.data = data;
  watched.way_out = way_out;
}

void missing_memory_unwatch(void) { watched.way_out = NULL; }

uint64_t missing_memory_address(void) { return watched.address; }
