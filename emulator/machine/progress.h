// Progress: which waves only wait for others, and which launches come to no end.
//
// In: waves between their turns. Out: Wavefront.waiting, by which dispatch shares out the turns; a
// fault where nothing in the launch changes any more and nobody could change it, or where no
// workgroup has ended for too long; before that, a sentence that says where the launch is.
#ifndef EMULATOR_PROGRESS_H
#define EMULATOR_PROGRESS_H

#include "wavefront.h"

#include <stdint.h>

// Of one launch, shared by its host threads. Times are ns of CLOCK_MONOTONIC, but for `worked`.
struct Progress {
  int64_t changed;  // some wave last did more than wait
  int64_t ended;    // a workgroup last ended, or the launch began
  int64_t late_for; // the `ended` since which too long a time was first seen to have passed
  int64_t worked;   // CPU time of the process then
  bool told;
};

void progress_begin(struct Progress *progress);
void progress_started(struct Progress *progress); // a workgroup did
void progress_ended(struct Progress *progress);

// At a barrier that all waves of the workgroup have reached: whether they only come back to it.
bool progress_waits(Workgroup *group);

// One turn of a running wave: its instructions, and whether it got anywhere by them.
void progress_turn(Wavefront *w);

// After every wave of a workgroup had its turn.
void progress_check(HostThread *thread, Workgroup *group);

#endif
