// The device's queue: see queue.h.
#define _GNU_SOURCE
#include "queue.h"

#include "device_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Item {
  struct Item *next;
  uint64_t number;
  QueueStream stream;
  QueueKind kind;
  QueueWork *work; // NULL: waits for the work numbered `until`, or for a condition
  void *data;
  uint64_t until;
  QueueCondition *holds;
  bool running;
} Item;

static pthread_mutex_t device = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of all below
static pthread_cond_t wanted[] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER}; // by kind
static pthread_cond_t reached = PTHREAD_COND_INITIALIZER; // what somebody waits for
static Item *items, **end = &items;                       // by number
static struct {
  int64_t host, waits, conditions;
} how_many; // of the items: thousands of launches may be there besides
static uint64_t last_number;
static int waiting;  // calls, changed atomically
static bool working; // the device's thread is
static bool ending;  // so is the program: it wants to know of all work that is done

// A call that waits: for work, or for all up to it. Thousands of launches may be done before, and the
// call sleeps meanwhile.
typedef struct Waiter {
  struct Waiter *next;
  uint64_t number;
  bool all, over;
} Waiter;
static Waiter *waiters;
static enum { THREADS_UNTRIED, THREADS_THERE, THREADS_NONE } threads;
static _Thread_local bool own_thread;

void device_lock(void) {
  __atomic_add_fetch(&waiting, !own_thread, __ATOMIC_RELAXED);
  pthread_mutex_lock(&device);
  __atomic_sub_fetch(&waiting, !own_thread, __ATOMIC_RELAXED);
}
void device_unlock(void) { pthread_mutex_unlock(&device); }

static bool in_order(QueueStream a, QueueStream b) {
  return a.id == b.id || (!a.id && b.blocking) || (!b.id && a.blocking);
}

// Whether anything older than `stop` (NULL: anything at all) must be done before work of the
// stream.
static bool something_before(QueueStream stream, const Item *stop) {
  for (const Item *item = items; item && item != stop; item = item->next)
    if (in_order(item->stream, stream))
      return true;
  return false;
}

static bool unfinished(uint64_t number) {
  const Item *item = items;
  while (item && item->number < number)
    item = item->next;
  return item && item->number == number;
}

static void count(const Item *item, int change) {
  how_many.host += item->work && item->kind == QUEUE_HOST ? change : 0;
  how_many.waits += item->work ? 0 : change;
  how_many.conditions += item->holds ? change : 0;
}

static void wake(QueueKind kind) { pthread_cond_signal(&wanted[kind]); }

static void tell_waiters(uint64_t number) {
  bool any = ending;
  for (Waiter *waiter = waiters; waiter; waiter = waiter->next)
    if (waiter->all ? !items || items->number > waiter->number : waiter->number == number)
      any = waiter->over = true;
  if (any)
    pthread_cond_broadcast(&reached);
}

static void remove_item(Item *done) {
  Item **link = &items;
  while (*link != done)
    link = &(*link)->next;
  *link = done->next;
  if (end == &done->next)
    end = link;
  count(done, -1);
  tell_waiters(done->number);
  if (done->holds)
    free(done->data);
  free(done);
  if (items)
    wake(QUEUE_DEVICE);
  if (how_many.host || how_many.waits)
    wake(QUEUE_HOST);
}

static bool is_over(const Item *wait) {
  return wait->holds ? wait->holds(wait->data) : !unfinished(wait->until);
}

static bool may_begin(const Item *item) {
  return !item->running && !something_before(item->stream, item) && (item->work || is_over(item));
}

// Of a condition nobody tells when it holds, so it is looked at again.
static void wait_for(pthread_cond_t *change) {
  enum { LOOK_AGAIN = 200000 }; // nanoseconds
  struct timespec until;
  if (!how_many.conditions) {
    pthread_cond_wait(change, &lock);
    return;
  }
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += LOOK_AGAIN;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(change, &lock, &until);
}

// The oldest work of the kind that may begin; waits that are over leave on the way.
static Item *next_item(QueueKind kind) {
  if (kind == QUEUE_HOST && !how_many.host && !how_many.waits)
    return NULL;
  for (Item *item = items, *next; item; item = next) {
    next = item->next;
    if (!may_begin(item))
      continue;
    if (item->work && item->kind == kind)
      return item;
    if (!item->work)
      remove_item(item);
  }
  return NULL;
}

static void do_work(QueueKind kind, QueueWork *work, void *data) {
  if (kind == QUEUE_DEVICE)
    device_lock();
  work(data);
  if (kind == QUEUE_DEVICE)
    device_unlock();
}

static void *serve(void *argument) {
  const QueueKind kind = *(const QueueKind *)argument;
  own_thread = true;
  pthread_mutex_lock(&lock);
  for (;;) {
    Item *item = next_item(kind);
    if (!item) {
      wait_for(&wanted[kind]);
      continue;
    }
    item->running = true;
    if (kind == QUEUE_DEVICE)
      working = true;
    pthread_mutex_unlock(&lock);
    do_work(kind, item->work, item->data);
    pthread_mutex_lock(&lock);
    if (kind == QUEUE_DEVICE)
      working = false;
    remove_item(item);
  }
  return NULL;
}

// A process that fork() made has none of the threads, and nothing under way.
static void after_fork(void) {
  device = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  wanted[QUEUE_DEVICE] = wanted[QUEUE_HOST] = reached = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  waiters = NULL;
  threads = THREADS_UNTRIED;
  items = NULL;
  end = &items;
  memset(&how_many, 0, sizeof how_many);
  device_memory_after_fork();
}

