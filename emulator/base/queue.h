// The device's queue: work that calls have asked for and that is done later, in the order of
// streams.
//
// In: functions with their stream, or waits for other work. Out: device work done one at a time by
// a thread of the device, host functions by another one, so that a function of the program which
// waits does not stop the device. Work of one stream is done in order. The null stream and those
// that wait for it are in order with each other. Of what may begin, the oldest does: the same
// program does its device work in the same order on every run, unless host functions decide, or work
// that waits for other streams' steps aside.
#ifndef EMULATOR_QUEUE_H
#define EMULATOR_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  const void *id; // NULL: the null stream of the device
  bool blocking;  // in order with the null stream of the device
  int device;
} QueueStream;

typedef enum { QUEUE_DEVICE, QUEUE_HOST } QueueKind;
typedef void QueueWork(void *data);

// Returns the number of the work, or 0 if it is done: where no thread can be had, within the call.
uint64_t queue_submit(QueueStream stream, QueueKind kind, QueueWork *work, void *data);
// What is submitted to the stream from now on waits for the work of that number.
void queue_submit_wait(QueueStream stream, uint64_t number);
// The same, until a condition holds that others decide: it is asked again and again. data comes
// from malloc and belongs to the queue. False if no thread can be had, or no memory.
typedef bool QueueCondition(void *data);
bool queue_submit_until(QueueStream stream, QueueCondition *holds, void *data);

bool queue_done(uint64_t number);
// Whether the stream's next work waits for work that comes behind that of the number in its stream.
bool queue_waits_for(QueueStream stream, uint64_t number);
bool queue_idle(QueueStream stream);  // new work may begin at once
bool queue_empty(QueueStream stream); // all that the stream was asked for is done

// Wait until work is done: of one number, all that comes before new work of the stream, all of a device, or all.
// From a thread of the queue they return at once. Hold no lock that the work might want.
void queue_wait_number(uint64_t number);
void queue_wait_stream(QueueStream stream);
void queue_wait_device(int device);
void queue_wait_all(void);

// Whether the program has waited for work, asked about some, or was called back, since the work of that number was submitted.
// queue_wait_all does not count: calls that free memory wait so.
bool queue_asked_since(uint64_t number);

// How many calls wait, so that the threads which submitted work do nothing else; how often such a wait, or a function that the
// device called back, has ended so far.
int queue_waiting(void);
uint64_t queue_waits_ended(void);

// Whether a function that the device has called back is at work, or a wait for a condition may end; whether device work may begin.
bool queue_host_may_act(void);
bool queue_may_begin(void);

// Whether the device has more to do than the work that calls; whether some of that has stepped aside, or may begin.
bool queue_has_more(void);
bool queue_may_do_more(void);

// For device work that cannot go on, or has for long enough, in the midst of it: whatever else may
// begin, or has stepped aside too, has a turn. Work is still done one at a time: the caller's goes on
// when that is over, or steps aside in its turn. `waits`: the caller got nowhere in this turn. True if
// any other work got somewhere meanwhile, or ended.
bool queue_step_aside(bool waits);

// Around fork(), in both processes: the child has an empty queue, whose locks are free.
void queue_before_fork(void);
void queue_after_fork(bool child);

// Keeps the device from working, once the work that it is at is done; may be taken again by its
// holder, and means nothing to device work.
void device_lock(void);
void device_unlock(void);

#endif
