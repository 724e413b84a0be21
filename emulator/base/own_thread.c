// Threads of the emulator: see own_thread.h.
#include "own_thread.h"

#include <fenv.h>
#include <stdlib.h>

enum { STACK_BYTES = 8 << 20 }; // at least: what Linux gives the first thread of a program

typedef struct {
  void *(*function)(void *);
  void *argument;
} Start;

static void *begin(void *data) {
  const Start start = *(Start *)data;
  free(data);
  fesetenv(FE_DFL_ENV);
  return start.function(start.argument);
}

static bool start_with(Start *start, pthread_t *thread) {
  pthread_attr_t attributes;
  size_t usual;
  if (!start || pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_getstacksize(&attributes, &usual);
  if (usual < STACK_BYTES)
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
  const bool started = pthread_create(thread, &attributes, begin, start) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

bool own_thread_start(pthread_t *thread, void *(*function)(void *), void *argument) {
  Start *start = malloc(sizeof *start);
  if (start)
    *start = (Start){function, argument};
  const bool started = start_with(start, thread);
  if (!started)
    free(start);
  return started;
}
