// Threads of the host that wait between two tasks: a program may launch a hundred thousand short kernels, and to start a
// thread anew for each takes as long as the kernel.
//
// In: functions to be called, one for each number at a time. Out: they ran on threads of their own, which sleep meanwhile and
// are never ended. The caller sees to it that no two threads are in here at once.
#ifndef EMULATOR_PARKED_THREADS_H
#define EMULATOR_PARKED_THREADS_H

#include <stdbool.h>
#include <stdint.h>

enum { PARKED_THREADS = 64 };

// Begins function(argument) on the thread of this number, less than PARKED_THREADS. False if it is at another function, of a
// launch that has stepped aside, or if the host gives no thread: then nothing runs.
bool parked_thread_start(uint32_t number, void *(*function)(void *), void *argument);

// Waits until that is over.
void parked_thread_join(uint32_t number);

#endif
