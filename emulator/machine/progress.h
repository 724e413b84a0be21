// Progress: which waves only wait for others, and which launches come to no end.
//
// In: waves between their turns. Out: Wavefront.waiting, by which dispatch shares out the turns; a
// fault where nothing in the launch changes any more and nobody could change it, or where no
// workgroup has ended for too long; before that, a sentence that says where the launch is.
#ifndef EMULATOR_PROGRESS_H
#define EMULATOR_PROGRESS_H

#include "wavefront.h"

#include <stdint.h>

// CPU time that the process had used when it was first asked how much it has used since a moment.
struct Worked {
  int64_t since, then;
};

// Of one launch, shared by its host threads. Times are ns of CLOCK_MONOTONIC.
struct Progress {
  int64_t changed; // some wave last did more than wait
  int64_t ended;   // a workgroup last ended, or the launch began
  int64_t aside;   // it last stepped aside, or 0
  int64_t began;   // the launch, later by the time in which others ran in its place
  struct Worked stuck, late;
  bool told, looked_for_way_out;
  bool takes_turns; // with other launches
};

void progress_begin(struct Progress *progress, bool takes_turns);
int64_t progress_ran(const struct Progress *progress); // the launch, ns so far
void progress_started(struct Progress *progress);      // a workgroup did
void progress_ended(struct Progress *progress);

// Whether the launch only waits, or has come to no end for so long that others may have a turn; `asleep`: all of its waves
// have just been seen to wait.
bool progress_is_to_step_aside(const struct Progress *progress, bool asleep);
// Steps aside for whatever else the device has to do: queue_step_aside.
void progress_step_aside(struct Progress *progress, bool waits);

// At a barrier that all waves of the workgroup have reached: whether they only come back to it.
bool progress_waits(Workgroup *group);

// One turn of a running wave: its instructions, and whether it got anywhere by them.
void progress_turn(Wavefront *w);

// The host thread takes no further turn in this launch: what it kept of waves goes.
void progress_forget_registers(void);

// After every wave of a workgroup had its turn.
void progress_check(HostThread *thread, Workgroup *group);

#endif
