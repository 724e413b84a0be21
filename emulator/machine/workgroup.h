// Workgroups under way: memory for their waves and LDS, the state they begin in, and their turns on
// a host thread.
//
// In: the launch, the same for all of its workgroups. Out: a workgroup that has run until
// it is done or may be waiting for others.
#ifndef EMULATOR_WORKGROUP_H
#define EMULATOR_WORKGROUP_H

#include "wavefront.h"

// Memory for one workgroup. NULL if the host has none.
Workgroup *workgroup_allocate(const Launch *launch);
void workgroup_free(Workgroup *group);

// Frees it later, if no launch has a use for it before. Not of a launch that was traced.
void workgroup_keep(Workgroup *group);

// The three ids of the workgroup of this index.
void workgroup_id(const Launch *launch, uint64_t index, uint32_t *id);

// Puts the workgroup of this index at its beginning, to run on this thread.
void workgroup_start(const Launch *launch, HostThread *thread, Workgroup *group, uint64_t index);

typedef enum { GROUP_DONE, GROUP_PARKED, GROUP_FAULTED } GroupState;

// Gives every wave one turn, releasing barriers as they fill (a wave that ended counts as arrived),
// until all waves are done or some still run after their turn: these may be waiting for others, so
// the workgroup is parked. A fault is in thread->fault.
GroupState workgroup_run(HostThread *thread, Workgroup *group);

// Instructions of all its waves so far.
uint64_t workgroup_issued(const Workgroup *group);

#endif
