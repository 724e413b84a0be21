// Workgroups under way: memory for their waves and LDS, the state they begin in, and their turns on
// a host thread.
//
// In: the plan of a launch, the same for all of its workgroups. Out: a workgroup that has run until
// it is done or may be waiting for others.
#ifndef EMULATOR_WORKGROUP_H
#define EMULATOR_WORKGROUP_H

#include "wavefront.h"

// What all workgroups of a launch have in common.
typedef struct {
  const Launch *launch;
  uint32_t waves_per_group, lds_bytes; // LDS in granules
  uint64_t scratch_bytes;              // per wave
  uint64_t packet,
      queue;   // device-visible addresses of the dispatch packet and of a stand-in for the queue
  bool traced; // the memory model wants to know
} LaunchPlan;

// Fills the plan and writes the dispatch packet. False if the host has no memory.
bool launch_plan(LaunchPlan *plan, const Launch *launch);

// Memory for one workgroup. NULL if the host has none.
Workgroup *workgroup_allocate(const LaunchPlan *plan);
void workgroup_free(Workgroup *group);

// Puts the workgroup of this index at its beginning, to run on this thread.
void workgroup_start(const LaunchPlan *plan, HostThread *thread, Workgroup *group, uint64_t index);

// Sets up one wave's registers as the ABI demands; part of workgroup_start.
void wave_start(const LaunchPlan *plan, HostThread *thread, Workgroup *group, uint32_t number);

typedef enum { GROUP_DONE, GROUP_PARKED, GROUP_FAULTED } GroupState;

// Gives every wave one turn, releasing barriers as they fill (a wave that ended counts as arrived),
// until all waves are done or some still run after their turn: these may be waiting for others, so
// the workgroup is parked. A fault is in thread->fault.
GroupState workgroup_run(HostThread *thread, Workgroup *group);

#endif
