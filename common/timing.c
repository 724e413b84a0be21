// Median and spread of kernel times. See timing.h.
#include "timing.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

Timing timing_summary(double *ms, int runs) {
  qsort(ms, (size_t)runs, sizeof *ms, ascending);
  return (Timing){.median = (ms[(runs - 1) / 2] + ms[runs / 2]) / 2,
                  .min = ms[0],
                  .max = ms[runs - 1],
                  .runs = runs};
}
