// Device memory that another process shows at an address of its own (ipc.c), for pools that are shared.
//
// In: memory of hipMalloc; 64 bytes that name it, from anywhere on this machine. Out: the bytes; the
// memory. Both say what they refuse.
#ifndef EMULATOR_IPC_H
#define EMULATOR_IPC_H

#include <hip/hip_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

enum { IPC_BYTES = 64 };
hipError_t ipc_share(void *named, const void *address);
int32_t ipc_process(const void *named); // that shares it
// Also this process's own.
hipError_t ipc_show(void **address, const void *named);
// Ends what ipc_show began; false if the address is none of these.
bool ipc_hide(const void *address);

#endif
