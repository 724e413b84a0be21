// The device's queue: see queue.h.
#define _GNU_SOURCE
#include "queue.h"

#include "device_memory.h"
#include "outside_writes.h"
#include "own_thread.h"

#include <pthread.h>
#include <signal.h>
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

enum { MOST_AT_WORK = 64 }; // that step aside for each other

static pthread_rwlock_t device = PTHREAD_RWLOCK_INITIALIZER; // shared by device work
static _Thread_local int device_held;                        // how often by this thread
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;     // of all below
static pthread_cond_t wanted[] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER}; // by kind
static pthread_cond_t reached = PTHREAD_COND_INITIALIZER; // what somebody waits for
static Item *items, **end = &items;                       // by number
static struct {
  int64_t host, waits, conditions;
  int64_t called; // back, and not over: of the host's
} how_many;       // of the items: thousands of launches may be there besides
static uint64_t last_number;
static uint64_t asked_at;    // last_number as the program last waited, or asked
static int waiting;          // calls, changed atomically
static uint64_t waits_ended; // so are these, and of functions that were called back
// Device work at hand. One at a time goes on; the others have stepped aside, and their turns come by number.
static struct {
  int threads, at_work, idle; // idle: threads that look for work
  uint64_t now, last;         // turns: whose it is, and the last that was given out
  uint64_t promised;          // to the thread that comes next; 0: none is
  uint64_t steps;             // ends of work, and turns of such that got somewhere
  pthread_cond_t come;        // a turn has
} turns = {.now = 1, .come = PTHREAD_COND_INITIALIZER};
static bool ending; // so is the program: it wants to know of all work that is done

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
static sigset_t programs_signals; // that it blocked as the threads began

static void begin_wait(void) { __atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST); }

static void end_wait(void) {
  __atomic_add_fetch(&waits_ended, 1, __ATOMIC_SEQ_CST);
  __atomic_sub_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
}

uint64_t queue_waits_ended(void) { return __atomic_load_n(&waits_ended, __ATOMIC_SEQ_CST); }

void device_lock(void) {
  if (device_held++)
    return;
  if (!own_thread)
    begin_wait();
  pthread_rwlock_wrlock(&device);
  if (!own_thread)
    end_wait();
}
void device_unlock(void) {
  if (--device_held == 0)
    pthread_rwlock_unlock(&device);
}

