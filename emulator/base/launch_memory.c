// Memory that launches need: see launch_memory.h.
#include "launch_memory.h"

#include "device_memory.h"

#include <pthread.h>
#include <stdbool.h>

enum {
  PIECES = 256, // two of each launch at hand: a few of them wait for others
  PAGE = 4096,
};

static struct {
  void *memory; // NULL: none
  uint32_t size;
  bool taken;
} pieces[PIECES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of these; a thread that has it allocates

// A piece that is too small and free makes way for a larger one.
static void *grow(int i, uint32_t size) {
  if (pieces[i].memory)
    device_memory_free(pieces[i].memory, MEMORY_RUNTIME);
  pieces[i].size = (size + PAGE - 1) / PAGE * PAGE;
  if (device_memory_allocate(pieces[i].size, MEMORY_RUNTIME, 0, &pieces[i].memory) != MEMORY_OK)
    pieces[i].memory = NULL;
  pieces[i].taken = pieces[i].memory != NULL;
  return pieces[i].memory;
}

static void *take(uint32_t size) {
  for (int i = 0; i < PIECES; i++)
    if (!pieces[i].taken && pieces[i].memory && pieces[i].size >= size) {
      pieces[i].taken = true;
      return pieces[i].memory;
    }
  for (int i = 0; i < PIECES; i++)
    if (!pieces[i].taken)
      return grow(i, size);
  return NULL;
}

void *launch_memory_take(uint32_t size) {
  device_memory_lock(&lock);
  void *taken = take(size);
  pthread_mutex_unlock(&lock);
  return taken;
}

void launch_memory_give(void *memory) {
  device_memory_lock(&lock);
  for (int i = 0; memory && i < PIECES; i++)
    if (pieces[i].memory == memory)
      pieces[i].taken = false;
  pthread_mutex_unlock(&lock);
}
