// Whether the program waits: see program_waits.h.
#include "program_waits.h"

#include "device_memory.h"
#include "own_thread.h"
#include "queue.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

static bool handles(int signal) {
  struct sigaction action;
  return sigaction(signal, NULL, &action) == 0 &&
         (action.sa_flags & SA_SIGINFO ||
          (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN));
}

// Of timers, of other processes, of who sits in front of it.
static bool handles_some_signal(void) {
  static const int other[] = {SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGIO,
                              SIGINT,  SIGTERM,   SIGHUP,  SIGQUIT, SIGCHLD, SIGCONT};
  bool some = false;
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    some = some || handles(other[i]);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
    some = some || handles(signal);
  return some;
}

// The number comes first: a wait that ends while the rest is looked at has then changed it.
uint64_t program_waits(void) {
  const uint64_t ended = queue_waits_ended();
  const int threads = own_thread_others();
  const bool waits = threads && threads <= queue_waiting() && !queue_host_may_act() &&
                     !handles_some_signal() && !device_memory_has_partners();
  return waits ? ended + 1 : 0;
}
