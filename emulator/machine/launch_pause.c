// A pause of a launch: see launch_pause.h.
#include "launch_pause.h"

void launch_pause_init(LaunchPause *pause) {
  *pause = (LaunchPause){.wanted = false};
  pthread_mutex_init(&pause->lock, NULL);
  pthread_cond_init(&pause->changed, NULL);
}

void launch_pause_destroy(LaunchPause *pause) {
  pthread_mutex_destroy(&pause->lock);
  pthread_cond_destroy(&pause->changed);
}

static void change_threads(LaunchPause *pause, int change) {
  pthread_mutex_lock(&pause->lock);
  __atomic_add_fetch(&pause->threads, change, __ATOMIC_RELAXED);
  pthread_cond_broadcast(&pause->changed);
  pthread_mutex_unlock(&pause->lock);
}

void launch_pause_come(LaunchPause *pause) { change_threads(pause, 1); }
void launch_pause_go(LaunchPause *pause) { change_threads(pause, -1); }

int launch_pause_threads(const LaunchPause *pause) {
  return __atomic_load_n(&pause->threads, __ATOMIC_RELAXED);
}

bool launch_pause_wanted(const LaunchPause *pause) {
  return __atomic_load_n(&pause->wanted, __ATOMIC_RELAXED);
}

void launch_pause_stop(LaunchPause *pause) {
  pthread_mutex_lock(&pause->lock);
  pause->stopped++;
  pthread_cond_broadcast(&pause->changed);
  while (pause->wanted)
    pthread_cond_wait(&pause->changed, &pause->lock);
  pause->stopped--;
  pthread_mutex_unlock(&pause->lock);
}

bool launch_pause_begin(LaunchPause *pause) {
  pthread_mutex_lock(&pause->lock);
  const bool first = !pause->wanted;
  __atomic_store_n(&pause->wanted, true, __ATOMIC_RELAXED);
  while (first && pause->stopped + 1 < pause->threads)
    pthread_cond_wait(&pause->changed, &pause->lock);
  pthread_mutex_unlock(&pause->lock);
  return first;
}

void launch_pause_end(LaunchPause *pause) {
  pthread_mutex_lock(&pause->lock);
  __atomic_store_n(&pause->wanted, false, __ATOMIC_RELAXED);
  pthread_cond_broadcast(&pause->changed);
  pthread_mutex_unlock(&pause->lock);
}
