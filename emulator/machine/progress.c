// Progress: see progress.h. A wave waits if it comes back to an instruction with all its registers as
// they were. From then on it gets short turns, until it leaves that loop. All of it is decided by
// counting instructions, so that turns are the same on every run; only faults and sentences go by
// time.
#include "progress.h"

#include "device_memory.h"
#include "own_thread.h"
#include "program_waits.h"
#include "queue.h"
#include "run.h"
#include "settings.h"
#include "way_out.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  SLICE = 1 << 16,      // instructions of a wave before another gets its turn, at its next jump
  FIRST_LOOK = 1 << 12, // instructions after which a wave is looked at first; later twice as many
  NEXT_LOOK = 1 << 9,   // the same of a wave that has waited before: mostly it does so again
  LOOK_SHARE = 16,      // a look takes at most this part of the instructions since the last
  LONGEST_LOOK_AFTER = LOOK_SHARE * SLICE, // so that loops up to a slice are found
  SHORTEST_TURN = 64,                      // instructions of a wave that waits
  FIRST_BARRIER = 256,                     // at which a workgroup is looked at first
  BARRIERS_A_ROUND = 16,                   // of a loop, at most
};
#define SECOND 1000000000ll
#define STUCK (3 * SECOND)          // nothing changes in the launch and nobody could change it
#define STUCK_WORK (3 * SECOND / 2) // and the process has worked so long since
#define TELL (4 * SECOND)           // no workgroup has ended
#define WAITING SECOND              // nothing changes in the launch
// When other work of the device has a turn, if there is any: kernels that wait, perhaps for that, wait for a moment only.
#define WAITS (SECOND / 100)    // nothing has changed in the launch
#define LONG SECOND             // no workgroup has ended
#define LONG_TURN (SECOND / 10) // of those that are long

static int64_t read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * SECOND + time.tv_nsec;
}

// To some milliseconds: it is asked for with every workgroup.
static int64_t now(void) { return read_clock(CLOCK_MONOTONIC_COARSE); }

static int64_t get(const int64_t *time) { return __atomic_load_n(time, __ATOMIC_RELAXED); }
static void set(int64_t *time, int64_t value) { // which other host threads have mostly done
  if (get(time) != value)
    __atomic_store_n(time, value, __ATOMIC_RELAXED);
}

void progress_begin(struct Progress *progress, bool takes_turns) {
  *progress = (struct Progress){
      .changed = now(), .ended = now(), .began = now(), .takes_turns = takes_turns};
}

int64_t progress_ran(const struct Progress *progress) { return now() - get(&progress->began); }

void progress_started(struct Progress *progress) { set(&progress->changed, now()); }

void progress_ended(struct Progress *progress) {
  const int64_t time = now();
  set(&progress->ended, time);
  set(&progress->changed, time);
}

bool progress_is_to_step_aside(const struct Progress *progress, bool asleep) {
  const int64_t time = now();
  return asleep || time - get(&progress->changed) > WAITS ||
         (time - get(&progress->ended) > LONG && time - get(&progress->aside) > LONG_TURN);
}

// What others did may be what it waits for, and their time is not its own.
void progress_step_aside(struct Progress *progress, bool waits) {
  const int64_t begin = now();
  const bool got_somewhere = queue_step_aside(waits);
  const int64_t end = now();
  set(&progress->aside, end);
  set(&progress->began, get(&progress->began) + end - begin);
  if (got_somewhere) {
    set(&progress->changed, end);
    set(&progress->ended, get(&progress->ended) + end - begin);
  }
}

// ---- one wave ----

// All registers that its instructions may read, but for the clock.
typedef struct {
  uint32_t sgpr[SGPR_COUNT], mode, vgpr[512][LANES];
  bool scc;
} Registers;
static _Thread_local Registers *before; // NULL: no wave was looked at

void progress_forget_registers(void) {
  free(before);
  before = NULL;
}

static size_t vector_bytes(const Wavefront *w, uint32_t *accum) {
  const Kernel *kernel = w->thread->launch->kernel;
  const uint32_t all = kernel->allocated_vgprs, offset = kernel->accum_offset;
  *accum = all > offset ? (all - offset < AGPR_BASE ? all - offset : AGPR_BASE) : 0;
  return (offset < all ? offset : all) * sizeof w->vgpr[0];
}

