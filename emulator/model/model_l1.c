// Vector L1: see model_l1.h.
#include "model_l1.h"

#include <stdlib.h>

bool l1_create(L1 *l1, const Parameters *p) {
  enum { LINE = 64 };
  l1->ways = (uint32_t)p->l1_ways;
  l1->sets = (uint32_t)(p->l1_bytes / LINE / p->l1_ways);
  l1->clock = 0;
  l1->line = calloc((size_t)l1->sets * l1->ways, sizeof *l1->line);
  return l1->line;
}

void l1_destroy(L1 *l1) { free(l1->line); }

static L1Line *set_of(const L1 *l1, uint64_t line) {
  return &l1->line[(uint32_t)line % l1->sets * l1->ways];
}

L1Line *l1_find(L1 *l1, uint64_t line) {
  L1Line *way = set_of(l1, line);
  for (uint32_t i = 0; i < l1->ways; i++)
    if (way[i].tag == line + 1) {
      way[i].used = ++l1->clock;
      return &way[i];
    }
  return NULL;
}

void l1_insert(L1 *l1, uint64_t line, Ticks ready, bool stream) {
  L1Line *way = set_of(l1, line), *oldest = way;
  for (uint32_t i = 1; i < l1->ways; i++)
    if (way[i].used < oldest->used)
      oldest = &way[i];
  *oldest = (L1Line){.tag = line + 1, .used = stream ? 0 : ++l1->clock, .ready = ready};
}

void l1_drop(L1 *l1, uint64_t line) {
  L1Line *found = l1_find(l1, line);
  if (found)
    *found = (L1Line){0};
}
