// Gathered updates: see updates.h.
#include "updates.h"

#include <stddef.h>

Update *updates_of(Updates *updates, uint64_t address, ApplyUpdate *apply, bool *fresh) {
  uint16_t slot = (uint16_t)(address / 4 % UPDATES);
  Update *update = &updates->slot[slot];
  *fresh = update->address != address;
  if (!*fresh)
    return update;
  if (update->address)
    update->apply(update->address, update->value);
  else
    updates->used[updates->count++] = slot;
  __builtin_prefetch((const void *)address, 1); // it will be there when it is applied
  *update = (Update){.address = address, .apply = apply};
  return update;
}

void updates_apply(Updates *updates) {
  for (uint32_t i = 0; i < updates->count; i++) {
    Update *update = &updates->slot[updates->used[i]];
    update->apply(update->address, update->value);
    update->address = 0;
  }
  updates->count = 0;
}