static bool in_order(QueueStream a, QueueStream b) {
  return a.device == b.device && (a.id == b.id || (!a.id && b.blocking) || (!b.id && a.blocking));
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

// The streams that a search has come past: thousands of launches mostly belong to a few.
typedef struct {
  QueueStream stream[32];
  int count;
  bool more;
} Passed;

static bool is_behind(const Passed *passed, const Item *item) {
  if (passed->more)
    return something_before(item->stream, item);
  for (int i = passed->count; i--;)
    if (in_order(passed->stream[i], item->stream))
      return true;
  return false;
}

static void pass(Passed *passed, QueueStream stream) {
  for (int i = passed->count; i--;)
    if (passed->stream[i].id == stream.id && passed->stream[i].device == stream.device &&
        passed->stream[i].blocking == stream.blocking)
      return;
  if (passed->count == sizeof passed->stream / sizeof *passed->stream)
    passed->more = true;
  else
    passed->stream[passed->count++] = stream;
}

static bool may_begin(const Item *item, const Passed *passed) {
  return !item->running && !is_behind(passed, item) && (item->work || is_over(item));
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
  Passed passed = {.count = 0};
  for (Item *item = items, *next; item; item = next) {
    const bool may = may_begin(item, &passed);
    next = item->next;
    if (may && item->work && item->kind == kind)
      return item;
    if (may && !item->work)
      remove_item(item);
    else
      pass(&passed, item->stream);
  }
  return NULL;
}

static void wait_for_turn(uint64_t turn) {
  while (turns.now != turn)
    pthread_cond_wait(&turns.come, &lock);
}

static void end_turn(bool got_somewhere) {
  turns.steps += got_somewhere;
  turns.now++;
  pthread_cond_broadcast(&turns.come);
}

// Of work that begins.
static uint64_t take_turn(void) {
  const uint64_t turn = turns.promised ? turns.promised : ++turns.last;
  turns.promised = 0;
  return turn;
}

static void do_device_work(uint64_t turn, QueueWork *work, void *data) {
  pthread_rwlock_rdlock(&device);
  device_held++;
  pthread_mutex_lock(&lock);
  wait_for_turn(turn);
  pthread_mutex_unlock(&lock);
  work(data);
  pthread_mutex_lock(&lock);
  end_turn(true);
  pthread_mutex_unlock(&lock);
  device_unlock();
}

// Device work is begun one by one, so that its order is the same on every run, unless the one at hand steps aside.
static bool may_take(QueueKind kind) {
  return kind == QUEUE_HOST || !turns.at_work || turns.promised;
}

static void note_question(void) {
  __atomic_store_n(&asked_at, __atomic_load_n(&last_number, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

// Functions of the program find its signals as its threads do.
static void call_back(QueueWork *work, void *data) {
  sigset_t ours;
  pthread_sigmask(SIG_SETMASK, &programs_signals, &ours);
  note_question();
  outside_writes_await();
  work(data);
  __atomic_add_fetch(&waits_ended, 1, __ATOMIC_SEQ_CST);
  pthread_sigmask(SIG_SETMASK, &ours, NULL);
}

static void *serve(void *argument) {
  const QueueKind kind = *(const QueueKind *)argument;
  own_thread = true;
  pthread_mutex_lock(&lock);
  for (;;) {
    Item *item = may_take(kind) ? next_item(kind) : NULL;
    if (!item) {
      turns.idle += kind == QUEUE_DEVICE;
      wait_for(&wanted[kind]);
      turns.idle -= kind == QUEUE_DEVICE;
      continue;
    }
    const bool device_work = kind == QUEUE_DEVICE;
    const uint64_t turn = device_work ? take_turn() : 0;
    item->running = true;
    turns.at_work += device_work;
    how_many.called += !device_work;
    pthread_mutex_unlock(&lock);
    if (device_work)
      do_device_work(turn, item->work, item->data);
    else
      call_back(item->work, item->data);
    pthread_mutex_lock(&lock);
    turns.at_work -= device_work;
    how_many.called -= !device_work;
    remove_item(item);
  }
  return NULL;
}

// Memory first, as device work does.
void queue_before_fork(void) {
  device_memory_before_fork();
  pthread_mutex_lock(&lock);
}

// A process that fork() made has none of the threads, and nothing under way.
static void begin_anew(void) {
  device = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
  device_held = 0;
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  wanted[QUEUE_DEVICE] = wanted[QUEUE_HOST] = reached = turns.come =
      (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  turns.threads = turns.at_work = turns.idle = 0;
  turns.now = 1;
  turns.last = turns.promised = 0;
  waiters = NULL;
  threads = THREADS_UNTRIED;
  items = NULL;
  end = &items;
  memset(&how_many, 0, sizeof how_many);
  outside_writes_after_fork();
}

void queue_after_fork(bool child) {
  if (child)
    begin_anew();
  else
    pthread_mutex_unlock(&lock);
  device_memory_after_fork(child);
}

static bool something_goes_on(void) {
  for (const Item *item = items; item; item = item->next)
    if (item->running)
      return true;
  return next_item(QUEUE_DEVICE) || next_item(QUEUE_HOST);
}

// A program that ends without waiting gets what its kernels print. What waits for a condition that
// the program would have to fulfil does not keep it. Also as the end begins: a shared LLVM, which may be at work for a kernel, ends
// before this library does.
__attribute__((destructor)) static void finish(void) {
  pthread_mutex_lock(&lock);
  begin_wait();
  ending = true;
  while (!own_thread && items && something_goes_on())
    wait_for(&reached);
  end_wait();
  pthread_mutex_unlock(&lock);
}

static bool have_threads(void) {
  static const QueueKind kinds[] = {QUEUE_DEVICE, QUEUE_HOST};
  if (threads != THREADS_UNTRIED)
    return threads == THREADS_THERE;
  pthread_t thread[2];
  threads = THREADS_NONE;
  pthread_sigmask(SIG_SETMASK, NULL, &programs_signals);
  if (own_thread_start(&thread[0], serve, (void *)&kinds[0])) {
    if (own_thread_start(&thread[1], serve, (void *)&kinds[1])) {
      threads = THREADS_THERE;
      turns.threads = 1;
      pthread_detach(thread[1]);
      atexit(finish);
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
  added->number = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
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
    work(data); // within a call, which keeps others out
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

bool queue_asked_since(uint64_t number) {
  return __atomic_load_n(&asked_at, __ATOMIC_RELAXED) >= number;
}

bool queue_done(uint64_t number) {
  note_question();
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
  note_question();
  pthread_mutex_lock(&lock);
  for (const Item *item = items; item; item = item->next)
    empty = empty && (item->stream.device != stream.device ||
                      (item->stream.id != stream.id && (stream.id || !item->stream.blocking)));
  pthread_mutex_unlock(&lock);
  return empty;
}

// A thread that pthread_cancel ended in here would keep the lock; its caller ends it.
static void wait_until_over(Waiter *waiter) {
  Waiter **link = &waiters;
  int cancelled;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
  waiter->next = waiters;
  waiters = waiter;
  while (!waiter->over)
    pthread_cond_wait(&reached, &lock);
  while (*link != waiter)
    link = &(*link)->next;
  *link = waiter->next;
  pthread_setcancelstate(cancelled, &cancelled);
}

// Not while a launch is put back: the program could write what that is about to overwrite.
static void leave_wait(void) {
  end_wait();
  pthread_mutex_unlock(&lock);
  outside_writes_await();
  pthread_testcancel();
}

void queue_wait_number(uint64_t number) {
  note_question();
  pthread_mutex_lock(&lock);
  begin_wait();
  if (!own_thread && unfinished(number))
    wait_until_over(&(Waiter){.number = number});
  leave_wait();
}

// The last work up to the number that comes before new work of the stream, 0: none.
static uint64_t last_before(QueueStream stream, uint64_t number) {
  uint64_t last = 0;
  pthread_mutex_lock(&lock);
  for (const Item *item = items; item && item->number <= number; item = item->next)
    if (in_order(item->stream, stream))
      last = item->number;
  pthread_mutex_unlock(&lock);
  return last;
}

// Only for what was there when the call began.
void queue_wait_stream(QueueStream stream) {
  note_question();
  const uint64_t number = __atomic_load_n(&last_number, __ATOMIC_RELAXED);
  for (uint64_t last; !own_thread && (last = last_before(stream, number));)
    queue_wait_number(last);
}

static uint64_t last_of_device(int device, uint64_t number) {
  uint64_t last = 0;
  pthread_mutex_lock(&lock);
  for (const Item *item = items; item && item->number <= number; item = item->next)
    last = item->stream.device == device ? item->number : last;
  pthread_mutex_unlock(&lock);
  return last;
}

void queue_wait_device(int device) {
  note_question();
  const uint64_t number = __atomic_load_n(&last_number, __ATOMIC_RELAXED);
  for (uint64_t last; !own_thread && (last = last_of_device(device, number));)
    queue_wait_number(last);
}

void queue_wait_all(void) {
  pthread_mutex_lock(&lock);
  const uint64_t last = last_number;
  begin_wait();
  if (!own_thread && items && items->number <= last)
    wait_until_over(&(Waiter){.number = last, .all = true});
  leave_wait();
}

// A call that does the work itself waits for it, too.
int queue_waiting(void) {
  pthread_mutex_lock(&lock);
  const int calls = __atomic_load_n(&waiting, __ATOMIC_RELAXED) + !turns.at_work;
  pthread_mutex_unlock(&lock);
  return calls;
}

bool queue_host_may_act(void) {
  pthread_mutex_lock(&lock);
  const bool may = how_many.conditions || how_many.called;
  pthread_mutex_unlock(&lock);
  return may;
}

bool queue_may_begin(void) {
  pthread_mutex_lock(&lock);
  const bool may = next_item(QUEUE_DEVICE);
  pthread_mutex_unlock(&lock);
  return may;
}

bool queue_has_more(void) {
  pthread_mutex_lock(&lock);
  bool more = turns.at_work > 1;
  for (const Item *item = items; item && turns.at_work; item = item->next)
    more = more || (item->work && item->kind == QUEUE_DEVICE && !item->running);
  pthread_mutex_unlock(&lock);
  return more;
}

bool queue_may_do_more(void) {
  pthread_mutex_lock(&lock);
  const bool more = turns.at_work > 1 || (turns.at_work && next_item(QUEUE_DEVICE));
  pthread_mutex_unlock(&lock);
  return more;
}

static bool start_device_thread(void) {
  static const QueueKind kind = QUEUE_DEVICE;
  pthread_t thread;
  if (turns.threads == MOST_AT_WORK || !own_thread_start(&thread, serve, (void *)&kind))
    return false;
  turns.threads++;
  return pthread_detach(thread) == 0;
}

// Whether somebody has stepped aside, or there is work that may begin, and a thread for it: the next turn is promised to
// that thread.
static bool somebody_comes(void) {
  if (!turns.promised && next_item(QUEUE_DEVICE) && (turns.idle || start_device_thread())) {
    turns.promised = ++turns.last;
    wake(QUEUE_DEVICE);
  }
  return turns.last > turns.now;
}

bool queue_step_aside(bool waits) {
  bool got_somewhere = false;
  pthread_mutex_lock(&lock);
  if (somebody_comes()) {
    const uint64_t before = turns.steps + !waits, mine = ++turns.last;
    end_turn(!waits);
    wait_for_turn(mine);
    got_somewhere = turns.steps > before;
  }
  pthread_mutex_unlock(&lock);
  return got_somewhere;
}
