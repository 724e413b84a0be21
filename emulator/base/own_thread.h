// Threads of the emulator. Their stacks have room for LLVM, however small the program's limit for stacks is, which
// pthread_create would take.
//
// In: what the thread is to do. Out: false if the host has no thread more.
#ifndef EMULATOR_OWN_THREAD_H
#define EMULATOR_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>

bool own_thread_start(pthread_t *thread, void *(*function)(void *), void *argument);

#endif
