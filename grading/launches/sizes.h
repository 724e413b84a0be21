// The sizes of one call of record or of replay: one, or a row of small ones that meets every
// remainder that a kernel may forget.
//
// In:  COUNT:YSTEP:YCOUNT:ZCOUNT, and the first size as --nx, --ny and --nz.
// Out: size n of them. nx grows by one each time, ny takes the next of its YCOUNT values after four
//      of nx, nz the next of its ZCOUNT after sixteen: 64 in a row hold all combinations of
//      remainders by 4, and as many as a block has threads along x hold every remainder by that.
#ifndef SIZES_H
#define SIZES_H

#include "options.h"

typedef struct {
  int count, y_step, y_count, z_count;
} Sizes;

static inline bool sizes_read(Sizes *s, const char *text) {
  return sscanf(text, "%d:%d:%d:%d", &s->count, &s->y_step, &s->y_count, &s->z_count) == 4 &&
         s->count > 0 && s->y_step > 0 && s->y_count > 0 && s->z_count > 0;
}

// The options of size n, from those of the first.
static inline Options sizes_options(const Sizes *s, const Options *first, int n) {
  Options o = *first;
  o.nx += n;
  o.ny += s->y_step * (n / 4 % s->y_count);
  o.nz += n / 16 % s->z_count;
  return o;
}

#endif
