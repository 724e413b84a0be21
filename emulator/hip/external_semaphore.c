// Waiting for semaphores of other interfaces, and raising them: nobody can import one.
//
// In: HIP calls. Out: what hipamd hip_memory.cpp says to arguments that are missing; else a refusal.
#define _GNU_SOURCE
#include "runtime.h"

static hipError_t refuse(const void *semaphores, const void *parameters) {
  if (!semaphores || !parameters)
    return hipErrorInvalidValue;
  runtime_say("the emulated device has no external semaphores (hipImportExternalSemaphore): order "
              "work by events and streams.");
  return hipErrorNotSupported;
}

hipError_t hipSignalExternalSemaphoresAsync(const hipExternalSemaphore_t *semaphores,
                                            const hipExternalSemaphoreSignalParams *parameters,
                                            unsigned count, hipStream_t stream) {
  (void)count, (void)stream;
  SERVE(refuse(semaphores, parameters));
}
hipError_t hipWaitExternalSemaphoresAsync(const hipExternalSemaphore_t *semaphores,
                                          const hipExternalSemaphoreWaitParams *parameters,
                                          unsigned count, hipStream_t stream) {
  (void)count, (void)stream;
  SERVE(refuse(semaphores, parameters));
}
