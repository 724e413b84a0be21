// A pause of a launch: its host threads stop between the turns of their workgroups, so that another launch may go on.
//
// In: host threads that come, look whether a pause is wanted, and go. Out: whoever wants one knows when all others have stopped.
#ifndef EMULATOR_LAUNCH_PAUSE_H
#define EMULATOR_LAUNCH_PAUSE_H

#include <pthread.h>
#include <stdbool.h>

typedef struct {
  bool wanted;            // changed with the lock, looked at without
  int threads, stopped;   // that run workgroups, and those of them that have stopped
  pthread_mutex_t lock;   // of these
  pthread_cond_t changed; // one of these has
} LaunchPause;

void launch_pause_init(LaunchPause *pause);
void launch_pause_destroy(LaunchPause *pause);

// A host thread begins to run workgroups, or ends.
void launch_pause_come(LaunchPause *pause);
void launch_pause_go(LaunchPause *pause);
int launch_pause_threads(const LaunchPause *pause); // that have begun and not ended

// Of each host thread, between turns: where one is wanted, it stops.
bool launch_pause_wanted(const LaunchPause *pause);
void launch_pause_stop(LaunchPause *pause);

// Returns once all other host threads have stopped, or gone; false if another one has asked for a pause before.
bool launch_pause_begin(LaunchPause *pause);
void launch_pause_end(LaunchPause *pause);

#endif
