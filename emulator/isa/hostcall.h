// printf(), assert(), malloc() and free() of kernels: the device side asks the host for a service
// through a hostcall buffer.
//
// In: a kernel that has written a request and sends MSG_INTERRUPT. Out: the text on stdout, memory
// allocated or freed, the answer in the buffer.
#ifndef EMULATOR_HOSTCALL_H
#define EMULATOR_HOSTCALL_H

#include <stdbool.h>
#include <stdint.h>

// Address of the device's hostcall buffer (created on first use), for hidden_hostcall_buffer.
void *hostcall_buffer(void);

// A buffer of 0 bytes behind two dwords: what is used, and what there is.
void *hostcall_full_buffer(void);

// Serves every request that waits in the buffer. Called when a wave sends MSG_INTERRUPT, on that
// wave's thread; memory may be gone afterwards.
void hostcall_serve(void);

// The heap of device-side malloc(), which all kernels share; NULL if the host has no memory.
void *hostcall_heap(void);

// Around fork(), in both processes: no request is under way. First of all locks but that of calls.
void hostcall_before_fork(void);
void hostcall_after_fork(void);

// Whether the address lies in the buffer or that heap, which only functions of the device library know.
bool hostcall_has(uint64_t address);

#endif
