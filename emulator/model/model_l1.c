// Vector L1: see model_l1.h.
#include "model_l1.h"

#include <stdlib.h>

enum { WAY_BITS = 8 }; // of `used`

bool l1_create(L1 *l1, const Parameters *p) {
  enum { LINE = 64 };
  l1->ways = (uint32_t)p->l1_ways;
  l1->sets = (uint32_t)(p->l1_bytes / LINE / p->l1_ways);
  l1->by_sets = divisor(l1->sets);
  l1->parts = (l1->ways + L1_STRIDE - 1) / L1_STRIDE;
  l1->clock = 0;
  l1->part = calloc((size_t)l1->sets * l1->parts, sizeof *l1->part);
  for (uint32_t i = 0; l1->part && i < l1->sets * l1->parts; i++)
    for (uint32_t k = 0, way = i % l1->parts * L1_STRIDE; k < L1_STRIDE; k++, way++)
      l1->part[i].used[k] = way < l1->ways ? way : UINT64_MAX; // of places that are no ways
  return l1->part;
}

void l1_destroy(L1 *l1) { free(l1->part); }

static L1Ways *set_of(const L1 *l1, uint64_t line) {
  return &l1->part[rest((uint32_t)line, l1->by_sets) * l1->parts];
}

// A way's place in the arrays of its part.
typedef struct {
  L1Ways *part;
  uint32_t at; // in the part
  uint32_t way;
} Place;

// The way that holds the line; part is NULL if none does.
static Place place_of(const L1 *l1, uint64_t line) {
  L1Ways *part = set_of(l1, line);
  for (uint32_t i = 0; i < l1->parts; i++) {
    uint64_t found = 0; // without a branch: the host compares all at once
    for (uint32_t k = 0; k < L1_STRIDE; k++)
      found |= part[i].tag[k] == line + 1 ? k + 1 : 0;
    if (found)
      return (Place){&part[i], (uint32_t)found - 1, i * L1_STRIDE + (uint32_t)found - 1};
  }
  return (Place){0};
}

static void set_used(Place place, uint64_t used) {
  place.part->used[place.at] = used << WAY_BITS | place.way;
}

const Ticks *l1_find(L1 *l1, uint64_t line) {
  Place found = place_of(l1, line);
  if (!found.part)
    return NULL;
  set_used(found, ++l1->clock);
  return &found.part->ready[found.at];
}

void l1_insert(L1 *l1, uint64_t line, Ticks ready, bool stream) {
  L1Ways *part = set_of(l1, line);
  uint64_t oldest = UINT64_MAX;
  for (uint32_t i = 0; i < l1->parts; i++)
    for (uint32_t k = 0; k < L1_STRIDE; k++)
      oldest = part[i].used[k] < oldest ? part[i].used[k] : oldest;
  uint32_t way = oldest & ((1u << WAY_BITS) - 1);
  Place place = {&part[way / L1_STRIDE], way % L1_STRIDE, way};
  place.part->tag[place.at] = line + 1;
  place.part->ready[place.at] = ready;
  set_used(place, stream ? 0 : ++l1->clock);
}

void l1_drop(L1 *l1, uint64_t line) {
  Place found = place_of(l1, line);
  if (!found.part)
    return;
  found.part->tag[found.at] = 0;
  set_used(found, 0);
}
