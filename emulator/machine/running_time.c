// Running time: see running_time.h.
#include "running_time.h"

#include "code_object.h"
#include "settings.h"

#include <stdbool.h>
#include <stdio.h>

#define SECOND 1000000000ll

// Of the process, changed atomically.
static int64_t taken;     // ns, by launches that have ended
static uint64_t launches; // that have begun
static int64_t told;      // ns that kernels had taken at the last note, 0: there was none

void running_time_begin(void) { __atomic_add_fetch(&launches, 1, __ATOMIC_RELAXED); }

void running_time_end(int64_t ran) { __atomic_add_fetch(&taken, ran, __ATOMIC_RELAXED); }

static void tell(int64_t all, int64_t ran, const Launch *launch, uint64_t begun, bool first) {
  const unsigned long long count = __atomic_load_n(&launches, __ATOMIC_RELAXED);
  flockfile(stderr);
  fprintf(stderr,
          "emulator: note: kernels have run for %lld s on this computer, in %llu launch%s. Now %s "
          "runs",
          (long long)(all / SECOND), count, count == 1 ? "" : "es", launch->kernel->name);
  if (ran >= SECOND)
    fprintf(stderr, ", and %llu of its %llu workgroups have begun in %lld s",
            (unsigned long long)begun, (unsigned long long)launch->workgroups,
            (long long)(ran / SECOND));
  if (first)
    fprintf(stderr,
            ". If this takes too long, choose a smaller size or fewer repetitions%s. "
            "EMULATOR_PROGRESS=SECONDS in the environment changes when this is told first (0: "
            "never)",
            launch->traced ? ", or do without modelled times and cache counters (EMULATOR_MODEL=0)"
                           : "");
  fprintf(stderr, ".\n");
  funlockfile(stderr);
}

void running_time_tell(int64_t ran, const Launch *launch, uint64_t begun) {
  const int64_t first = (int64_t)settings()->progress * SECOND,
                all = __atomic_load_n(&taken, __ATOMIC_RELAXED) + ran;
  int64_t last = __atomic_load_n(&told, __ATOMIC_RELAXED);
  const bool is_first = last == 0;
  if (first && all >= (is_first ? first : 2 * last) &&
      __atomic_compare_exchange_n(&told, &last, all, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    tell(all, ran, launch, begun, is_first);
}
