// Who could write memory while a launch is put back: calls that waited do not return to the program meanwhile, and nothing is called
// back.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdatomic.h>
#include <unistd.h>

#include "outside_writes.h"
#include "own_thread.h"
#include "queue.h"

enum { LONG_ENOUGH = 50000 }; // microseconds: for a thread that nothing keeps
static const QueueStream null_stream = {.blocking = true};
static atomic_int told;

static void tell(void *data) { atomic_store(&told, *(const int *)data); }

static void nothing(void *data) { (void)data; }

static void *wait_and_tell(void *data) {
  queue_wait_number(queue_submit(null_stream, QUEUE_DEVICE, nothing, NULL));
  tell(data);
  return NULL;
}

static void *wait_for_all_and_tell(void *data) {
  queue_submit(null_stream, QUEUE_DEVICE, nothing, NULL);
  queue_wait_all();
  tell(data);
  return NULL;
}

// What is to happen does not before writes go on.
static void expect_only_then(int value) {
  usleep(LONG_ENOUGH);
  const int before = atomic_load(&told);
  outside_writes_go_on();
  for (int i = 0; i < 100 && atomic_load(&told) != value; i++)
    usleep(LONG_ENOUGH);
  cr_assert(eq(int, before, 0));
  cr_assert(eq(int, atomic_load(&told), value));
}

static void start(void *(*function)(void *)) {
  static int one = 1;
  pthread_t thread;
  cr_assert(own_thread_start(&thread, function, &one));
  pthread_detach(thread);
}

Test(outside_writes, a_call_that_waited_does_not_return_meanwhile) {
  outside_writes_stop();
  start(wait_and_tell);
  expect_only_then(1);
}

Test(outside_writes, a_call_that_waited_for_all_does_not_return_meanwhile) {
  outside_writes_stop();
  start(wait_for_all_and_tell);
  expect_only_then(1);
}

Test(outside_writes, nothing_is_called_back_meanwhile) {
  int two = 2;
  outside_writes_stop();
  queue_submit(null_stream, QUEUE_HOST, tell, &two);
  expect_only_then(2);
}

Test(outside_writes, what_was_called_back_counts_as_a_wait_that_ended) {
  int two = 2;
  const uint64_t before = queue_waits_ended();
  queue_submit(null_stream, QUEUE_HOST, tell, &two);
  for (int i = 0; i < 100 && !queue_empty(null_stream); i++)
    usleep(LONG_ENOUGH);
  cr_assert(eq(u64, queue_waits_ended(), before + 1));
}
