// Copies and fills beside kernels: see outside_writes.h.
#include "outside_writes.h"

#include <pthread.h>

static pthread_rwlock_t contents =
    PTHREAD_RWLOCK_INITIALIZER;  // of memory; who copies has it to read
static uint64_t made, under_way; // changed atomically

void outside_write_begin(void) {
  pthread_rwlock_rdlock(&contents);
  __atomic_add_fetch(&under_way, 1, __ATOMIC_SEQ_CST);
}

void outside_write_end(void) {
  __atomic_add_fetch(&made, 1, __ATOMIC_SEQ_CST);
  __atomic_sub_fetch(&under_way, 1, __ATOMIC_SEQ_CST);
  pthread_rwlock_unlock(&contents);
}

uint64_t outside_writes(void) {
  const uint64_t so_far = __atomic_load_n(&made, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&under_way, __ATOMIC_SEQ_CST) ? 0 : so_far + 1;
}

void outside_writes_stop(void) { pthread_rwlock_wrlock(&contents); }
void outside_writes_go_on(void) { pthread_rwlock_unlock(&contents); }

void outside_writes_await(void) {
  pthread_rwlock_rdlock(&contents);
  pthread_rwlock_unlock(&contents);
}

void outside_writes_after_fork(void) {
  contents = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
  under_way = 0;
}
