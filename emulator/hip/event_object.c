// What an event is: see event_object.h.
#include "event_object.h"

#include "kernel_launch.h"

static void stamp(void *data) {
  Event *event = data;
  clock_gettime(CLOCK_MONOTONIC, &event->time);
  event->device_ms = launch_device_ms();
}

void event_mark(Event *event, QueueStream stream) {
  event->recorded = true;
  event->work = 0;
  if (queue_idle(stream))
    stamp(event);
  else
    event->work = queue_submit(stream, QUEUE_DEVICE, stamp, event);
}
