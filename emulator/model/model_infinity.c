// The Infinity Cache: see model_infinity.h. Rules: docs/memory-model.md.
#include "model_infinity.h"

#include "ways.h"
#include "zeroed.h"

enum { LINE = 128, INFINITY_WAYS = 16 };

bool infinity_create(Infinity *infinity, const Parameters *p) {
  *infinity = (Infinity){.sets = (uint32_t)(p->infinity_bytes / LINE / INFINITY_WAYS)};
  if (!infinity->sets)
    return true;
  infinity->by_sets = divisor(infinity->sets);
  infinity->tag = zeroed((size_t)infinity->sets * INFINITY_WAYS * sizeof *infinity->tag);
  infinity->order = calloc(infinity->sets, sizeof *infinity->order);
  infinity->dirty = calloc(infinity->sets, sizeof *infinity->dirty);
  return infinity->tag && infinity->order && infinity->dirty;
}

void infinity_destroy(Infinity *infinity) {
  free(infinity->tag);
  free(infinity->order);
  free(infinity->dirty);
}

bool infinity_access(Infinity *infinity, uint64_t line, uint64_t hash, bool written,
                     bool *leaves_dirty) {
  const size_t set = rest((uint32_t)(hash >> 32), infinity->by_sets);
  uint64_t *tag = infinity->tag + set * INFINITY_WAYS, *order = &infinity->order[set];
  if (!*order)
    order_begin(order, INFINITY_WAYS);
  const uint64_t found = ways_with(tag, INFINITY_WAYS, line + 1);
  const uint32_t way =
      found ? (uint32_t)__builtin_ctzll(found) : order_at(order, INFINITY_WAYS, INFINITY_WAYS - 1);
  const uint16_t bit = (uint16_t)(1u << way);
  *leaves_dirty = !found && infinity->dirty[set] & bit;
  if (!found)
    infinity->dirty[set] &= (uint16_t)~bit;
  infinity->dirty[set] |= written ? bit : 0;
  tag[way] = line + 1;
  order_use(order, INFINITY_WAYS, way);
  return found;
}
