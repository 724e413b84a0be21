// Checks a kernel's output, element by element, slice by slice.
//
// Before the launch the output is poisoned (every byte POISON_BYTE). Afterwards each interior
// element must be finite and near the expected value, and every other element (boundary, padding)
// must still be poison, bit for bit. Threads share the work, yet the report is the same every time:
// the first wrong element is the one with the smallest linear index.
#ifndef VERIFY_H
#define VERIFY_H

#include "grid.h"
#include "pattern.h"

#include <string.h>

// All bytes 0xff make a NaN that no arithmetic produces (hardware's own NaN is 0x7ff8...), so
// "never written" and "computed a NaN" can be told apart, and hipMemset can write it.
#define POISON_BYTE 0xff

#define VERIFY_SENTENCE 768 // bytes of the longest

typedef enum { ELEMENT_WRONG, ELEMENT_UNWRITTEN, ELEMENT_NOT_FINITE, ELEMENT_TOUCHED } ElementFault;

typedef struct {
  int i, j, k;
} Point;

typedef struct {
  const char *name;   // "quadratic", "random"
  double scale;       // errors are |got - expected| / scale
  double tolerance;   // largest error that passes
  uint64_t checked;   // interior elements looked at
  uint64_t wrong;     // interior elements that fail, the unwritten ones among them
  uint64_t unwritten; // interior elements that still hold the poison
  uint64_t touched;   // elements outside the interior that were overwritten
  uint64_t changed;   // elements of the input that are not what they were
  double max_error;   // largest error; INFINITY when an interior element is NaN, Inf or unwritten
  struct {            // valid when wrong or touched is not 0
    ElementFault fault;
    int i, j, k;
    double expected, got;
  } first;
  Point first_changed; // valid when changed is not 0
  Pattern *pattern;    // takes the wrong elements, where it is asked for
  char where[256];     // which are wrong, in words; "" if that was not asked for
  bool refused;        // set where a lab checks more than elements, and that failed
  char sentence
      [VERIFY_SENTENCE]; // said instead of verify_sentence's own words, where a lab has better ones
} Verification;

// True for the value that POISON_BYTE makes, bit for bit.
static inline bool verify_is_poison(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits == UINT64_MAX;
}

// Adds slice k of the output f. expected holds the interior elements' values; NULL where the whole
// slice is boundary. Slices must come in the order k = 0, 1, ..., for "first" to be the first.
void verify_slice(Verification *v, const Grid *grid, int k, const double *f,
                  const double *expected);

// Adds slice k of the input as it is after the launch, and as it was before.
void verify_input_slice(Verification *v, const Grid *grid, int k, const double *after,
                        const double *before);

// True when nothing is wrong and all of the grid's interior was looked at.
bool verify_passed(const Verification *v, const Grid *grid);

// One sentence, without a full stop, on what was found.
void verify_sentence(const Verification *v, char *text, size_t size);

#endif
