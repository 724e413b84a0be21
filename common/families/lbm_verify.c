// Verification of a lattice-Boltzmann step. See lbm_verify.h.
#include "lbm_verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Relative to the mass. The sums carry 64 bits; what scatters are the roundings of the points,
// 1e-16 of each, which average out. Losing 1 % of one point's mass is 8e-8 of the default grid's.
#define CONSERVED_TOLERANCE 1e-14

enum { POPULATIONS = LBM_G_COUNT + LBM_F_COUNT };

// What was found so far. first_wrong counts populations, point by point; first_touched elements.
typedef struct {
  uint64_t wrong, unwritten, touched;
  double max_error;
  size_t first_wrong, first_touched;
} Finding;

// Where population n of point `at` is after the step; n counts g, then f, as the arrays do.
static size_t place(const LbmInput *in, int n, int at) {
  const int to = n < LBM_F ? lbm_target(in->layout, n, at) : at;
  return lbm_element(in->layout, n, lbm_level_after(in, n), to);
}

// In that order.
static void collide(const LbmPoint *before, double expected[POPULATIONS]) {
  const LbmPopulations after = lbm_collide(before);
  _Static_assert(sizeof after == POPULATIONS * sizeof *expected, "g, then f");
  memcpy(expected, &after, sizeof after);
}

static void check_point(Finding *found, const size_t places[POPULATIONS], const double *memory,
                        int at, const LbmPoint *before) {
  double expected[POPULATIONS];
  collide(before, expected);
  bool wrong = false, unwritten = false;
  for (int n = POPULATIONS - 1; n >= 0; n--) { // downwards, so that the first is kept
    const double got = memory[places[n] + (size_t)at], error = fabs(got - expected[n]);
    if (!(error <= LBM_TOLERANCE)) { // written so that a NaN is wrong
      wrong = true;
      unwritten |= verify_is_poison(got);
      const size_t index = (size_t)at * POPULATIONS + (size_t)n;
      found->first_wrong = index < found->first_wrong ? index : found->first_wrong;
    }
    if (!(error <= found->max_error))
      found->max_error = isfinite(error) ? error : INFINITY;
  }
  found->wrong += wrong;
  found->unwritten += unwritten;
}

// `count` points of a row, from element `at` on.
static void check_points(Finding *found, const LbmInput *in, const double *memory, int at,
                         int count) {
  // Of element 0: some are below 0, and come round again with `at`.
  size_t places[POPULATIONS];
  for (int n = 0; n < POPULATIONS; n++)
    places[n] = place(in, n, 0);
  for (int begin = 0; begin < count; begin += LBM_CHUNK) {
    LbmPoint before[LBM_CHUNK];
    const int now = lbm_chunk(count - begin);
    lbm_input_points(in, at + begin, now, before);
    for (int i = 0; i < now; i++)
      check_point(found, places, memory, at + begin + i, &before[i]);
  }
}

// Elements that the step must leave as they are, from `at` on.
static void check_run(Finding *found, const LbmInput *in, const double *memory, int array,
                      int level, int at, int count) {
  double before[LBM_CHUNK];
  for (; count > 0; at += LBM_CHUNK, count -= LBM_CHUNK) {
    const int now = lbm_chunk(count);
    const size_t first = lbm_element(in->layout, array, level, at);
    lbm_input_run(in, array, level, at, now, before);
    if (memcmp(before, &memory[first], (size_t)now * sizeof *before) == 0)
      continue;
    for (int i = 0; i < now; i++)
      if (memcmp(&before[i], &memory[first + (size_t)i], sizeof *before) != 0) {
        found->touched++;
        found->first_touched =
            first + (size_t)i < found->first_touched ? first + (size_t)i : found->first_touched;
      }
  }
}

// All of a level, but what the step writes: each point's population, where that now is.
static void check_untouched(Finding *found, const LbmInput *in, const double *memory, int array,
                            int level) {
  const LbmLayout *l = in->layout;
  const bool is_written = array < LBM_PHI && level == lbm_level_after(in, array);
  const int shift = array < LBM_F ? lbm_target(l, array, 0) : 0;
  int at = 0;
  for (int row = 0; is_written && row < l->ny * l->nz; row++) {
    const int begin = lbm_row(l, row) + shift;
    check_run(found, in, memory, array, level, at, begin - at);
    at = begin + l->nx;
  }
  check_run(found, in, memory, array, level, at, l->level - at);
}

static void merge(Finding *all, const Finding *part) {
  all->wrong += part->wrong;
  all->unwritten += part->unwritten;
  all->touched += part->touched;
  all->max_error = fmax(all->max_error, part->max_error);
  if (part->first_wrong < all->first_wrong)
    all->first_wrong = part->first_wrong;
  if (part->first_touched < all->first_touched)
    all->first_touched = part->first_touched;
}

static Finding compare(const LbmInput *in, const double *memory) {
  const LbmLayout *l = in->layout;
  Finding all = {.first_wrong = SIZE_MAX, .first_touched = SIZE_MAX};
#pragma omp parallel
  {
    Finding part = {.first_wrong = SIZE_MAX, .first_touched = SIZE_MAX};
#pragma omp for nowait
    for (int row = 0; row < l->ny * l->nz; row++)
      check_points(&part, in, memory, lbm_row(l, row), l->nx);
#pragma omp for nowait
    for (int n = 0; n < 2 * LBM_ARRAYS; n++)
      check_untouched(&part, in, memory, n / 2, n % 2);
#pragma omp critical
    merge(&all, &part);
  }
  return all;
}

