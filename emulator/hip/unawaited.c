// Launches that nobody waits for: see unawaited.h.
#include "unawaited.h"

#include "device_memory.h"
#include "queue.h"
#include "runtime.h"

#include <stdio.h>
#include <string.h>

static struct {
  char kernel[200];
  uint64_t number; // 0: none
  bool told;
} latest;

static bool is_managed(uint64_t address) {
  device_memory_hold();
  const Allocation *allocation = device_memory_find(address, 1);
  const bool managed = allocation && allocation->kind == MEMORY_MANAGED;
  device_memory_let_go();
  return managed;
}

bool unawaited_concerns(const Launch *launch, uint32_t argument_bytes) {
  bool may_use = launch->kernel->object->has_managed_variable; // any kernel of it may use that
  for (uint32_t at = 0; !may_use && at + sizeof(uint64_t) <= argument_bytes;
       at += sizeof(uint64_t)) {
    uint64_t value;
    memcpy(&value, (const uint8_t *)launch->arguments + at, sizeof value);
    may_use = is_managed(value);
  }
  return may_use;
}

void unawaited_note(const Kernel *kernel, uint64_t number) {
  latest.number = number;
  snprintf(latest.kernel, sizeof latest.kernel, "%s", kernel->name);
}

void unawaited_tell(const char *what) {
  if (latest.told || !latest.number || queue_asked_since(latest.number) ||
      runtime_fault_code() != hipSuccess)
    return;
  latest.told = true;
  fprintf(
      stderr,
      "emulator: note: before %s the program has not waited for kernel %s, which may use "
      "managed memory. If the program has read there what the kernel writes, then too early: a "
      "launch returns before the kernel ends. Call hipDeviceSynchronize() before you read. This "
      "is told once.\n",
      what, latest.kernel);
}
