// Loops that add to a float in memory by compare-and-swap, as atomicAdd() of floats has them on gfx90a: of all lanes that meet
// at a place one gets through in a round, and the others try again. All rounds are made at once here.
//
// In: a block that leads to itself; the wave that comes to it. Out: registers, memory and counts as if each round had been
// executed. Waves do so one after the other (group_order.h), so nobody sees memory between two rounds.
#ifndef EMULATOR_CAS_LOOP_H
#define EMULATOR_CAS_LOOP_H

#include "instruction.h"

typedef struct CasLoop CasLoop;

// What is known of the block of so many instructions; NULL if it is no such loop, or the host has no memory. free() frees it.
CasLoop *cas_loop_of(const Instruction *first, uint32_t count);

// Makes all rounds, which may issue no more instructions than until w->issued is `until`. False if nothing was done: somebody wants
// to know what each round costs, or the host program shares the memory.
bool cas_loop_run(Wavefront *w, const CasLoop *loop, uint64_t until);

#endif
