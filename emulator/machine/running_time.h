// Running time: what kernels have taken on this computer, told to whoever waits for them.
//
// In: launches as they begin, step aside and end; workgroups as they end. Out: a note on stderr once kernels have run for
// EMULATOR_PROGRESS seconds in all, and whenever that has doubled since the last note. It names the launch under way.
#ifndef EMULATOR_RUNNING_TIME_H
#define EMULATOR_RUNNING_TIME_H

#include "launch.h"

#include <stdint.h>

// Of one launch: ns of CLOCK_MONOTONIC at which it began, later by the time in which others ran in its place.
struct RunningTime {
  int64_t began;
};

void running_time_begin(struct RunningTime *time);
void running_time_end(const struct RunningTime *time);

// Around others' turns; nobody else runs workgroups of the launch then.
int64_t running_time_step_aside(void);
void running_time_go_on(struct RunningTime *time, int64_t stepped_aside);

// Tells, if it is time to: `begun` of the launch's workgroups have begun.
void running_time_tell(const struct RunningTime *time, const Launch *launch, uint64_t begun);

#endif
