// Running time: what kernels have taken on this computer, told to whoever waits for them.
//
// In: launches as they begin and end; workgroups as they end. Out: a note on stderr once kernels have run for
// EMULATOR_PROGRESS seconds in all, and whenever that has doubled since the last note. It names the launch under way.
#ifndef EMULATOR_RUNNING_TIME_H
#define EMULATOR_RUNNING_TIME_H

#include "launch.h"

#include <stdint.h>

// A launch begins, and has ended. ran: ns, without the time in which others ran in its place (progress.h).
void running_time_begin(void);
void running_time_end(int64_t ran);

// Tells, if it is time to, of a launch under way; `begun` of its workgroups have begun.
void running_time_tell(int64_t ran, const Launch *launch, uint64_t begun);

#endif
