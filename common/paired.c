// The kernel and the device's own copy in turns. See paired.h.
#include "paired.h"

#include "device.h"

#include <math.h>

#define MOST_WARM_UPS 100
#define ALIKE 0.01 // times that are so close are the same
#define LEAST_PAIRS 10
#define COPIED_BYTES 1e9 // enough that the time of the launch itself does not matter
#define FLUSH_OVER_L2 2  // what is filled before each time, in sizes of L2

// What is timed against, and what clears the caches.
typedef struct {
  void *from, *to, *flush;
  size_t bytes, flush_bytes;
} Yardstick;

static Yardstick make_yardstick(void) {
  Yardstick y = {.bytes = (size_t)COPIED_BYTES, .flush_bytes = FLUSH_OVER_L2 * device_l2_bytes()};
  y.from = device_memory(y.bytes);
  y.to = device_memory(y.bytes);
  y.flush = device_memory(y.flush_bytes);
  device_fill(y.from, 1, y.bytes);
  return y;
}

static void free_yardstick(const Yardstick *y) {
  device_free(y->from);
  device_free(y->to);
  device_free(y->flush);
}

static double time_copy(const Yardstick *y) {
  device_fill(y->flush, 0, y->flush_bytes);
  return device_timed_copy(y->to, y->from, y->bytes);
}

static double time_kernel(const Yardstick *y, const Launch *launch) {
  launch->family->renew(launch);
  device_fill(y->flush, 0, y->flush_bytes);
  return device_timed_run(launch);
}

static bool alike(double a, double b) { return fabs(a - b) <= ALIKE * fmin(a, b); }

// Clocks rise and caches of addresses fill: until three times in a row are the same.
static void warm_up(const Yardstick *y, const Launch *launch) {
  double before = INFINITY, last = INFINITY;
  for (int n = 0; n < MOST_WARM_UPS; n++) {
    time_copy(y);
    const double ms = time_kernel(y, launch);
    if (alike(ms, last) && alike(ms, before))
      return;
    before = last;
    last = ms;
  }
}

Paired paired_times(const Launch *launch, double bytes, int pairs) {
  const Yardstick y = make_yardstick();
  double kernel_ms[MOST_PAIRS], copy_ms[MOST_PAIRS], share[MOST_PAIRS];
  const int most = pairs && pairs < MOST_PAIRS ? pairs : MOST_PAIRS;
  Paired result = {.copy_gbs = 0};
  warm_up(&y, launch);
  for (int n = 0; n < most; n++) {
    copy_ms[n] = time_copy(&y);
    kernel_ms[n] = time_kernel(&y, launch);
    share[n] = bytes / kernel_ms[n] / (2 * (double)y.bytes / copy_ms[n]);
    result.of_copy = timing_share(share, n + 1);
    if (!pairs && n + 1 >= LEAST_PAIRS && timing_is_certain(&result.of_copy))
      break;
  }
  result.kernel = timing_summary(kernel_ms, result.of_copy.pairs);
  const Timing copy = timing_summary(copy_ms, result.of_copy.pairs);
  result.copy_gbs = 2 * (double)y.bytes / (copy.median * 1e6);
  free_yardstick(&y);
  return result;
}
