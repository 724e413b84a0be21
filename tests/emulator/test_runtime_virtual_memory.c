// Virtual memory management: ranges, memory, mappings, access.
#include "runtime_test.h"

#include <sys/resource.h>

enum { CHUNK = 2 << 20 };

static const hipMemAllocationProp pinned = {.type = hipMemAllocationTypePinned,
                                            .location = {hipMemLocationTypeDevice, 0}};
static const hipMemAccessDesc all_access = {{hipMemLocationTypeDevice, 0},
                                            hipMemAccessFlagsProtReadWrite};

static hipMemGenericAllocationHandle_t new_memory(size_t size) {
  hipMemGenericAllocationHandle_t memory = NULL;
  SUCCEEDS(hipMemCreate(&memory, size, &pinned, 0));
  return memory;
}

static char *new_range(size_t size) {
  void *range = NULL;
  SUCCEEDS(hipMemAddressReserve(&range, size, 0, NULL, 0));
  return range;
}

static size_t free_bytes(void) {
  size_t left = 0, all;
  SUCCEEDS(hipMemGetInfo(&left, &all));
  return left;
}

// Loaded once: its managed variables take memory, too.
static hipFunction_t kernel(void) {
  static hipFunction_t function;
  return function ? function : (function = kernel_named("add_one"));
}

static void add_one(int *values, int n) {
  void *arguments[] = {&values, &n};
  SUCCEEDS(launch(kernel(), (n + 63) / 64, 64, 0, arguments));
  SUCCEEDS(hipDeviceSynchronize());
}

// As a vector does that grows in place.
Test(runtime_virtual_memory, chunks_that_follow_each_other_are_one) {
  kernel();
  const size_t before = free_bytes();
  char *range = new_range(4 * CHUNK);
  hipMemGenericAllocationHandle_t first = new_memory(CHUNK), second = new_memory(CHUNK);
  cr_assert(eq(sz, before - free_bytes(), 2 * CHUNK));
  SUCCEEDS(hipMemMap(range, CHUNK, 0, first, 0));
  SUCCEEDS(hipMemMap(range + CHUNK, CHUNK, 0, second, 0));
  GIVES(hipErrorInvalidValue, hipMemset(range, 0, 4)); // nobody may touch it yet
  SUCCEEDS(hipMemSetAccess(range, 2 * CHUNK, &all_access, 1));
  SUCCEEDS(hipMemset(range, 0, 2 * CHUNK));
  int *middle = (int *)(range + CHUNK) - 64, back[128];
  add_one(middle, 128);
  SUCCEEDS(hipMemcpy(back, middle, sizeof back, hipMemcpyDeviceToHost));
  for (int i = 0; i < 128; i++)
    cr_assert(eq(int, back[i], 1));
  SUCCEEDS(hipMemRelease(first));
  SUCCEEDS(hipMemRelease(second));
  GIVES(hipErrorInvalidValue, hipMemAddressFree(range, 4 * CHUNK));
  SUCCEEDS(hipMemUnmap(range, CHUNK));
  GIVES(hipErrorInvalidValue, hipMemset(range, 0, 4));
  SUCCEEDS(hipMemset(range + CHUNK, 0, CHUNK));
  SUCCEEDS(hipMemUnmap(range + CHUNK, CHUNK));
  SUCCEEDS(hipMemAddressFree(range, 4 * CHUNK));
  cr_assert(eq(sz, free_bytes(), before), "released and unmapped");
}

Test(runtime_virtual_memory, memory_shows_at_two_places) {
  char *range = new_range(2 * CHUNK);
  hipMemGenericAllocationHandle_t memory = new_memory(CHUNK), same;
  hipMemAllocationProp properties;
  unsigned long long access = 9;
  int back = 0;
  SUCCEEDS(hipMemMap(range, CHUNK, 0, memory, 0));
  SUCCEEDS(hipMemMap(range + CHUNK, 4096, 4096, memory, 0));
  SUCCEEDS(hipMemGetAccess(&access, &pinned.location, range));
  cr_assert(eq(u64, access, hipMemAccessFlagsProtNone));
  SUCCEEDS(hipMemSetAccess(range, CHUNK + 4096, &all_access, 1));
  SUCCEEDS(hipMemGetAccess(&access, &pinned.location, range));
  cr_assert(eq(u64, access, hipMemAccessFlagsProtReadWrite));
  SUCCEEDS(hipMemset(range + 4096, 1, 4096));
  SUCCEEDS(hipMemset(range + CHUNK, 0, 4096)); // written by the other place alone
  add_one((int *)(range + 4096), 64);
  SUCCEEDS(hipMemcpy(&back, range + CHUNK + 4, sizeof back, hipMemcpyDeviceToHost));
  cr_assert(eq(int, back, 1));
  SUCCEEDS(hipMemRetainAllocationHandle(&same, range + CHUNK));
  cr_assert(eq(ptr, same, memory));
  SUCCEEDS(hipMemGetAllocationPropertiesFromHandle(&properties, same));
  cr_assert(eq(int, properties.location.id, 0));
  SUCCEEDS(hipMemRelease(same));
}

