// Which points are wrong, in words: "every 8th row, from j = 8; the first plane".
//
// In:  the wrong points of a launch, one after the other, with what was found and expected there.
// Out: a phrase that says where they lie, as far as they lie in whole rows, planes and columns, and
// whether all are wrong by one factor.
#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  int from[3], to[3]; // points i, j, k that a kernel computes: from .. to - 1
  bool *seen[3];      // of these, whether a wrong point has it
  uint64_t wrong;     // points
  double least, most; // of what was found over what was expected
  bool has_no_factor; // a point where that is no number
} Pattern;

// No wrong points yet. Where the host has no memory, nothing is kept and nothing said.
Pattern pattern_make(const int from[3], const int to[3]);

void pattern_add(Pattern *p, int i, int j, int k, double got, double expected);

// "" where nothing is to be said.
void pattern_phrase(const Pattern *p, char *text, size_t size);

void pattern_free(Pattern *p);

#endif
