// Address translations of a compute unit: see model_utcl1.h.
#include "model_utcl1.h"

#include <string.h>

void utcl1_create(Utcl1 *utcl1, const Parameters *p) {
  enum { LINE = 64 };
  *utcl1 = (Utcl1){.by_page = divisor((uint64_t)(p->utcl1_page_bytes / LINE)),
                   .entries = (uint32_t)p->utcl1_entries};
}

bool utcl1_find_older(Utcl1 *utcl1, uint64_t wanted) {
  uint64_t *page = utcl1->page;
  uint32_t place = 1;
  while (place < utcl1->entries && page[place] != wanted)
    place++;
  bool found = place < utcl1->entries;
  memmove(page + 1, page, (found ? place : utcl1->entries - 1) * sizeof *page);
  page[0] = wanted;
  return found;
}
