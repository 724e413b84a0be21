// Updates of memory that one host thread gathers while others update the same places.
//
// In: atomics that commute (commuting.h), place by place. Out: the places, updated atomically for the
// host once a turn of a workgroup, so that host threads that count in the same places seldom wait for
// each other's cache lines.
#ifndef EMULATOR_UPDATES_H
#define EMULATOR_UPDATES_H

#include <stdbool.h>
#include <stdint.h>

// Updates the place with the value, atomically for the host.
typedef void ApplyUpdate(uint64_t address, uint64_t value);

typedef struct {
  uint64_t address, value; // 0: nothing gathered
  ApplyUpdate *apply;
} Update;

enum { UPDATES = 1024 };
typedef struct {
  uint32_t count;
  uint16_t used[UPDATES]; // slots with something gathered
  Update slot[UPDATES];
} Updates;

// What has been gathered for a place. *fresh: nothing yet, so that its value is to be begun.
Update *updates_of(Updates *updates, uint64_t address, ApplyUpdate *apply, bool *fresh);
// Applies all.
void updates_apply(Updates *updates);

#endif
