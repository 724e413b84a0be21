// Memory of the program that is not there, or not to be written, when the device comes to it: freed while it was registered,
// unmapped or protected, or behind the end of a mapped file. Without this the process would end without a word.
//
// In: what may be accessed, and where to go on if it cannot. Out: a longjmp from the access, with MISSING_MEMORY. What is not watched
// goes to the handler of SIGSEGV or SIGBUS that the program has set before.
#ifndef EMULATOR_MISSING_MEMORY_H
#define EMULATOR_MISSING_MEMORY_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

enum { MISSING_MEMORY = 2 }; // what setjmp returns then

// Whether an address that cannot be accessed is memory of the program; else it is a defect of the emulator. Called by a handler of
// signals.
typedef bool MissingMemoryTest(uint64_t address, const void *data);

// Around a launch or a copy, in as many threads as there are: outside of all of them signals have the program's handlers alone.
void missing_memory_begin(void);
void missing_memory_end(void);

// Whether the program has a handler of SIGSEGV, which may open what it has closed.
bool missing_memory_has_handler(void);

// In a process that fork() made: nothing is under way there.
void missing_memory_after_fork(void);

// Of this thread, until missing_memory_unwatch or the longjmp. by_host: ROCm has the host do that. Then a handler of the program is
// asked first, as garbage collectors have them that protect memory to learn of its use.
void missing_memory_watch(jmp_buf *way_out, MissingMemoryTest *is_programs, const void *data,
                          bool by_host);
void missing_memory_unwatch(void);

// Does that with the data, of which is_programs is asked, and nothing else. False if memory was not there: missing_memory_address.
bool missing_memory_reach(void (*access)(void *data), MissingMemoryTest *is_programs, void *data,
                          bool by_host);

// That the last longjmp of this thread was for.
uint64_t missing_memory_address(void);

#endif
