// Memory pools: allocation in the order of streams, what is had again, what is counted.
#include "runtime_test.h"

enum { BIG = 1 << 20, SMALL = 4096 };

static hipMemPool_t new_pool(void) {
  hipMemPool_t pool = NULL;
  const hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned,
                                      .location = {hipMemLocationTypeDevice, 0}};
  SUCCEEDS(hipMemPoolCreate(&pool, &properties));
  return pool;
}

static hipStream_t new_stream(void) {
  hipStream_t stream = NULL;
  SUCCEEDS(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  return stream;
}

static void *take(hipMemPool_t pool, size_t size, hipStream_t stream) {
  void *address = NULL;
  SUCCEEDS(hipMallocFromPoolAsync(&address, size, pool, stream));
  return address;
}

static uint64_t count(hipMemPool_t pool, hipMemPoolAttr attribute) {
  uint64_t value = 77;
  SUCCEEDS(hipMemPoolGetAttribute(pool, attribute, &value));
  return value;
}

static void set(hipMemPool_t pool, hipMemPoolAttr attribute, int value) {
  SUCCEEDS(hipMemPoolSetAttribute(pool, attribute, &value));
}

// What the stream is asked for from now on waits until the flag is 1.
static uint32_t *hold(hipStream_t stream) {
  uint32_t *flag = NULL;
  SUCCEEDS(hipHostMalloc((void **)&flag, sizeof *flag, 0));
  *flag = 0;
  SUCCEEDS(hipStreamWaitValue32(stream, flag, 1, hipStreamWaitValueEq, UINT32_MAX));
  return flag;
}

static void release(uint32_t *flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }

Test(runtime_pools, a_free_does_not_wait_for_the_device, .timeout = 60) {
  hipMemPool_t pool = new_pool();
  hipStream_t stream = new_stream();
  char *memory = take(pool, BIG, stream), *back;
  SUCCEEDS(hipHostMalloc((void **)&back, 1, 0));
  uint32_t *flag = hold(stream);
  SUCCEEDS(hipMemsetAsync(memory, 5, BIG, stream));
  SUCCEEDS(hipMemcpyAsync(back, memory + 9, 1, hipMemcpyDeviceToHost, stream));
  SUCCEEDS(hipFreeAsync(memory, stream));
  GIVES(hipErrorNotReady, hipStreamQuery(stream));
  release(flag);
  SUCCEEDS(hipStreamSynchronize(stream));
  cr_assert(eq(chr, *back, 5));
}

Test(runtime_pools, memory_given_back_is_no_memory_of_the_program) {
  hipStream_t stream = new_stream();
  char *memory = take(new_pool(), SMALL, stream);
  cr_redirect_stderr();
  SUCCEEDS(hipFreeAsync(memory, stream));
  GIVES(hipErrorInvalidValue, hipMemset(memory, 0, SMALL));
  GIVES(hipErrorInvalidValue, hipFreeAsync(memory, stream));
  SAYS(said(), "was freed");
}

Test(runtime_pools, a_stream_has_again_what_it_gave_back, .timeout = 60) {
  hipMemPool_t pool = new_pool();
  hipStream_t stream = new_stream(), other = new_stream();
  void *memory = take(pool, BIG, stream);
  uint32_t *flag = hold(stream);
  SUCCEEDS(hipFreeAsync(memory, stream));
  cr_assert(ne(ptr, take(pool, BIG, other), memory));
  cr_assert(ne(ptr, take(pool, BIG + 1, stream), memory));
  cr_assert(eq(ptr, take(pool, BIG, stream), memory));
  release(flag);
  SUCCEEDS(hipStreamSynchronize(stream));
  SUCCEEDS(hipMemset(memory, 1, BIG)); // the free that came before is over
}

// Though the free that came last is reached: the first one still names the memory.
Test(runtime_pools, memory_stays_there_until_all_its_frees_are_reached, .timeout = 60) {
  hipMemPool_t pool = new_pool();
  hipStream_t stream = new_stream(), other = new_stream();
  void *memory = take(pool, BIG, stream);
  uint32_t *flag = hold(stream);
  SUCCEEDS(hipFreeAsync(memory, stream));
  cr_assert(eq(ptr, take(pool, BIG, stream), memory));
  SUCCEEDS(hipFreeAsync(memory, other));
  SUCCEEDS(hipMemPoolTrimTo(pool, 0));
  cr_assert(eq(u64, count(pool, hipMemPoolAttrReservedMemCurrent), BIG));
  release(flag);
  SUCCEEDS(hipStreamSynchronize(stream));
  SUCCEEDS(hipMemPoolTrimTo(pool, 0));
  cr_assert(zero(u64, count(pool, hipMemPoolAttrReservedMemCurrent)));
}

Test(runtime_pools, other_streams_have_it_after_the_free_if_the_pool_may) {
  hipMemPool_t pool = new_pool();
  hipStream_t stream = new_stream(), other = new_stream();
  void *memory = take(pool, BIG, stream);
  set(pool, hipMemPoolReuseAllowOpportunistic, 0);
  SUCCEEDS(hipFreeAsync(memory, stream));
  SUCCEEDS(hipStreamSynchronize(stream));
  uint64_t much = UINT64_MAX;
  SUCCEEDS(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &much));
  cr_assert(ne(ptr, take(pool, BIG, other), memory));
  set(pool, hipMemPoolReuseAllowOpportunistic, 1);
  cr_assert(eq(ptr, take(pool, BIG, other), memory));
}