// As ROCm 7 names them: memory of the host, and of the device without a cache.
Test(runtime_virtual_memory, memory_of_other_kinds) {
  enum { OF_HOST = 2, UNCACHED = 0x40000000 };
  kernel();
  const size_t before = free_bytes();
  hipMemAllocationProp of_host = pinned, uncached = pinned;
  hipMemAccessDesc host_access = all_access;
  hipMemGenericAllocationHandle_t memory;
  unsigned long long access = 0;
  int *values = (int *)new_range(2 * CHUNK);
  of_host.location.type = host_access.location.type = (hipMemLocationType)OF_HOST;
  uncached.type = (hipMemAllocationType)UNCACHED;
  SUCCEEDS(hipMemCreate(&memory, CHUNK, &of_host, 0));
  cr_assert(eq(sz, free_bytes(), before), "it is not the device's");
  SUCCEEDS(hipMemMap(values, CHUNK, 0, memory, 0));
  SUCCEEDS(hipMemSetAccess(values, CHUNK, &host_access, 1));
  SUCCEEDS(hipMemGetAccess(&access, &of_host.location, values));
  cr_assert(eq(u64, access, hipMemAccessFlagsProtReadWrite));
  SUCCEEDS(hipMemSetAccess(values, CHUNK, &all_access, 1));
  values[63] = 41;
  add_one(values, 64);
  cr_assert(eq(int, values[63], 42));
  SUCCEEDS(hipMemRelease(memory));
  SUCCEEDS(hipMemCreate(&memory, CHUNK, &uncached, 0));
  cr_assert(eq(sz, before - free_bytes(), CHUNK));
  SUCCEEDS(hipMemMap((char *)values + CHUNK, CHUNK, 0, memory, 0));
  SUCCEEDS(hipMemRelease(memory));
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue, hipMemSetAccess(values, 2 * CHUNK, &host_access, 1));
  SUCCEEDS(hipMemSetAccess(values, CHUNK, &host_access, 1));
  SUCCEEDS(hipMemUnmap(values, 2 * CHUNK));
  cr_assert(eq(sz, free_bytes(), before));
}

Test(runtime_virtual_memory, what_does_not_fit_together) {
  cr_redirect_stderr();
  char *range = new_range(2 * CHUNK);
  void *other;
  size_t step = 0;
  hipMemGenericAllocationHandle_t memory = new_memory(CHUNK), none;
  hipMemAllocationProp host = pinned;
  host.location.id = 7;
  SUCCEEDS(hipMemGetAllocationGranularity(&step, &pinned, hipMemAllocationGranularityMinimum));
  cr_assert(eq(sz, step, 4096));
  GIVES(hipErrorInvalidDevice, hipMemCreate(&none, CHUNK, &host, 0));
  GIVES(hipErrorInvalidValue, hipMemCreate(&none, 100, &pinned, 0));
  GIVES(hipErrorInvalidValue, hipMemAddressReserve(&other, 100, 0, NULL, 0));
  GIVES(hipErrorInvalidValue, hipMemAddressReserve(&other, CHUNK, 3, NULL, 0));
  GIVES(hipErrorInvalidValue, hipMemMap(range, 2 * CHUNK, 0, memory, 0));
  GIVES(hipErrorInvalidValue, hipMemMap(range + 2 * CHUNK, CHUNK, 0, memory, 0));
  SUCCEEDS(hipMemMap(range, CHUNK, 0, memory, 0));
  GIVES(hipErrorInvalidValue, hipMemMap(range, CHUNK, 0, memory, 0));
  GIVES(hipErrorInvalidValue, hipMemSetAccess(range, 2 * CHUNK, &all_access, 1));
  SUCCEEDS(hipMemSetAccess(range, CHUNK, &all_access, 1));
  GIVES(hipErrorInvalidValue, hipMemSetAccess(range, 0, &all_access, 1));
  GIVES(hipErrorInvalidValue, hipMemUnmap(range, 0));
  GIVES(hipErrorInvalidValue, hipMemUnmap(range, 4096));
  GIVES(hipErrorInvalidValue, hipFree(range));
  GIVES(hipErrorInvalidValue, hipMemAddressFree(range, 2 * CHUNK));
  const char *text = said();
  SAYS(text, "are not what hipMemMap mapped, as a whole");
  SAYS(text, "free it with the call that belongs to it");
  SAYS(text, "call hipMemUnmap first");
}

// Each handle is an open file here, of which a shell allows 1024; programs have thousands of handles.
Test(runtime_virtual_memory, handles_are_as_many_as_the_system_allows) {
  enum { MANY = 300, FEW = 64 };
  struct rlimit limit = {.rlim_cur = FEW, .rlim_max = MANY};
  hipMemGenericAllocationHandle_t handle;
  hipError_t error = hipSuccess;
  int made = 0;
  kernel();
  cr_redirect_stderr();
  cr_assert(zero(int, setrlimit(RLIMIT_NOFILE, &limit)));
  while (made < 2 * MANY && error == hipSuccess)
    made += (error = hipMemCreate(&handle, CHUNK, &pinned, 0)) == hipSuccess;
  cr_assert(all(eq(int, error, hipErrorOutOfMemory), lt(int, MANY - FEW, made)));
  SAYS(said(), "raise ulimit -n");
}

Test(runtime_virtual_memory, addresses_that_run_out_are_told) {
  enum { MOST = 64 };
  void *range, *address;
  int *kept = device_allocation(sizeof *kept);
  cr_redirect_stderr();
  for (int i = 0; i < MOST; i++)
    if (hipMemAddressReserve(&range, (size_t)1 << 40, 0, NULL, 0) != hipSuccess)
      break;
  for (size_t size = (size_t)512 << 30; size >= (size_t)512 << 20; size /= 2)
    (void)hipMemAddressReserve(&range, size, 0, NULL, 0);
  GIVES(hipErrorOutOfMemory, hipMalloc(&address, (size_t)1 << 30));
  SAYS(said(), "hipMalloc: no addresses for 1073741824 bytes");
  SUCCEEDS(hipMemset(kept, 0, sizeof *kept));
}
