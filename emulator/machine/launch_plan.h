// What follows from what a launch asks for, on this device.
#ifndef EMULATOR_LAUNCH_PLAN_H
#define EMULATOR_LAUNCH_PLAN_H

#include "launch.h"

// Fills the second part of the launch. Its block has 1 to DEVICE_MAX_WORKGROUP_SIZE work-items.
// workgroups_per_cu is 0, and the bytes of LDS are not to be used, if a workgroup can never fit.
void launch_plan(Launch *launch);

#endif
