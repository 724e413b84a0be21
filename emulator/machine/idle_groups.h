// Workgroups that end without having done anything: programs launch more than they need, some a thousand times more, and
// each wave begins by finding out that its work-items lie behind the end.
//
// In: a launch that was planned. Out: from which workgroup on, along each axis, none does anything: the kernel's first
// instructions, executed once for all of them with ranges of values, lead to its end whatever the values in them are. And these
// instructions, which are counted and not executed.
#ifndef EMULATOR_IDLE_GROUPS_H
#define EMULATOR_IDLE_GROUPS_H

#include "wavefront.h"

enum { IDLE_STEPS = 128 }; // instructions, at most

typedef struct {
  uint32_t
      from; // workgroups with this id or a higher one do nothing; the grid's extent: there are none
  uint32_t steps;
  const Instruction *step[IDLE_STEPS];
} IdleAxis;

typedef struct {
  bool any;
  IdleAxis axis[3];
} IdleGroups;

void idle_groups_find(const Launch *launch, IdleGroups *idle);

// How many workgroups do nothing from the one with these ids on, in the order of their index, 0: not even that one does
// nothing; and by which axis.
uint64_t idle_groups_from(const IdleGroups *idle, const Launch *launch, const uint32_t *id,
                          int *axis);

// Adds what so many workgroups, each whole, would have executed.
void idle_groups_count(const IdleAxis *axis, const Launch *launch, uint64_t groups,
                       InstructionProfile *profile);

#endif
