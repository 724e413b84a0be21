// The instruction loop of one wavefront: machine code where blocks were translated, the interpreter
// elsewhere.
#ifndef EMULATOR_RUN_H
#define EMULATOR_RUN_H

#include "wavefront.h"

// Runs until the wave ends, waits at a barrier, sleeps, or has issued `slice` instructions; beyond
// the launch's budget it faults.
void wavefront_run(Wavefront *w, uint64_t slice);

// Runs at least so many instructions and on to the next jump that is taken, where both engines can
// stop.
void wavefront_run_to_jump(Wavefront *w, uint64_t least);

// Gives each instruction of the blocks that ran its share in the profile, which until then has them
// with the block's first.
void profile_share_blocks(const Program *program, InstructionProfile *profile);

#endif