// "(i, j, k)" of an element of a level; in the halo one of them is -1 or the number of points.
static void print_point(char text[48], const LbmLayout *l, int at) {
  snprintf(text, 48, "(%d, %d, %d)", at % l->row - 1, at % l->slice / l->row - 1,
           at / l->slice - 1);
}

static void describe_wrong(char *text, size_t size, const LbmInput *in, const double *memory,
                           size_t first) {
  const int at = (int)(first / POPULATIONS), n = (int)(first % POPULATIONS);
  LbmPoint before;
  lbm_input_points(in, at, 1, &before);
  double expected[POPULATIONS];
  collide(&before, expected);
  const double got = memory[place(in, n, at)];
  char from[48], to[48];
  print_point(from, in->layout, at);
  print_point(to, in->layout, n < LBM_F ? lbm_target(in->layout, n, at) : at);
  const int used = snprintf(text, size, "; the first, %s of point %s, ", LBM_NAME[n], from);
  if (n > 0 && n < LBM_F && (size_t)used < size)
    snprintf(text + used, size - (size_t)used, "streamed to %s, ", to);
  const size_t end = strlen(text);
  if (verify_is_poison(got))
    snprintf(text + end, size - end, "was never written, expected %.17g", expected[n]);
  else
    snprintf(text + end, size - end, "is %.17g, expected %.17g", got, expected[n]);
}

static void describe_touched(char *text, size_t size, const LbmInput *in, const double *memory,
                             size_t first) {
  const size_t level = (size_t)in->layout->level;
  char where[48];
  print_point(where, in->layout, (int)(first % level));
  const int array = (int)(first / level / 2), current = (int)(first / level % 2) == in->current;
  const char *when = !lbm_has_two_levels(array) ? "" : current ? ", current level" : ", next level";
  snprintf(text, size, "; the first of these, %s of point %s%s, holds %.17g", LBM_NAME[array],
           where, when, memory[first]);
}

static bool conserved(long double expected, long double found, long double mass) {
  return fabsl(found - expected) <= CONSERVED_TOLERANCE * mass;
}

// Ends the sentence; returns whether all is conserved.
static bool describe_totals(char *text, size_t size, const LbmInput *in, const double *memory) {
  const LbmTotals expected = lbm_totals_expected(in), found = lbm_totals_found(in, memory);
  const struct {
    const char *name;
    long double expected, found;
  } total[] = {{"mass", expected.mass, found.mass},
               {"the order parameter", expected.order, found.order},
               {"momentum in x", expected.momentum[0], found.momentum[0]},
               {"momentum in y", expected.momentum[1], found.momentum[1]},
               {"momentum in z", expected.momentum[2], found.momentum[2]}};
  for (size_t n = 0; n < sizeof total / sizeof *total; n++)
    if (!conserved(total[n].expected, total[n].found, expected.mass)) {
      snprintf(text, size, "; %s is not conserved: its sum is %.15Lg, and must be %.15Lg",
               total[n].name, total[n].found, total[n].expected);
      return false;
    }
  snprintf(text, size, "; mass and order parameter conserved, momentum %s",
           in->force ? "changed by the force alone" : "too, for no force acts");
  return true;
}

// Which points are wrong, behind the sentence.
static void describe_pattern(Verification *v, const LbmInput *in, const double *memory) {
  const LbmLayout *l = in->layout;
  Pattern pattern = pattern_make((int[]){0, 0, 0}, (int[]){l->nx, l->ny, l->nz});
  for (int k = 0; k < l->nz; k++)
    for (int j = 0; j < l->ny; j++)
      for (int i = 0; i < l->nx; i++) {
        Finding found = {.first_wrong = SIZE_MAX};
        check_points(&found, in, memory, lbm_row(l, k * l->ny + j) + i, 1);
        if (found.wrong)
          pattern_add(&pattern, i, j, k, NAN, NAN); // of many populations, so without a factor
      }
  pattern_phrase(&pattern, v->where, sizeof v->where);
  pattern_free(&pattern);
  const size_t end = strlen(v->sentence);
  if (*v->where)
    snprintf(v->sentence + end, sizeof v->sentence - end, ". Which are wrong: %s", v->where);
}

void lbm_verify(Verification *v, const LbmInput *in, const double *memory) {
  const LbmLayout *l = in->layout;
  const Finding found = compare(in, memory);
  v->scale = 1;
  v->tolerance = LBM_TOLERANCE;
  v->checked = (uint64_t)l->nx * (uint64_t)l->ny * (uint64_t)l->nz;
  v->wrong = found.wrong;
  v->unwritten = found.unwritten;
  v->touched = found.touched;
  v->max_error = found.max_error;

  char first[200] = "", totals[160];
  v->refused = !describe_totals(totals, sizeof totals, in, memory);
  if (found.wrong)
    describe_wrong(first, sizeof first, in, memory, found.first_wrong);
  else if (found.touched)
    describe_touched(first, sizeof first, in, memory, found.first_touched);
  if (!found.wrong && !found.touched)
    snprintf(v->sentence, sizeof v->sentence,
             "%s: all %" PRIu64 " points right (26 populations each, largest error %.1e, tolerance "
             "%.1e), nothing else written%s",
             v->name, v->checked, v->max_error, v->tolerance, totals);
  else
    snprintf(v->sentence, sizeof v->sentence,
             "%s: %" PRIu64 " of %" PRIu64 " points wrong (%" PRIu64 " not fully written), %" PRIu64
             " elements overwritten that must stay%s%s",
             v->name, v->wrong, v->checked, v->unwritten, v->touched, first, totals);
  if (found.wrong)
    describe_pattern(v, in, memory);
}
