// Memory pools as those see them who share them: which may be, and which came from another process.
//
// In: pools of hipMemPoolCreate. Out: what allocation.c knows of them; pools of other processes.
#ifndef EMULATOR_POOL_H
#define EMULATOR_POOL_H

#include <hip/hip_runtime_api.h>
#include <stdint.h>

// hipMemAllocationHandleType: how it may be shared; of no live pool hipMemHandleTypeNone.
int pool_handle_types(hipMemPool_t pool);
// The process that a live pool was imported from, or 0.
int32_t pool_process(hipMemPool_t pool);
// NULL without memory for it.
hipMemPool_t pool_import(int32_t process);

#endif
