// Brings the traces of a launch to the memory model in the order of its workgroups, whichever host
// threads ran them, and the model's results to the counters.
#ifndef EMULATOR_MODELLED_LAUNCH_H
#define EMULATOR_MODELLED_LAUNCH_H

#include "model.h"
#include "wavefront.h"

typedef struct ModelledLaunch ModelledLaunch;

// *modelled stays NULL if the launch is not to be modelled. False, with fault filled, if the host has no
// memory.
bool modelled_launch_begin(const Launch *launch, ModelledLaunch **modelled, Fault *fault);

// Takes a copy of a finished workgroup's traces. Replays what is ready if it is worth it and no other
// thread does; a thread far ahead of the replay waits for it. Any thread may call it.
void modelled_launch_deposit(ModelledLaunch *modelled, const Workgroup *group);

// For a thread that does nothing but replay what is ready, until it is told to stop: where one thread
// alone runs workgroups, it goes on meanwhile.
void *modelled_launch_feed(void *modelled);
void modelled_launch_stop_feeding(ModelledLaunch *modelled);
bool modelled_launch_worth_a_thread(const ModelledLaunch *modelled);

// Replays the rest, adds counters and time, and fills traffic by Instruction.id (program_slots
// entries, or NULL). A trace that was too long to keep leaves counters->modelled false.
void modelled_launch_end(ModelledLaunch *modelled, const Kernel *kernel, Counters *counters,
                         InstructionTraffic *traffic);
// The same for a result that stands alone, without traffic.
void modelled_launch_counters(const ModelResult *result, Counters *counters);
// Frees all without results.
void modelled_launch_abandon(ModelledLaunch *modelled);

#endif
