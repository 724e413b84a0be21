// Threads of the emulator. They take nothing over from the program's thread that starts them: they round as a new process does,
// with denormals and without traps (-ffast-math, fesetround and feenableexcept set that for threads to come, too), and their stacks
// have room for LLVM, however small the program's limit for stacks is.
//
// In: what the thread is to do. Out: false if the host has no thread more.
#ifndef EMULATOR_OWN_THREAD_H
#define EMULATOR_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>

bool own_thread_start(pthread_t *thread, void *(*function)(void *), void *argument);

#endif
