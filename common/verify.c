// Element-by-element verification. See verify.h.
#include "verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_poison(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits == UINT64_MAX;
}

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
  v->first.fault = is_poison(f[n])   ? ELEMENT_UNWRITTEN
                   : !isfinite(f[n]) ? ELEMENT_NOT_FINITE
                                     : ELEMENT_WRONG;
}

void verify_slice(Verification *v, const Grid *g, int k, const double *f, const double *expected) {
  const size_t none = SIZE_MAX;
  uint64_t checked = 0, wrong = 0, unwritten = 0, touched = 0;
  size_t first = none;
  double max_error = v->max_error;
#pragma omp parallel for reduction(+ : checked, wrong, unwritten, touched) reduction(min : first)  \
    reduction(max : max_error)
  for (int j = 0; j < g->ny; j++) {
    const size_t row = (size_t)j * g->ld;
    for (size_t n = row; n < row + g->ld; n++) {
      bool bad;
      if (grid_is_interior(g, (int)(n - row), j, k)) {
        const double error = fabs(f[n] - expected[n]) / v->scale;
        bad = !(error <= v->tolerance); // written so that a NaN is bad
        checked++;
        wrong += bad;
        unwritten += is_poison(f[n]);
        max_error = fmax(max_error, isnan(error) ? INFINITY : error);
      } else {
        bad = !is_poison(f[n]);
        touched += bad;
      }
      if (bad && n < first)
        first = n;
    }
  }
  if (first != none && v->wrong + v->touched == 0)
    record_first(v, g, k, first, f, expected);
  v->checked += checked;
  v->wrong += wrong;
  v->unwritten += unwritten;
  v->touched += touched;
  v->max_error = max_error;
}

bool verify_passed(const Verification *v, const Grid *grid) {
  return v->wrong == 0 && v->touched == 0 && v->checked == grid_interior_points(grid);
}

void verify_sentence(const Verification *v, char *text, size_t size) {
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
           " outside overwritten; the first, (i, j, k) = (%d, %d, %d), %s",
           v->name, v->wrong, v->checked, v->unwritten, v->touched, v->first.i, v->first.j,
           v->first.k, what);
}
