// Threads of the emulator. Their stacks have room for LLVM, however small the program's limit for stacks is. They run on all
// processors that the process had as the library was loaded, take none of the program's signals, and compute as the thread does
// that starts them: begin_call in hip/runtime.c sees to that.
//
// In: what the thread is to do. Out: false if the host has no thread more.
#ifndef EMULATOR_OWN_THREAD_H
#define EMULATOR_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>

bool own_thread_start(pthread_t *thread, void *(*function)(void *), void *argument);

// Threads of this process that are not the emulator's; 0: nobody knows.
int own_thread_others(void);

// The calling thread, if it is not the emulator's, has asked the device for something. How many such threads there are.
void own_thread_asks(void);
int own_thread_asking(void);

#endif
