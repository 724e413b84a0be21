// Median and spread of kernel times. See timing.h.
#include "timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

Share timing_share(const double *ratios, int pairs) {
  double sorted[pairs];
  memcpy(sorted, ratios, (size_t)pairs * sizeof *ratios);
  qsort(sorted, (size_t)pairs, sizeof *sorted, ascending);
  const double to_either_side = 1.96 * sqrt(pairs) / 2;
  const int low = (int)floor(pairs / 2.0 - to_either_side);
  const int high = (int)ceil(pairs / 2.0 + to_either_side);
  return (Share){.median = (sorted[(pairs - 1) / 2] + sorted[pairs / 2]) / 2,
                 .low = sorted[low > 0 ? low : 0],
                 .high = sorted[high < pairs ? high : pairs - 1],
                 .pairs = pairs};
}

bool timing_is_certain(const Share *share) {
  return share->high - share->low <= 0.01 * share->median;
}