static void keep(const Wavefront *w) {
  uint32_t accum;
  memcpy(before->sgpr, w->sgpr, sizeof before->sgpr);
  before->mode = w->mode;
  before->scc = w->scc;
  memcpy(before->vgpr, w->vgpr, vector_bytes(w, &accum));
  memcpy(before->vgpr[AGPR_BASE], w->vgpr[AGPR_BASE], accum * sizeof w->vgpr[0]);
}

static bool unchanged(const Wavefront *w) {
  uint32_t accum;
  return !memcmp(before->sgpr, w->sgpr, sizeof before->sgpr) && before->mode == w->mode &&
         before->scc == w->scc && !memcmp(before->vgpr, w->vgpr, vector_bytes(w, &accum)) &&
         !memcmp(before->vgpr[AGPR_BASE], w->vgpr[AGPR_BASE], accum * sizeof w->vgpr[0]);
}

// Goes on by about `most` instructions, and notes the loop if the wave comes back unchanged. A loop
// jumps, so registers are compared where jumps lead to.
static void look(Wavefront *w, uint64_t most) {
  const uint64_t first = w->issued;
  w->waiting = false;
  if (!before && !(before = malloc(sizeof *before)))
    return;
  wavefront_run_to_jump(w, 0);
  const Instruction *at = w->next;
  const uint64_t begin = w->issued;
  keep(w);
  while (w->state == WAVE_RUNNING && w->issued - first < most && !w->waiting) {
    wavefront_run_to_jump(w, 0);
    w->waiting = w->next == at && w->state == WAVE_RUNNING && unchanged(w);
  }
  w->loop = at;
  w->loop_length = (uint32_t)(w->issued - begin);
}

// A wave that waits: whole rounds of its loop, at the end of which it must be where it was.
static void wait_on(Wavefront *w) {
  const uint32_t rounds = w->loop_length < SHORTEST_TURN ? SHORTEST_TURN / w->loop_length : 1;
  const uint64_t until = w->issued + (uint64_t)rounds * w->loop_length;
  while (w->state == WAVE_RUNNING && w->issued < until)
    wavefront_run(w, until - w->issued); // returns early where the wave sleeps
  w->waiting = w->state == WAVE_RUNNING && w->next == w->loop;
  w->looked = w->issued;
  w->look_after = NEXT_LOOK;
}

static void look_again(Wavefront *w) {
  const uint64_t since = w->issued - w->looked;
  look(w, since / LOOK_SHARE);
  w->looked = w->issued;
  w->look_after = since < LONGEST_LOOK_AFTER ? 2 * (uint32_t)since : LONGEST_LOOK_AFTER;
}

void progress_turn(Wavefront *w) {
  if (w->waiting) {
    wait_on(w);
    if (!w->waiting) // what it waited for has come; it may wait for more before anybody looks
      set(&w->thread->progress->changed, now());
    return;
  }
  const uint64_t end = w->issued + SLICE;
  w->yield = false;
  while (w->state == WAVE_RUNNING && !w->yield && !w->waiting && w->issued < end) {
    const uint64_t look_at = w->looked + (w->look_after ? w->look_after : FIRST_LOOK);
    if (w->issued < look_at)
      wavefront_run_to_jump(w, (look_at < end ? look_at : end) - w->issued);
    if (w->state == WAVE_RUNNING && w->issued >= look_at)
      look_again(w);
  }
}

// ---- one workgroup ----

static uint64_t print_of(uint64_t print, const void *memory, size_t bytes) {
  const uint64_t *word = memory;
  for (size_t i = 0; i < bytes / sizeof *word; i++) {
    print = (print ^ word[i]) * 0x9e3779b97f4a7c15u;
    print ^= print >> 32;
  }
  return print;
}

// Of its scalar registers, which tell most rounds of a loop from each other.
static uint64_t print_of_scalars(const Workgroup *group) {
  uint64_t print = 0;
  for (uint32_t i = 0; i < group->in_memory; i++) {
    const Wavefront *w = &group->waves[i];
    const uint64_t rest[] = {(uint64_t)w->next, w->state, w->scc, w->mode};
    print = print_of(print_of(print, rest, sizeof rest), w->sgpr, sizeof w->sgpr);
  }
  return print;
}

