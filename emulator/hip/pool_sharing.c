// Memory pools that processes of one machine share, by a file descriptor for the pool and 64 bytes for
// each allocation.
//
// In: HIP calls. Out: a descriptor of a file that names process and pool; memory of the other process
// (ipc.h), which any of the calls that free memory lets go of here.
#define _GNU_SOURCE
#include "handle.h"
#include "ipc.h"
#include "pool.h"
#include "runtime.h"
#include "shared_memory.h"

#include <string.h>
#include <unistd.h>

typedef struct {
  char mark[8];
  int32_t process;
} PoolFile;
static const char pool_mark[8] = "hip pool";

// Of those that programs make; a device's own is not shared. NULL if it is none.
static Pool *pool_of(hipMemPool_t pool) {
  return handle_live(HANDLE_POOL, pool) ? (Pool *)pool : NULL;
}

static hipError_t check_type(int type, unsigned flags) {
  if (flags || type == hipMemHandleTypeNone)
    return hipErrorInvalidValue;
  if (type == hipMemHandleTypePosixFileDescriptor)
    return hipSuccess;
  runtime_say("pools are shared by file descriptors: hipMemHandleTypePosixFileDescriptor.");
  return hipErrorNotSupported;
}

static hipError_t share_pool(int *target, hipMemPool_t pool, int type, unsigned flags) {
  PoolFile about = {.process = getpid()};
  memcpy(about.mark, pool_mark, sizeof pool_mark);
  hipError_t error = target ? check_type(type, flags) : hipErrorInvalidValue;
  if (error != hipSuccess)
    return error;
  if (!pool_of(pool) || !(pool_handle_types(pool_of(pool)) & type)) {
    runtime_say("pool %p was not made to be shared: hipMemPoolCreate with handleTypes = "
                "hipMemHandleTypePosixFileDescriptor makes one that is.",
                (void *)pool);
    return hipErrorInvalidValue;
  }
  const int descriptor = shared_memory_new(sizeof about);
  if (descriptor < 0 || pwrite(descriptor, &about, sizeof about, 0) != sizeof about) {
    if (descriptor >= 0)
      close(descriptor);
    return hipErrorOutOfMemory;
  }
  *target = descriptor;
  return hipSuccess;
}

static hipError_t import_pool(hipMemPool_t *target, const void *handle, int type, unsigned flags) {
  PoolFile about;
  hipError_t error = target ? check_type(type, flags) : hipErrorInvalidValue;
  if (error != hipSuccess)
    return error;
  const int descriptor = shared_memory_descriptor(handle);
  if (pread(descriptor, &about, sizeof about, 0) != sizeof about ||
      memcmp(about.mark, pool_mark, sizeof pool_mark) != 0) {
    runtime_say("%d is no file descriptor of a memory pool.", descriptor);
    return hipErrorInvalidValue;
  }
  Pool *pool = pool_import(about.process);
  if (!pool || !handle_add(HANDLE_POOL, pool))
    return hipErrorOutOfMemory;
  *target = (hipMemPool_t)pool;
  return hipSuccess;
}

static hipError_t import_pointer(void **address, hipMemPool_t pool,
                                 const hipMemPoolPtrExportData *data) {
  const int32_t process = pool_of(pool) ? pool_process(pool_of(pool)) : 0;
  if (!address || !data || !process)
    return hipErrorInvalidValue;
  if (ipc_process(data) != process) {
    runtime_say("the pointer is none of process %d, whose pool this is.", process);
    return hipErrorInvalidValue;
  }
  return ipc_show(address, data);
}

hipError_t hipMemPoolExportToShareableHandle(void *handle, hipMemPool_t pool,
                                             hipMemAllocationHandleType type, unsigned flags) {
  SERVE(share_pool(handle, pool, (int)type, flags));
}
hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t *pool, void *handle,
                                               hipMemAllocationHandleType type, unsigned flags) {
  SERVE(import_pool(pool, handle, (int)type, flags));
}
hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData *data, void *address) {
  SERVE_ALONE(ipc_share(data, address));
}
hipError_t hipMemPoolImportPointer(void **address, hipMemPool_t pool,
                                   hipMemPoolPtrExportData *data) {
  SERVE(import_pointer(address, pool, data));
}
