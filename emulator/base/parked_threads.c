// Threads that wait for a task: see parked_threads.h.
#include "parked_threads.h"

#include "own_thread.h"

#include <pthread.h>

typedef struct {
  bool exists;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  void *(*function)(void *); // NULL: nothing to do
  void *argument;
} Parked;

static Parked parked[PARKED_THREADS];

static void *serve(void *data) {
  Parked *me = data;
  pthread_mutex_lock(&me->lock);
  for (;;) {
    while (!me->function)
      pthread_cond_wait(&me->changed, &me->lock);
    pthread_mutex_unlock(&me->lock);
    me->function(me->argument);
    pthread_mutex_lock(&me->lock);
    me->function = NULL;
    pthread_cond_broadcast(&me->changed); // who joins waits for it, too
  }
  return NULL;
}

// fork() copies none of them.
static void forget_all(void) {
  for (int i = 0; i < PARKED_THREADS; i++)
    parked[i].exists = false;
}

static bool create(Parked *one) {
  static bool forks;
  pthread_t thread;
  if (!forks)
    forks = pthread_atfork(NULL, NULL, forget_all) == 0;
  pthread_mutex_init(&one->lock, NULL);
  pthread_cond_init(&one->changed, NULL);
  one->function = NULL;
  one->exists = forks && own_thread_start(&thread, serve, one);
  if (one->exists)
    pthread_detach(thread);
  return one->exists;
}

bool parked_thread_start(uint32_t number, void *(*function)(void *), void *argument) {
  Parked *one = &parked[number];
  if (!one->exists && !create(one))
    return false;
  pthread_mutex_lock(&one->lock);
  const bool free = !one->function;
  if (free) {
    one->function = function;
    one->argument = argument;
    pthread_cond_broadcast(&one->changed);
  }
  pthread_mutex_unlock(&one->lock);
  return free;
}

void parked_thread_join(uint32_t number) {
  Parked *one = &parked[number];
  pthread_mutex_lock(&one->lock);
  while (one->function)
    pthread_cond_wait(&one->changed, &one->lock);
  pthread_mutex_unlock(&one->lock);
}