// Of its vector registers and its LDS.
static uint64_t print_of_vectors(const Workgroup *group) {
  uint64_t print = print_of(0, group->lds, group->lds_bytes);
  for (uint32_t i = 0; i < group->in_memory; i++) {
    const Wavefront *w = &group->waves[i];
    uint32_t accum;
    if (w->state == WAVE_DONE)
      continue;
    print = print_of(print, w->vgpr, vector_bytes(w, &accum));
    print = print_of(print, w->vgpr[AGPR_BASE], accum * sizeof w->vgpr[0]);
  }
  return print;
}

bool progress_waits(Workgroup *group) {
  if (!group->look_at)
    group->look_at = FIRST_BARRIER;
  if (++group->barriers < group->look_at)
    return false;
  const uint64_t scalars = print_of_scalars(group);
  if (group->barriers == group->look_at) {
    group->scalars = scalars;
    group->vectors = print_of_vectors(group);
    return false;
  }
  group->waiting = scalars == group->scalars && print_of_vectors(group) == group->vectors;
  if (group->waiting)
    group->waited_at = group->look_at = group->barriers;
  else if (group->barriers == group->look_at + BARRIERS_A_ROUND) {
    if (group->waited_at == group->look_at) // what it waited for has come
      set(&group->waves->thread->progress->changed, now());
    // After as many as have come since it last waited: mostly it does so again.
    group->look_at = 2 * group->barriers - group->waited_at;
  }
  return group->waiting;
}

// ---- the launch ----

static bool all_wait(const Workgroup *group) {
  if (group->waiting)
    return true;
  for (uint32_t i = 0; i < group->in_memory; i++)
    if (group->waves[i].state == WAVE_RUNNING && !group->waves[i].waiting)
      return false;
  return true;
}

// One that runs, else one that waits for the rest of the grid.
static Wavefront *a_wave_under_way(Workgroup *group) {
  Wavefront *found = NULL;
  for (uint32_t i = 0; i < group->in_memory; i++)
    if (group->waves[i].state == WAVE_RUNNING)
      return &group->waves[i];
    else if (group->waves[i].state == WAVE_AT_GRID_BARRIER)
      found = &group->waves[i];
  return found;
}

// Why what a launch waits for cannot come.
static const char *cause(void) {
  return !queue_has_more() ? "nothing else is queued"
         : settings()->sanitize == SANITIZE_ALL
             ? "more is queued, but with EMULATOR_SANITIZE=1 kernels run one after the other, "
               "those "
               "of other streams and devices too"
             : "what else is queued waits, too, or comes after it in the order of streams";
}

// Lanes of the wave that are not in its loop.
static int lanes_outside(const Wavefront *w) {
  const uint32_t *size = w->group->size,
                 items = size[0] * size[1] * size[2] - w->number * (uint32_t)LANES;
  const int lanes = items < LANES ? (int)items : LANES;
  return lanes - __builtin_popcountll(w->exec);
}

// The wave has come round many times without knowing; only registers that are looked at again tell.
static void end_if_stuck(Wavefront *w) {
  if (w->group->waiting)
    wavefront_fault(w, FAULT_BUDGET, -1,
                    "an endless loop: for %lld s no workgroup of the launch did anything but come "
                    "back to the same barrier with the same values. What it waits for cannot come: "
                    "the host waits for the device; %s",
                    STUCK / SECOND, cause());
  look(w, SLICE);
  if (!w->waiting)
    return;
  char outside[160] = "";
  if (lanes_outside(w) > 0)
    snprintf(
        outside, sizeof outside,
        ". Lanes of this wave wait outside the loop (%d), since lanes go on together: what one of "
        "them would do, as to open a lock that it holds, is never done",
        lanes_outside(w));
  wavefront_fault(w, FAULT_BUDGET, -1,
                  "an endless loop: for %lld s no wave of the launch did anything but repeat the "
                  "same %u instructions with the same values. What it waits for cannot come: the "
                  "host waits for the device; %s%s",
                  STUCK / SECOND, w->loop_length, cause(), outside);
}

// CPU time of the process since it was first asked for that moment: time alone passes, too, where the
// process is stopped or other ones have the computer.
static int64_t worked_since(struct Worked *worked, int64_t moment) {
  const int64_t working = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  if (get(&worked->since) != moment) {
    set(&worked->then, working);
    set(&worked->since, moment);
  }
  return working - get(&worked->then);
}

