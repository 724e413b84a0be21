// What a set of repeated kernel times comes to.
#ifndef TIMING_H
#define TIMING_H

typedef struct {
  double median, min, max; // milliseconds
  int runs;
} Timing;

// Summarises runs >= 1 times in milliseconds; sorts ms in place.
Timing timing_summary(double *ms, int runs);

#endif
