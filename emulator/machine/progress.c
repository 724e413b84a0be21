// Progress: see progress.h. A wave waits if it comes back to an instruction with all its registers as
// they were. From then on it gets short turns, until it leaves that loop. All of it is decided by
// counting instructions, so that turns are the same on every run; only faults and sentences go by
// time.
#include "progress.h"

#include "queue.h"
#include "run.h"
#include "settings.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  SLICE = 1 << 16,      // instructions of a wave before another gets its turn, at its next jump
  FIRST_LOOK = 1 << 12, // instructions after which a wave is looked at first; later twice as many
  LOOK_SHARE = 16,      // a look takes at most this part of the instructions since the last
  LONGEST_LOOK_AFTER = LOOK_SHARE * SLICE, // so that loops up to a slice are found
  SHORTEST_TURN = 64,                      // instructions of a wave that waits
};
#define SECOND 1000000000ll
#define STUCK (3 * SECOND) // nothing changes in the launch and nobody could change it
#define TELL (4 * SECOND)  // no workgroup has ended

static int64_t now(void) { // to some milliseconds: it is asked for with every workgroup
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * SECOND + time.tv_nsec;
}

static int64_t get(const int64_t *time) { return __atomic_load_n(time, __ATOMIC_RELAXED); }
static void set(int64_t *time, int64_t value) { // which other host threads have mostly done
  if (get(time) != value)
    __atomic_store_n(time, value, __ATOMIC_RELAXED);
}

void progress_begin(struct Progress *progress) {
  *progress = (struct Progress){.changed = now(), .ended = now()};
}

void progress_started(struct Progress *progress) { set(&progress->changed, now()); }

void progress_ended(struct Progress *progress) {
  const int64_t time = now();
  set(&progress->ended, time);
  set(&progress->changed, time);
}

// ---- one wave ----

// All registers that its instructions may read, but for the clock.
typedef struct {
  uint32_t sgpr[SGPR_COUNT], mode, vgpr[512][LANES];
  bool scc;
} Registers;
static _Thread_local Registers *before; // lives as long as the host thread

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
  w->look_after = FIRST_LOOK;
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

// ---- the launch ----

static bool all_wait(const Workgroup *group) {
  for (uint32_t i = 0; i < group->in_memory; i++)
    if (group->waves[i].state == WAVE_RUNNING && !group->waves[i].waiting)
      return false;
  return true;
}

static Wavefront *a_running_wave(Workgroup *group) {
  for (uint32_t i = 0; i < group->in_memory; i++)
    if (group->waves[i].state == WAVE_RUNNING)
      return &group->waves[i];
  return NULL;
}

// The wave has come round many times without knowing; only registers that are looked at again tell.
static void end_if_stuck(Wavefront *w) {
  look(w, SLICE);
  if (w->waiting)
    wavefront_fault(w, FAULT_BUDGET, -1,
                    "an endless loop: for %lld s no wave of the launch did anything but repeat the "
                    "same %u instructions with the same values. What it waits for cannot come: the "
                    "host waits for the device, and other kernels run only after this one",
                    STUCK / SECOND, w->loop_length);
}

void progress_check(HostThread *thread, Workgroup *group) {
  struct Progress *progress = thread->progress;
  Wavefront *w = a_running_wave(group);
  const int64_t time = now(), limit = (int64_t)settings()->timeout * SECOND;
  if (!w)
    return;
  if (!all_wait(group))
    set(&progress->changed, time);
  else if (time - get(&progress->changed) > STUCK && queue_waited_for())
    end_if_stuck(w);
  const int64_t since = time - get(&progress->ended);
  if (since > TELL && !__atomic_exchange_n(&progress->told, true, __ATOMIC_RELAXED))
    wavefront_tell(w,
                   "no workgroup has come to its end for %lld s: an endless loop? The launch goes "
                   "on; it ends after %llu s without one, and EMULATOR_TIMEOUT=SECONDS in the "
                   "environment changes that",
                   TELL / SECOND, (unsigned long long)settings()->timeout);
  if (limit && since > limit)
    wavefront_fault(w, FAULT_BUDGET, -1,
                    "no workgroup has come to its end for %llu s: an endless loop? A kernel that "
                    "really needs longer runs with EMULATOR_TIMEOUT=SECONDS in the environment "
                    "(0: as long as it takes)",
                    (unsigned long long)settings()->timeout);
}