static bool have_threads(void) {
  static const QueueKind kinds[] = {QUEUE_DEVICE, QUEUE_HOST};
  if (threads != THREADS_UNTRIED)
    return threads == THREADS_THERE;
  pthread_t thread[2];
  threads = THREADS_NONE;
  if (pthread_create(&thread[0], NULL, serve, (void *)&kinds[0]) == 0) {
    if (pthread_create(&thread[1], NULL, serve, (void *)&kinds[1]) == 0) {
      threads = THREADS_THERE;
      pthread_detach(thread[1]);
      pthread_atfork(NULL, NULL, after_fork);
    }
    pthread_detach(thread[0]); // alone it finds no work
  }
  return threads == THREADS_THERE;
}

static uint64_t append(Item item) {
  Item *added = malloc(sizeof *added);
  if (!added)
    return 0;
  *added = item;
  added->number = ++last_number;
  count(added, 1);
  *end = added;
  end = &added->next;
  if (!item.work || item.kind == QUEUE_DEVICE)
    wake(QUEUE_DEVICE);
  if (!item.work || item.kind == QUEUE_HOST)
    wake(QUEUE_HOST);
  return added->number;
}

uint64_t queue_submit(QueueStream stream, QueueKind kind, QueueWork *work, void *data) {
  pthread_mutex_lock(&lock);
  uint64_t number = have_threads()
                        ? append((Item){.stream = stream, .kind = kind, .work = work, .data = data})
                        : 0;
  pthread_mutex_unlock(&lock);
  if (!number) {
    queue_wait_stream(stream);
    do_work(kind, work, data);
  }
  return number;
}

void queue_submit_wait(QueueStream stream, uint64_t number) {
  pthread_mutex_lock(&lock);
  bool waits = unfinished(number);
  bool added = waits && append((Item){.stream = stream, .until = number});
  pthread_mutex_unlock(&lock);
  if (waits && !added)
    queue_wait_number(number);
}

bool queue_submit_until(QueueStream stream, QueueCondition *holds, void *data) {
  pthread_mutex_lock(&lock);
  const bool added =
      have_threads() && append((Item){.stream = stream, .holds = holds, .data = data});
  pthread_mutex_unlock(&lock);
  return added;
}

bool queue_done(uint64_t number) {
  pthread_mutex_lock(&lock);
  bool done = !unfinished(number);
  pthread_mutex_unlock(&lock);
  return done;
}

static const Item *item_of(uint64_t number) {
  for (const Item *item = items; item; item = item->next)
    if (item->number == number)
      return item;
  return NULL;
}

bool queue_waits_for(QueueStream stream, uint64_t number) {
  bool waits = false;
  pthread_mutex_lock(&lock);
  const Item *before = item_of(number);
  for (const Item *item = items; before && item; item = item->next) {
    const Item *last = item->work || item->holds ? NULL : item_of(item->until);
    waits = waits || (last && in_order(item->stream, stream) && last->number >= number &&
                      in_order(last->stream, before->stream));
  }
  pthread_mutex_unlock(&lock);
  return waits;
}

bool queue_idle(QueueStream stream) {
  pthread_mutex_lock(&lock);
  bool idle = !something_before(stream, NULL);
  pthread_mutex_unlock(&lock);
  return idle;
}

bool queue_empty(QueueStream stream) {
  bool empty = true;
  pthread_mutex_lock(&lock);
  for (const Item *item = items; item; item = item->next)
    empty = empty && item->stream.id != stream.id && (stream.id || !item->stream.blocking);
  pthread_mutex_unlock(&lock);
  return empty;
}

static void wait_until_over(Waiter *waiter) {
  Waiter **link = &waiters;
  waiter->next = waiters;
  waiters = waiter;
  while (!waiter->over)
    pthread_cond_wait(&reached, &lock);
  while (*link != waiter)
    link = &(*link)->next;
  *link = waiter->next;
}

void queue_wait_number(uint64_t number) {
  pthread_mutex_lock(&lock);
  __atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED);
  if (!own_thread && unfinished(number))
    wait_until_over(&(Waiter){.number = number});
  __atomic_sub_fetch(&waiting, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
}

// Only for what was there when the call began.
void queue_wait_stream(QueueStream stream) {
  pthread_mutex_lock(&lock);
  uint64_t last = 0;
  for (const Item *item = items; item; item = item->next)
    if (in_order(item->stream, stream))
      last = item->number;
  pthread_mutex_unlock(&lock);
  queue_wait_number(last);
}

void queue_wait_all(void) {
  pthread_mutex_lock(&lock);
  const uint64_t last = last_number;
  __atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED);
  if (!own_thread && items && items->number <= last)
    wait_until_over(&(Waiter){.number = last, .all = true});
  __atomic_sub_fetch(&waiting, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
}

// A call that does the work itself waits for it, too.
bool queue_waited_for(void) {
  pthread_mutex_lock(&lock);
  bool waited_for = __atomic_load_n(&waiting, __ATOMIC_RELAXED) > 0 || !working;
  pthread_mutex_unlock(&lock);
  return waited_for;
}

bool queue_has_more(void) {
  bool more = false;
  pthread_mutex_lock(&lock);
  for (const Item *item = items; item; item = item->next)
    more = more || (item->work && item->kind == QUEUE_DEVICE && !item->running);
  pthread_mutex_unlock(&lock);
  return more;
}

static bool something_goes_on(void) {
  for (const Item *item = items; item; item = item->next)
    if (item->running)
      return true;
  return next_item(QUEUE_DEVICE) || next_item(QUEUE_HOST);
}

// A program that ends without waiting gets what its kernels print. What waits for a condition that
// the program would have to fulfil does not keep it.
__attribute__((destructor)) static void finish(void) {
  pthread_mutex_lock(&lock);
  __atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED);
  ending = true;
  while (!own_thread && items && something_goes_on())
    wait_for(&reached);
  __atomic_sub_fetch(&waiting, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
}