Test(runtime_pools, counts_follow_what_is_taken_and_given_back) {
  hipMemPool_t pool = new_pool();
  hipStream_t stream = new_stream();
  uint64_t threshold = 2 * BIG, anew = 0, wrong = 5;
  SUCCEEDS(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
  void *big = take(pool, BIG, stream), *small = take(pool, SMALL, stream);
  SUCCEEDS(hipFreeAsync(big, stream));
  SUCCEEDS(hipStreamSynchronize(stream));
  cr_assert(eq(u64, count(pool, hipMemPoolAttrUsedMemCurrent), SMALL));
  cr_assert(eq(u64, count(pool, hipMemPoolAttrUsedMemHigh), BIG + SMALL));
  cr_assert(eq(u64, count(pool, hipMemPoolAttrReservedMemCurrent), BIG + SMALL));
  SUCCEEDS(hipMemPoolTrimTo(pool, SMALL));
  cr_assert(eq(u64, count(pool, hipMemPoolAttrReservedMemCurrent), SMALL));
  cr_assert(eq(u64, count(pool, hipMemPoolAttrReservedMemHigh), BIG + SMALL));
  SUCCEEDS(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &anew));
  cr_assert(eq(u64, count(pool, hipMemPoolAttrUsedMemHigh), SMALL));
  GIVES(hipErrorInvalidValue, hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &wrong));
  SUCCEEDS(hipMemPoolDestroy(pool)); // what was taken stays the program's
  SUCCEEDS(hipMemset(small, 0, SMALL));
  SUCCEEDS(hipFree(small));
}

// What the pool does not want to keep, the end of the work has given back to the device.
Test(runtime_pools, what_is_not_kept_is_not_counted) {
  hipMemPool_t pool = new_pool();
  uint64_t anew = 0;
  SUCCEEDS(hipFreeAsync(take(pool, BIG, NULL), NULL));
  SUCCEEDS(hipStreamSynchronize(NULL));
  SUCCEEDS(hipMemPoolSetAttribute(pool, hipMemPoolAttrReservedMemHigh, &anew));
  cr_assert(zero(u64, count(pool, hipMemPoolAttrReservedMemHigh)));
  SUCCEEDS(hipFreeAsync(take(pool, BIG, NULL), NULL));
  SUCCEEDS(hipStreamSynchronize(NULL));
  cr_assert(zero(u64, count(pool, hipMemPoolAttrReservedMemCurrent)));
}

