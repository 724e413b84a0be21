// Element-by-element verification. See verify.h.
#include "verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Describes element n of slice k, known to be at fault.
static void record_first(Verification *v, const Grid *g, int k, size_t n, const double *f,
                         const double *expected) {
  v->first.i = (int)(n % g->ld);
  v->first.j = (int)(n / g->ld);
  v->first.k = k;
  v->first.got = f[n];
  if (!grid_is_interior(g, v->first.i, v->first.j, k)) {
    v->first.fault = ELEMENT_TOUCHED;
    return;
  }
  v->first.expected = expected[n];
  v->first.fault = verify_is_poison(f[n]) ? ELEMENT_UNWRITTEN
                   : !isfinite(f[n])      ? ELEMENT_NOT_FINITE
                                          : ELEMENT_WRONG;
}

// What was found in a stretch of elements; first is an index into the slice.
typedef struct {
  uint64_t checked, wrong, unwritten, touched;
  double max_error; // absolute
  size_t first;
} Finding;

// Compares the interior elements start .. end-1 of one row, fast when all are right.
static void check_interior(Finding *found, double limit, const double *f, const double *expected,
                           size_t start, size_t end) {
  uint64_t wrong = 0;
  double max_error = 0;
#pragma omp simd reduction(+ : wrong) reduction(max : max_error)
  for (size_t n = start; n < end; n++) {
    const double error = fabs(f[n] - expected[n]);
    wrong += !(error <= limit); // written so that a NaN is wrong
    max_error = error > max_error ? error : max_error;
  }
  if (wrong) {
    for (size_t n = end; n-- > start;) {
      if (fabs(f[n] - expected[n]) <= limit)
        continue;
      found->first = n;
      found->unwritten += verify_is_poison(f[n]);
      if (!isfinite(f[n]))
        max_error = INFINITY;
    }
  }
  found->checked += end - start;
  found->wrong += wrong;
  found->max_error = fmax(found->max_error, max_error);
}

// Elements start .. end-1 of one row must still be poison.
static void check_outside(Finding *found, const double *f, size_t start, size_t end) {
  for (size_t n = end; n-- > start;) {
    if (verify_is_poison(f[n]))
      continue;
    found->touched++;
    found->first = n;
  }
}

// All elements of row j, from right to left, so that first ends up as the leftmost at fault.
static Finding check_row(const Grid *g, int j, int k, double limit, const double *f,
                         const double *expected) {
  Finding found = {.first = SIZE_MAX};
  const size_t row = (size_t)j * g->ld, row_end = row + g->ld;
  if (grid_is_interior(g, g->radius, j, k)) {
    const size_t start = row + (size_t)g->radius, end = row + (size_t)(g->nx - g->radius);
    check_outside(&found, f, end, row_end);
    check_interior(&found, limit, f, expected, start, end);
    check_outside(&found, f, row, start);
  } else {
    check_outside(&found, f, row, row_end);
  }
  return found;
}

// Adds the wrong elements of slice k, of which there are some, to the pattern.
static void add_to_pattern(const Verification *v, const Grid *g, int k, const double *f,
                           const double *expected) {
  for (int j = g->radius; j < g->ny - g->radius; j++)
    for (int i = g->radius; i < g->nx - g->radius; i++) {
      const size_t n = (size_t)i + (size_t)j * g->ld;
      if (!(fabs(f[n] - expected[n]) <= v->tolerance * v->scale))
        pattern_add(v->pattern, i, j, k, f[n], expected[n]);
    }
}

void verify_slice(Verification *v, const Grid *g, int k, const double *f, const double *expected) {
  uint64_t checked = 0, wrong = 0, unwritten = 0, touched = 0;
  size_t first = SIZE_MAX;
  double max_error = 0;
#pragma omp parallel for reduction(+ : checked, wrong, unwritten, touched) reduction(min : first)  \
    reduction(max : max_error)
  for (int j = 0; j < g->ny; j++) {
    const Finding found = check_row(g, j, k, v->tolerance * v->scale, f, expected);
    checked += found.checked;
    wrong += found.wrong;
    unwritten += found.unwritten;
    touched += found.touched;
    first = found.first < first ? found.first : first;
    max_error = found.max_error > max_error ? found.max_error : max_error;
  }
  if (first != SIZE_MAX && v->wrong + v->touched == 0)
    record_first(v, g, k, first, f, expected);
  if (wrong && v->pattern)
    add_to_pattern(v, g, k, f, expected);
  v->checked += checked;
  v->wrong += wrong;
  v->unwritten += unwritten;
  v->touched += touched;
  v->max_error = fmax(v->max_error, max_error / v->scale);
}

void verify_input_slice(Verification *v, const Grid *g, int k, const double *after,
                        const double *before) {
  bool same = true;
#pragma omp parallel for reduction(&& : same)
  for (int j = 0; j < g->ny; j++)
    same = same && memcmp(&after[(size_t)j * g->ld], &before[(size_t)j * g->ld],
                          g->ld * sizeof *after) == 0;
  if (same)
    return;
  for (size_t n = 0; n < g->slice; n++) {
    if (memcmp(&after[n], &before[n], sizeof after[n]) == 0)
      continue;
    if (v->changed++ == 0)
      v->first_changed = (Point){(int)(n % g->ld), (int)(n / g->ld), k};
  }
}

bool verify_passed(const Verification *v, const Grid *grid) {
  return v->wrong == 0 && v->touched == 0 && v->changed == 0 && !v->refused &&
         v->checked == grid_interior_points(grid);
}

void verify_sentence(const Verification *v, char *text, size_t size) {
  if (*v->sentence) {
    snprintf(text, size, "%s", v->sentence);
    return;
  }
  if (v->changed) {
    snprintf(text, size,
             "%s input: %" PRIu64 " elements of the input u were changed, and a kernel may only "
             "read it; the first is (i, j, k) = (%d, %d, %d)",
             v->name, v->changed, v->first_changed.i, v->first_changed.j, v->first_changed.k);
    return;
  }
  if (v->wrong == 0 && v->touched == 0) {
    snprintf(text, size,
             "%s input: all %" PRIu64
             " interior points right (largest error %.1e, tolerance %.1e), boundary untouched",
             v->name, v->checked, v->max_error, v->tolerance);
    return;
  }
  if (v->unwritten == v->checked && v->touched == 0) {
    snprintf(text, size,
             "%s input: none of the %" PRIu64 " interior points was written, boundary untouched",
             v->name, v->checked);
    return;
  }
  char what[160];
  if (v->first.fault == ELEMENT_TOUCHED)
    snprintf(what, sizeof what,
             "holds %.17g but lies on the boundary or in the padding, which must stay untouched",
             v->first.got);
  else if (v->first.fault == ELEMENT_UNWRITTEN)
    snprintf(what, sizeof what, "was never written, expected %.17g", v->first.expected);
  else
    snprintf(what, sizeof what, "is %.17g, expected %.17g", v->first.got, v->first.expected);
  snprintf(text, size,
           "%s input: %" PRIu64 " of %" PRIu64 " interior points wrong (%" PRIu64
           " never written), %" PRIu64
           " outside overwritten; the first, (i, j, k) = (%d, %d, %d), %s%s%s",
           v->name, v->wrong, v->checked, v->unwritten, v->touched, v->first.i, v->first.j,
           v->first.k, what, *v->where ? ". Which are wrong: " : "", v->where);
}
