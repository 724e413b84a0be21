// Memory and events that processes of one machine share.
//
// In: HIP calls; a handle, which the program hands to another process, names that process's open
// file. Out: the same pages in both, as long as the process which shares them lives and does not
// free them. Codes: hipamd hip_memory.cpp (hipIpc*), hip_event_ipc.cpp.
#define _GNU_SOURCE
#include "ipc.h"
#include "defined_memory.h"
#include "device_memory.h"
#include "devices.h"
#include "event_object.h"
#include "handle.h"
#include "program_abi.h"
#include "runtime.h"
#include "shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  char mark[8];
  int32_t process, descriptor;
  uint64_t file, size, offset; // number of the file; bytes
} Shared;
_Static_assert(sizeof(Shared) <= HIP_IPC_HANDLE_SIZE && HIP_IPC_HANDLE_SIZE == IPC_BYTES,
               "a handle holds it");

static const char memory_mark[8] = "hip mem", counts_mark[8] = "hip evt";

static uint64_t pages(uint64_t size) {
  return (size + SHARED_PAGE - 1) / SHARED_PAGE * SHARED_PAGE;
}

static uint64_t number_of(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

// The handle is filled in full: programs compare them.
static void name_file(void *handle, const char *mark, int descriptor, uint64_t size,
                      uint64_t offset) {
  Shared shared = {.process = getpid(),
                   .descriptor = descriptor,
                   .file = number_of(descriptor),
                   .size = size,
                   .offset = offset};
  memcpy(shared.mark, mark, sizeof shared.mark);
  memset(handle, 0, HIP_IPC_HANDLE_SIZE);
  memcpy(handle, &shared, sizeof shared);
}

// The file of another process that the handle names; -1 after a sentence.
static int open_file(const Shared *shared) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", shared->process, shared->descriptor);
  int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor >= 0 && number_of(descriptor) == shared->file)
    return descriptor;
  runtime_say("process %d does not share this any more%s%s.", shared->process,
              descriptor < 0 ? ": " : "", descriptor < 0 ? strerror(errno) : "");
  if (descriptor >= 0)
    close(descriptor);
  return -1;
}

static hipError_t check(const Shared *shared, const char *mark) {
  if (memcmp(shared->mark, mark, sizeof shared->mark) != 0)
    return hipErrorInvalidValue;
  if (shared->process != getpid())
    return hipSuccess;
  runtime_say("the handle is this process's own; use what it was made of.");
  return hipErrorInvalidContext;
}

// ---- memory ----

// Allocations whose pages stand in a file, and those of other processes.
typedef struct Pages {
  struct Pages *next;
  uint64_t address, size;
  int descriptor;  // of an own allocation
  uint64_t file;   // of another process's
  unsigned opened; // how often
  bool pooled;     // by ipc_show
} Pages;

static Pages *given, *taken;

// Freed allocations need their files no more.
static void close_freed(void) {
  for (Pages **link = &given; *link;) {
    Pages *p = *link;
    if (device_memory_find(p->address, 1)) {
      link = &p->next;
      continue;
    }
    *link = p->next;
    close(p->descriptor);
    free(p);
  }
}

static bool write_all(int descriptor, uint64_t address, uint64_t size) {
  for (uint64_t done = 0; done < size;) {
    const ssize_t now =
        pwrite(descriptor, (const void *)(address + done), size - done, (off_t)done);
    if (now <= 0)
      return false;
    done += (uint64_t)now;
  }
  return true;
}

// The same bytes at the same address, but in a file. The allocation stays as it is where that
// fails.
static Pages *move_to_file(const Allocation *allocation) {
  for (Pages *p = given; p; p = p->next)
    if (p->address == allocation->address)
      return p;
  const uint64_t size = pages(allocation->size);
  const int descriptor = shared_memory_new(size);
  Pages *made = descriptor < 0 ? NULL : malloc(sizeof *made);
  if (!made || !write_all(descriptor, allocation->address, allocation->size) ||
      !shared_memory_show(descriptor, 0, allocation->address, size)) {
    if (descriptor >= 0)
      close(descriptor);
    free(made);
    return NULL;
  }
  device_memory_export((void *)allocation->address);
  defined_memory_written((void *)allocation->address, allocation->size); // others may write it
  *made = (Pages){
      .next = given, .address = allocation->address, .size = size, .descriptor = descriptor};
  return given = made;
}

hipError_t ipc_share(void *named, const void *address) {
  if (!named || !address)
    return hipErrorInvalidValue;
  close_freed();
  const Allocation *allocation = device_memory_find((uint64_t)address, 1);
  if (!allocation || allocation->kind != MEMORY_DEVICE || allocation->registered) {
    runtime_say("%p is no memory of hipMalloc; only such memory is shared.", address);
    return program_abi() >= 6 ? hipErrorInvalidValue : hipErrorInvalidDevicePointer;
  }
  const Pages *shared = move_to_file(allocation);
  if (!shared)
    return hipErrorOutOfMemory;
  name_file(named, memory_mark, shared->descriptor, allocation->size,
            (uint64_t)address - allocation->address);
  return hipSuccess;
}

