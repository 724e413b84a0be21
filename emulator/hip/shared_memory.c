// Shared memory: see shared_memory.h.
#define _GNU_SOURCE
#include "shared_memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// Whether a process may have more files open than it could.
static bool raise_limit_of_files(void) {
  struct rlimit limit;
  if (errno != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
    return false;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

int shared_memory_new(uint64_t size) {
  int descriptor = memfd_create("device memory", MFD_CLOEXEC);
  if (descriptor < 0 && raise_limit_of_files())
    descriptor = memfd_create("device memory", MFD_CLOEXEC);
  if (descriptor >= 0 && ftruncate(descriptor, (off_t)size) != 0) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

int shared_memory_descriptor(const void *handle) {
  enum { FIRST_ADDRESS = 1 << 16 }; // of a page that Linux gives out
  return (uintptr_t)handle < FIRST_ADDRESS ? (int)(uintptr_t)handle : *(const int *)handle;
}

bool shared_memory_show(int descriptor, uint64_t offset, uint64_t address, uint64_t size) {
  return mmap((void *)address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor,
              (off_t)offset) != MAP_FAILED;
}

void shared_memory_hide(uint64_t address, uint64_t size) {
  mmap((void *)address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
       -1, 0);
}