// Where the host, too, reaches what the launch looks at: whether the program may still write it. Elsewhere: whether a thread that
// has asked the device for something before, or a function that the device calls back, may ask it for more, which comes in turns
// with the launch.
static bool host_may_act(const HostThread *thread) {
  bool shared = false;
  for (int i = 0; i < RANGE_CACHE; i++)
    shared = shared || (thread->ranges[i].end && thread->ranges[i].shared);
  if (shared)
    return !program_waits();
  return thread->progress->takes_turns &&
         (own_thread_asking() > queue_waiting() || queue_host_may_act());
}

static bool is_stuck(const HostThread *thread, int64_t time) {
  struct Progress *progress = thread->progress;
  const int64_t changed = get(&progress->changed);
  return time - changed > STUCK && queue_waiting() &&
         worked_since(&progress->stuck, changed) > STUCK_WORK && !host_may_act(thread) &&
         !(progress->takes_turns && queue_may_begin());
}

static bool first_time(bool *done) {
  return !__atomic_load_n(done, __ATOMIC_RELAXED) &&
         !__atomic_exchange_n(done, true, __ATOMIC_RELAXED);
}

// How long no workgroup has ended; after a while only time counts in which the process has worked.
static int64_t without_end(struct Progress *progress, int64_t time) {
  const int64_t ended = get(&progress->ended), since = time - ended;
  if (since <= TELL)
    return since;
  const int64_t worked = TELL + worked_since(&progress->late, ended);
  return since < worked ? since : worked;
}

// All waves of the launch, as far as is known.
static bool only_wait(const struct Progress *progress, int64_t time) {
  return time - get(&progress->changed) > WAITING;
}

static void tell_where(Wavefront *w, bool waits) {
  const unsigned long long timeout = settings()->timeout;
  char end[128] = "as long as it takes (EMULATOR_TIMEOUT=0)";
  if (timeout)
    snprintf(end, sizeof end,
             "but ends after %llu s without one; EMULATOR_TIMEOUT=SECONDS in the environment "
             "changes that",
             timeout);
  wavefront_tell(w, "no workgroup has come to its end for %lld s%s The launch goes on, %s",
                 TELL / SECOND,
                 !waits ? ". Its waves go on with new values: it may take long, or count past its "
                          "end."
                        : ", and all that is done is to wait for what nobody changes: an endless "
                          "loop?",
                 end);
}

// A wave that will never end, however its values change, keeps the launch from its end.
static void end_if_without_way_out(Workgroup *group) {
  for (uint32_t i = 0; i < group->in_memory; i++) {
    Wavefront *w = &group->waves[i];
    if ((w->state == WAVE_RUNNING || w->state == WAVE_AT_GRID_BARRIER) &&
        !way_out(w->thread->launch->kernel->object, w->next))
      wavefront_fault(w, FAULT_BUDGET, -1,
                      "an endless loop: no way leads from here to the end of the kernel, which has "
                      "run for %lld s since a workgroup last came to its end",
                      TELL / SECOND);
  }
}

void progress_check(HostThread *thread, Workgroup *group) {
  struct Progress *progress = thread->progress;
  Wavefront *w = a_wave_under_way(group);
  const int64_t time = now(), limit = (int64_t)settings()->timeout * SECOND;
  const bool runs = w && w->state == WAVE_RUNNING;
  if (!w)
    return;
  const bool waits = runs && all_wait(group);
  if (runs && !waits)
    set(&progress->changed, time);
  if (waits)
    sched_yield(); // the processor may be what somebody needs who is waited for
  if (waits && is_stuck(thread, time))
    end_if_stuck(w);
  const int64_t since = without_end(progress, time);
  if (since > TELL && queue_waiting() && first_time(&progress->looked_for_way_out))
    end_if_without_way_out(group);
  if (since > TELL && first_time(&progress->told))
    tell_where(w, only_wait(progress, time));
  if (limit && since > limit)
    wavefront_fault(w, FAULT_BUDGET, -1,
                    "no workgroup has come to its end for %llu s: an endless loop? A kernel that "
                    "really needs longer runs with EMULATOR_TIMEOUT=SECONDS in the environment "
                    "(0: as long as it takes)",
                    (unsigned long long)settings()->timeout);
}
