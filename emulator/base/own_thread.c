// Threads of the emulator: see own_thread.h.
#include "own_thread.h"

enum { STACK_BYTES = 8 << 20 }; // at least: what Linux gives the first thread of a program

bool own_thread_start(pthread_t *thread, void *(*function)(void *), void *argument) {
  pthread_attr_t attributes;
  size_t usual;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_getstacksize(&attributes, &usual);
  if (usual < STACK_BYTES)
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
  const bool started = pthread_create(thread, &attributes, function, argument) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}
