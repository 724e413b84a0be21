// What a set of repeated times comes to.
#ifndef TIMING_H
#define TIMING_H

#include <stdbool.h>

typedef struct {
  double median, min, max; // milliseconds
  int runs;
} Timing;

// Summarises runs >= 1 times in milliseconds; sorts ms in place.
Timing timing_summary(double *ms, int runs);

// The median of ratios of two times that were taken in turns, and where 95 of 100 such medians lie.
typedef struct {
  double median, low, high;
  int pairs;
} Share;

// Of pairs >= 1 ratios, whose order it keeps. The interval is that of order statistics: it takes
// nothing for granted about how times scatter (Conover, Practical Nonparametric Statistics, 3.2).
Share timing_share(const double *ratios, int pairs);

// A kernel timed in turns with the device's own copy (paired.h).
typedef struct {
  Timing kernel;
  double copy_gbs; // what the copy moves, read and written, median
  Share of_copy;   // the kernel's effective bandwidth over the copy's of the same pair
} Paired;

// Whether the interval is at most 1 % wide.
bool timing_is_certain(const Share *share);

#endif