Test(runtime_pools, what_pools_hold_counts_among_the_most_they_had) {
  hipMemPool_t pool = new_pool();
  hipStream_t stream = new_stream();
  uint64_t threshold = 2 * BIG;
  SUCCEEDS(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
  SUCCEEDS(hipFreeAsync(take(pool, BIG, stream), stream));
  take(pool, SMALL, stream);
  cr_assert(eq(u64, count(pool, hipMemPoolAttrReservedMemHigh), BIG + SMALL));
  cr_assert(eq(u64, count(pool, hipMemPoolAttrUsedMemHigh), BIG));
}

Test(runtime_pools, what_pools_hold_is_there_for_others) {
  size_t before, after, total;
  hipMemPool_t pool = new_pool();
  SUCCEEDS(hipMemGetInfo(&before, &total));
  void *memory = take(pool, BIG, NULL);
  SUCCEEDS(hipMemGetInfo(&after, &total));
  cr_assert(eq(sz, before - after, BIG));
  SUCCEEDS(hipFreeAsync(memory, NULL));
  SUCCEEDS(hipMemGetInfo(&after, &total));
  cr_assert(eq(sz, before, after));
}

// Sizes that shrink a little at a time need no new memory each time, up to an eighth.
Test(runtime_pools, a_little_more_than_asked_for_serves) {
  hipMemPool_t pool = new_pool();
  size_t before, after, total;
  SUCCEEDS(hipMemGetInfo(&before, &total));
  uint64_t all = UINT64_MAX;
  SUCCEEDS(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &all));
  void *memory = take(pool, 9 * BIG, NULL), *larger = take(pool, 9 * BIG + SMALL, NULL);
  SUCCEEDS(hipFreeAsync(memory, NULL));
  SUCCEEDS(hipFreeAsync(larger, NULL));
  SUCCEEDS(hipStreamSynchronize(NULL));
  cr_assert(ne(ptr, take(pool, 8 * BIG - SMALL, NULL), memory));
  cr_assert(eq(ptr, take(pool, 8 * BIG, NULL), memory));
  GIVES(hipErrorInvalidValue,
        hipMemset(memory, 0, 8 * BIG + 1)); // its end is where the program asked for
  SUCCEEDS(hipFreeAsync(memory, NULL));
  cr_assert(eq(ptr, take(pool, 9 * BIG, NULL), memory)); // which is all of it
  SUCCEEDS(hipMemset(memory, 0, 9 * BIG));
  SUCCEEDS(hipFreeAsync(memory, NULL));
  cr_assert(eq(ptr, take(pool, 8 * BIG, NULL), memory));
  SUCCEEDS(hipFree(memory));
  SUCCEEDS(hipMemPoolTrimTo(pool, 0));
  SUCCEEDS(hipMemGetInfo(&after, &total));
  cr_assert(eq(sz, before - after, 8 * BIG - SMALL), "all but what is still taken is back");
}

// Neither another size nor hipMalloc fails for want of what a pool only keeps.
Test(runtime_pools, what_is_kept_goes_before_anything_fails) {
  hipMemPool_t pool = new_pool();
  uint64_t all = UINT64_MAX;
  size_t left, total;
  SUCCEEDS(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &all));
  SUCCEEDS(hipMemGetInfo(&left, &total));
  const size_t most = left / 4 * 3;
  void *memory = take(pool, most, NULL);
  SUCCEEDS(hipFreeAsync(memory, NULL));
  SUCCEEDS(hipStreamSynchronize(NULL));
  memory = take(pool, most / 2, NULL);
  SUCCEEDS(hipFreeAsync(memory, NULL));
  SUCCEEDS(hipStreamSynchronize(NULL));
  SUCCEEDS(hipMalloc(&memory, most));
  SUCCEEDS(hipFree(memory));
}

// A stream gets what another one is about to free if it waits for an event behind the free.
static bool had_behind_an_event(bool event_is_behind, int switched_on) {
  hipMemPool_t pool = new_pool();
  hipStream_t stream = new_stream(), other = new_stream();
  hipEvent_t event = NULL;
  SUCCEEDS(hipEventCreate(&event));
  set(pool, hipMemPoolReuseFollowEventDependencies, switched_on);
  void *memory = take(pool, BIG, stream), *again;
  uint32_t *flag = hold(stream);
  if (!event_is_behind)
    SUCCEEDS(hipEventRecord(event, stream));
  SUCCEEDS(hipFreeAsync(memory, stream));
  if (event_is_behind)
    SUCCEEDS(hipEventRecord(event, stream));
  SUCCEEDS(hipStreamWaitEvent(other, event, 0));
  again = take(pool, BIG, other);
  release(flag);
  SUCCEEDS(hipStreamSynchronize(other));
  SUCCEEDS(hipMemset(again, 1, BIG));
  return again == memory;
}