static Pages *show_pages(const Shared *shared) {
  const uint64_t size = pages(shared->size);
  void *address;
  const int descriptor = open_file(shared);
  Pages *made = descriptor < 0 ? NULL : malloc(sizeof *made);
  bool shown = made && device_memory_reserve(size, 0, &address) == MEMORY_OK &&
               shared_memory_show(descriptor, 0, (uint64_t)address, size) &&
               device_memory_place(address, shared->size, MEMORY_DEVICE, device_current());
  if (descriptor >= 0)
    close(descriptor);
  if (!shown) {
    free(made);
    return NULL;
  }
  device_memory_export(address);
  defined_memory_written(address, size); // who shares it knows what is in it
  *made = (Pages){taken, (uint64_t)address, size, -1, shared->file, 0, false};
  return taken = made;
}

static hipError_t open_pages(void **address, const Shared *shared, bool pooled) {
  Pages *p = taken;
  while (p && (p->file != shared->file || p->pooled != pooled))
    p = p->next;
  if (!p)
    p = show_pages(shared);
  if (!p)
    return hipErrorInvalidDevicePointer;
  p->pooled = pooled;
  p->opened++;
  *address = (void *)(p->address + shared->offset);
  return hipSuccess;
}

static hipError_t open_memory(void **address, const hipIpcMemHandle_t *handle, unsigned flags) {
  Shared shared;
  memcpy(&shared, handle, sizeof shared);
  if (!address || flags > 1 || !shared.size || shared.offset >= shared.size)
    return hipErrorInvalidValue;
  hipError_t error = check(&shared, memory_mark);
  return error == hipSuccess ? open_pages(address, &shared, false) : error;
}

int32_t ipc_process(const void *named) {
  Shared shared;
  memcpy(&shared, named, sizeof shared);
  return memcmp(shared.mark, memory_mark, sizeof shared.mark) == 0 ? shared.process : 0;
}

hipError_t ipc_show(void **address, const void *named) {
  Shared shared;
  memcpy(&shared, named, sizeof shared);
  return ipc_process(named) && shared.size && shared.offset < shared.size
             ? open_pages(address, &shared, true)
             : hipErrorInvalidValue;
}

static bool close_pages(const void *address, bool pooled) {
  for (Pages **link = &taken; *link; link = &(*link)->next) {
    Pages *p = *link;
    if ((uint64_t)address - p->address >= p->size || p->pooled != pooled)
      continue;
    if (--p->opened)
      return true;
    *link = p->next;
    device_memory_free((void *)p->address, MEMORY_DEVICE);
    shared_memory_hide(p->address, p->size);
    free(p);
    return true;
  }
  return false;
}

bool ipc_hide(const void *address) { return close_pages(address, true); }

static hipError_t close_memory(const void *address) {
  if (close_pages(address, false))
    return hipSuccess;
  runtime_say("%p is not open here.", address);
  return hipErrorInvalidValue;
}

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *address) {
  SERVE_ALONE(ipc_share(handle, address));
}
hipError_t hipIpcOpenMemHandle(void **address, hipIpcMemHandle_t handle, unsigned flags) {
  SERVE(open_memory(address, &handle, flags));
}
hipError_t hipIpcCloseMemHandle(void *address) { SERVE_ALONE(close_memory(address)); }

// ---- events ----

// The counts stand alone in a page that nothing else has and that lasts as long as the process.
static SharedCounts *show_counts(int descriptor) {
  void *page;
  return device_memory_reserve(SHARED_PAGE, 0, &page) == MEMORY_OK &&
                 shared_memory_show(descriptor, 0, (uint64_t)page, SHARED_PAGE)
             ? page
             : NULL;
}

static hipError_t share_event(hipIpcEventHandle_t *handle, hipEvent_t event) {
  const unsigned needed = hipEventInterprocess | hipEventDisableTiming;
  Event *object = (Event *)event;
  if (!handle || !handle_live(HANDLE_EVENT, event))
    return hipErrorInvalidValue;
  if ((object->flags & needed) != needed) {
    runtime_say("only events made with hipEventInterprocess | hipEventDisableTiming are shared.");
    return hipErrorInvalidConfiguration;
  }
  if (!object->shared) {
    object->descriptor = shared_memory_new(SHARED_PAGE);
    object->shared = object->descriptor < 0 ? NULL : show_counts(object->descriptor);
  }
  if (!object->shared)
    return hipErrorOutOfMemory;
  name_file(handle, counts_mark, object->descriptor, SHARED_PAGE, 0);
  return hipSuccess;
}

static hipError_t join_counts(Event *event, const Shared *shared) {
  hipError_t error = check(shared, counts_mark);
  if (error != hipSuccess)
    return error;
  const int descriptor = open_file(shared);
  if (descriptor < 0)
    return hipErrorInvalidHandle;
  event->shared = show_counts(descriptor);
  event->descriptor = -1;
  close(descriptor);
  return event->shared ? hipSuccess : hipErrorOutOfMemory;
}

// As in ROCm there is an event even where the handle is refused, which the program destroys.
static hipError_t open_event(hipEvent_t *target, const hipIpcEventHandle_t *handle) {
  Shared shared;
  memcpy(&shared, handle, sizeof shared);
  if (!target)
    return hipErrorInvalidValue;
  Event *event = event_make(hipEventInterprocess | hipEventDisableTiming);
  if (!event)
    return hipErrorOutOfMemory;
  *target = (hipEvent_t)event;
  return join_counts(event, &shared);
}

hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *handle, hipEvent_t event) {
  SERVE_AFTER(queue_wait_all(), share_event(handle, event));
}
hipError_t hipIpcOpenEventHandle(hipEvent_t *event, hipIpcEventHandle_t handle) {
  SERVE(open_event(event, &handle));
}
