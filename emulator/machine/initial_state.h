// The state a launch and its waves begin in: dispatch packet, scalar and vector registers, scratch.
//
// In: a launch and a workgroup's ids. Out: a wave at the kernel's first instruction.
#ifndef EMULATOR_INITIAL_STATE_H
#define EMULATOR_INITIAL_STATE_H

#include "code_object.h"
#include "wavefront.h"

// Writes the dispatch packet and a zeroed stand-in for the queue where the device can read them.
// False if the host has no memory.
bool packet_write(Launch *launch);
void packet_give_back(const Launch *launch); // the launch has ended

// Where a kernel finds what it is told: the first scalar register of the address of its arguments and of the dispatch packet,
// and those of its workgroup's ids. -1: it is not told.
typedef struct {
  int kernarg, packet, id[3];
} ScalarPlaces;
ScalarPlaces initial_scalar_places(const Kernel *kernel);

// Looks up what is the same for all waves of the launch. Its program must be open.
void initial_state_plan(Launch *launch);

// Sets up the registers of the workgroup's wave of this number as the ABI demands. The launch
// was planned.
void wave_start(const Launch *launch, HostThread *thread, Workgroup *group, uint32_t number,
                Wavefront *w);

#endif
