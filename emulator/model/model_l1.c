// Vector L1: see model_l1.h.
#include "model_l1.h"

#include "ways.h"
#include "zeroed.h"

bool l1_create(L1 *l1, const Parameters *p) {
  enum { LINE = 64 };
  l1->ways = (uint32_t)p->l1_ways;
  l1->sets = (uint32_t)(p->l1_bytes / LINE / p->l1_ways);
  l1->by_sets = divisor(l1->sets);
  l1->padded = ways_padded(l1->ways);
  l1->words = order_bytes(l1->ways) / (uint32_t)sizeof *l1->order;
  l1->tag = zeroed((size_t)l1->sets * l1->padded * sizeof *l1->tag);
  l1->ready = zeroed((size_t)l1->sets * l1->padded * sizeof *l1->ready);
  l1->leaves = zeroed(l1->sets * sizeof *l1->leaves);
  l1->order = zeroed((size_t)l1->sets * l1->words * sizeof *l1->order);
  if (!l1->tag || !l1->ready || !l1->leaves || !l1->order)
    return false;
  for (uint32_t set = 0; set < l1->sets; set++) {
    l1->leaves[set] = ~0ull >> (WAYS_MAX - l1->ways);
    order_begin(&l1->order[set * l1->words], l1->ways);
  }
  return true;
}

void l1_destroy(L1 *l1) {
  free(l1->tag);
  free(l1->ready);
  free(l1->leaves);
  free(l1->order);
}

static uint32_t set_of(const L1 *l1, uint64_t line) {
  return (uint32_t)rest((uint32_t)line, l1->by_sets);
}

static void use(L1 *l1, uint32_t set, uint32_t way) {
  l1->leaves[set] &= ~(1ull << way);
  order_use(&l1->order[set * l1->words], l1->ways, way);
}

const Ticks *l1_find(L1 *l1, uint64_t line) {
  uint32_t set = set_of(l1, line);
  uint64_t found = ways_with(&l1->tag[set * l1->padded], l1->padded, line + 1);
  if (!found)
    return NULL;
  uint32_t way = (uint32_t)__builtin_ctzll(found);
  use(l1, set, way);
  return &l1->ready[set * l1->padded + way];
}

void l1_insert(L1 *l1, uint64_t line, Ticks ready, bool stream) {
  uint32_t set = set_of(l1, line), way;
  if (l1->leaves[set])
    way = (uint32_t)__builtin_ctzll(l1->leaves[set]);
  else
    way = order_at(&l1->order[set * l1->words], l1->ways, l1->ways - 1);
  l1->tag[set * l1->padded + way] = line + 1;
  l1->ready[set * l1->padded + way] = ready;
  if (stream)
    l1->leaves[set] |= 1ull << way;
  else
    use(l1, set, way);
}

void l1_drop(L1 *l1, uint64_t line) {
  uint32_t set = set_of(l1, line);
  uint64_t found = ways_with(&l1->tag[set * l1->padded], l1->padded, line + 1);
  if (!found)
    return;
  l1->tag[set * l1->padded + (uint32_t)__builtin_ctzll(found)] = 0;
  l1->leaves[set] |= found;
}
