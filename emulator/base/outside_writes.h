// Copies and fills, which may be made beside a kernel that runs: a launch that is to repeat another must know of them.
//
// In: when one begins and ends. Out: whether there was any meanwhile; none, while that is asked for.
#ifndef EMULATOR_OUTSIDE_WRITES_H
#define EMULATOR_OUTSIDE_WRITES_H

#include <stdint.h>

void outside_write_begin(void);
void outside_write_end(void);

// Another number after each of them; 0 while one is under way.
uint64_t outside_writes(void);

// Between these two none is made: those that begin wait.
void outside_writes_stop(void);
void outside_writes_go_on(void);
// Returns once none is kept from being made: for threads of the program that are about to leave a call.
void outside_writes_await(void);

void outside_writes_after_fork(void); // nobody stops them

#endif