Test(runtime_pools, an_event_behind_a_free_gives_memory_to_who_waits_for_it, .timeout = 60) {
  cr_assert(had_behind_an_event(true, 1));
  cr_assert(not(had_behind_an_event(false, 1)));
  cr_assert(not(had_behind_an_event(true, 0)));
}

Test(runtime_pools, switches_are_on_at_first) {
  hipMemPool_t pool;
  SUCCEEDS(hipDeviceGetDefaultMemPool(&pool, 0));
  for (int i = hipMemPoolReuseFollowEventDependencies;
       i <= hipMemPoolReuseAllowInternalDependencies; i++) {
    int value = 0;
    SUCCEEDS(hipMemPoolGetAttribute(pool, (hipMemPoolAttr)i, &value));
    cr_assert(eq(int, value, 1));
  }
  GIVES(hipErrorInvalidValue, hipMemPoolDestroy(pool));
}

Test(runtime_pools, wrong_properties_are_refused) {
  hipMemPool_t pool;
  hipMemPoolProps right = {.allocType = hipMemAllocationTypePinned,
                           .location = {hipMemLocationTypeDevice, 0}};
  hipMemPoolProps wrong[3] = {right, right, right};
  wrong[0].allocType = hipMemAllocationTypeInvalid;
  wrong[1].location.type = hipMemLocationTypeInvalid;
  wrong[2].location.id = 1;
  GIVES(hipErrorInvalidValue, hipMemPoolCreate(&pool, NULL));
  GIVES(hipErrorInvalidValue, hipMemPoolCreate(NULL, &right));
  for (int i = 0; i < 3; i++)
    GIVES(hipErrorInvalidValue, hipMemPoolCreate(&pool, &wrong[i]));
}

// ---- managed memory ----

hipError_t hipMemGetMemPool(hipMemPool_t *pool, const hipMemLocation *location, int type);
hipError_t hipMemSetMemPool(const hipMemLocation *location, int type, hipMemPool_t pool);

static const hipMemAllocationType MANAGED = 2; // hipMemAllocationTypeManaged

static hipMemPool_t new_managed_pool(void) {
  hipMemPool_t pool = NULL;
  const hipMemPoolProps properties = {.allocType = MANAGED,
                                      .location = {hipMemLocationTypeDevice, 0}};
  SUCCEEDS(hipMemPoolCreate(&pool, &properties));
  return pool;
}

Test(runtime_pools, of_managed_memory_give_such) {
  hipMemPool_t pool = new_managed_pool();
  hipStream_t stream = new_stream();
  hipPointerAttribute_t about;
  int *numbers = take(pool, BIG, stream);
  SUCCEEDS(hipPointerGetAttributes(&about, numbers));
  cr_assert(eq(int, about.isManaged, 1));
  SUCCEEDS(hipMemAdvise(numbers, BIG, hipMemAdviseSetReadMostly, 0));
  numbers[5] = 7;
  cr_assert(eq(u64, count(pool, hipMemPoolAttrUsedMemCurrent), BIG));
  SUCCEEDS(hipFreeAsync(numbers, stream));
  cr_assert(eq(ptr, take(pool, BIG, stream), numbers));
  SUCCEEDS(hipFree(numbers));
  cr_assert(zero(u64, count(pool, hipMemPoolAttrReservedMemCurrent)));
  SUCCEEDS(hipMemPoolDestroy(pool));
}

