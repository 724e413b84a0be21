// Vector L1: see model_l1.h.
#include "model_l1.h"

#include "zeroed.h"

bool l1_create(L1 *l1, const Parameters *p) {
  enum { PIECE = 64 };
  l1->line_shift = p->l1_line_bytes > PIECE;
  l1->ways = (uint32_t)p->l1_ways;
  l1->sets = (uint32_t)(p->l1_bytes / p->l1_line_bytes / p->l1_ways);
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