Test(runtime_pools, of_a_device_are_chosen_for_each_type_of_memory) {
  const hipMemLocation here = {hipMemLocationTypeDevice, 0};
  hipMemPool_t own = NULL, of_device = NULL, now = NULL, pool = new_managed_pool();
  SUCCEEDS(hipDeviceGetMemPool(&of_device, 0));
  SUCCEEDS(hipMemGetMemPool(&own, &here, MANAGED));
  cr_assert(not(zero(ptr, own)));
  cr_assert(not(eq(ptr, own, of_device)));
  SUCCEEDS(hipMemSetMemPool(&here, MANAGED, pool));
  SUCCEEDS(hipMemGetMemPool(&now, &here, MANAGED));
  cr_assert(eq(ptr, now, pool));
  SUCCEEDS(hipDeviceGetMemPool(&now, 0));
  cr_assert(eq(ptr, now, of_device));
  GIVES(hipErrorInvalidValue, hipDeviceSetMemPool(0, pool));
  GIVES(hipErrorInvalidValue, hipMemSetMemPool(&here, MANAGED, of_device));
  SUCCEEDS(hipMemPoolDestroy(pool));
  SUCCEEDS(hipMemGetMemPool(&now, &here, MANAGED));
  cr_assert(eq(ptr, now, own));
}

hipError_t hipMemGetDefaultMemPool(hipMemPool_t *pool, hipMemLocation *location, int type);

// As hip-tests, hipMemGetDefaultMemPool.cc, wants it.
Test(runtime_pools, a_place_has_one_for_each_type_of_memory_whatever_is_chosen) {
  hipMemLocation here = {hipMemLocationTypeDevice, 0}, there = {hipMemLocationTypeDevice, 1},
                 nowhere = {hipMemLocationTypeInvalid, 0};
  hipMemPool_t of_device = NULL, pinned = NULL, managed = NULL, own = NULL;
  SUCCEEDS(hipDeviceGetDefaultMemPool(&of_device, 0));
  SUCCEEDS(hipMemGetMemPool(&own, &here, MANAGED));
  SUCCEEDS(hipMemSetMemPool(&here, MANAGED, new_managed_pool()));
  SUCCEEDS(hipMemGetDefaultMemPool(&pinned, &here, hipMemAllocationTypePinned));
  SUCCEEDS(hipMemGetDefaultMemPool(&managed, &here, MANAGED));
  cr_assert(all(eq(ptr, pinned, of_device), eq(ptr, managed, own), ne(ptr, managed, pinned)));
  GIVES(hipErrorInvalidValue, hipMemGetDefaultMemPool(NULL, &here, MANAGED));
  GIVES(hipErrorInvalidValue, hipMemGetDefaultMemPool(&pinned, NULL, MANAGED));
  GIVES(hipErrorInvalidValue, hipMemGetDefaultMemPool(&pinned, &there, MANAGED));
  GIVES(hipErrorInvalidValue, hipMemGetDefaultMemPool(&pinned, &nowhere, MANAGED));
  GIVES(hipErrorInvalidValue, hipMemGetDefaultMemPool(&pinned, &here, hipMemAllocationTypeInvalid));
}

Test(runtime_pools, of_another_device_are_not_chosen) {
  const hipMemLocation here = {hipMemLocationTypeDevice, 0};
  const hipMemPoolProps there = {.allocType = hipMemAllocationTypePinned,
                                 .location = {hipMemLocationTypeDevice, 1}};
  hipMemPool_t pool;
  setenv("EMULATOR_DEVICES", "2", 1);
  SUCCEEDS(hipMemPoolCreate(&pool, &there));
  SUCCEEDS(hipDeviceSetMemPool(1, pool));
  GIVES(hipErrorInvalidDevice, hipDeviceSetMemPool(0, pool));
  GIVES(hipErrorInvalidValue, hipMemSetMemPool(&here, hipMemAllocationTypePinned, pool));
}

Test(runtime_pools, of_managed_memory_stay_in_the_process) {
  cr_redirect_stderr();
  hipMemPool_t pool = NULL;
  const hipMemPoolProps properties = {.allocType = MANAGED,
                                      .handleTypes = hipMemHandleTypePosixFileDescriptor,
                                      .location = {hipMemLocationTypeDevice, 0}};
  GIVES(hipErrorInvalidValue, hipMemPoolCreate(&pool, &properties));
  SAYS(said(), "managed memory cannot be shared");
}
