// Where wrong points lie. See pattern.h.
#include "pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SAME_FACTOR 1e-9 // relative
enum { SHORT = 64, LEAST_REPEATED = 3 };

// How one speaks of the points that share an i, a j or a k.
static const struct {
  const char *one, *many;
  char letter;
} AXIS[3] = {{"column", "columns", 'i'}, {"row", "rows", 'j'}, {"plane", "planes", 'k'}};

Pattern pattern_make(const int from[3], const int to[3]) {
  Pattern p = {.least = INFINITY, .most = -INFINITY};
  for (int a = 0; a < 3; a++) {
    p.from[a] = from[a];
    p.to[a] = to[a];
    p.seen[a] = to[a] > from[a] ? calloc((size_t)(to[a] - from[a]), sizeof(bool)) : NULL;
  }
  return p;
}

static bool has_memory(const Pattern *p) { return p->seen[0] && p->seen[1] && p->seen[2]; }

void pattern_add(Pattern *p, int i, int j, int k, double got, double expected) {
  const int at[3] = {i, j, k};
  if (!has_memory(p))
    return;
  for (int a = 0; a < 3; a++)
    p->seen[a][at[a] - p->from[a]] = true;
  p->wrong++;
  const double factor = got / expected;
  p->has_no_factor |= !isfinite(factor);
  p->least = fmin(p->least, factor);
  p->most = fmax(p->most, factor);
}

// The numbers along an axis that are, or are not, those of wrong points.
typedef struct {
  int first, last, count, step; // step: between any two neighbours, 0 where it differs
} Run;

static Run run_of(const Pattern *p, int a, bool wrong) {
  Run run = {.step = -1};
  for (int n = p->from[a]; n < p->to[a]; n++) {
    if (p->seen[a][n - p->from[a]] != wrong)
      continue;
    if (run.count == 0)
      run.first = n;
    else if (run.step == -1)
      run.step = n - run.last;
    else if (run.step != n - run.last)
      run.step = 0;
    run.last = n;
    run.count++;
  }
  return run;
}

static const char *ordinal_end(int n) {
  const int last = n % 100 / 10 == 1 ? 0 : n % 10;
  return last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th";
}

// "the first row", "every 8th row, from j = 8"; false where there is no such word for them.
static bool name_run(const Pattern *p, int a, const Run *run, char text[SHORT]) {
  const bool at_begin = run->first == p->from[a], at_end = run->last == p->to[a] - 1;
  const char *one = AXIS[a].one, *many = AXIS[a].many;
  if (run->count == 1 && (at_begin || at_end))
    snprintf(text, SHORT, "the %s %s", at_begin ? "first" : "last", one);
  else if (run->count == 1)
    snprintf(text, SHORT, "the %s %c = %d", one, AXIS[a].letter, run->first);
  else if (run->count == 2 && at_begin && at_end)
    snprintf(text, SHORT, "the first and the last %s", one);
  else if (run->count == 2 && run->step > 1)
    snprintf(text, SHORT, "the %s %c = %d and %d", many, AXIS[a].letter, run->first, run->last);
  else if (run->step == 1 && (at_begin || at_end))
    snprintf(text, SHORT, "the %s %d %s", at_begin ? "first" : "last", run->count, many);
  else if (run->step == 1)
    snprintf(text, SHORT, "the %s %c = %d to %d", many, AXIS[a].letter, run->first, run->last);
  else if (run->step > 1 && run->count >= LEAST_REPEATED)
    snprintf(text, SHORT, "every %d%s %s, from %c = %d", run->step, ordinal_end(run->step), one,
             AXIS[a].letter, run->first);
  else
    return false;
  return true;
}

// The part of the phrase that is about one axis; "" where wrong points are all along it.
static void name_axis(const Pattern *p, int a, char text[2 * SHORT]) {
  const Run wrong = run_of(p, a, true), right = run_of(p, a, false);
  char part[SHORT];
  if (right.count == 0)
    *text = '\0';
  else if (name_run(p, a, &wrong, part))
    snprintf(text, 2 * SHORT, "%s", part);
  else if (name_run(p, a, &right, part))
    snprintf(text, 2 * SHORT, "all %s but %s", AXIS[a].many, part);
  else
    snprintf(text, 2 * SHORT, "%d of %d %s", wrong.count, wrong.count + right.count, AXIS[a].many);
}

static void append(char *text, size_t size, size_t *used, const char *part) {
  if (*part && *used < size)
    *used += (size_t)snprintf(text + *used, size - *used, "%s%s", *used ? "; " : "", part);
}

void pattern_phrase(const Pattern *p, char *text, size_t size) {
  char part[2 * SHORT];
  size_t used = 0;
  uint64_t within = 1; // points of the rows, planes and columns that are named
  *text = '\0';
  if (!has_memory(p) || p->wrong < 2)
    return;
  for (int a = 2; a >= 0; a--) {
    within *= (uint64_t)run_of(p, a, true).count;
    name_axis(p, a, part);
    append(text, size, &used, part);
  }
  if (used == 0 && within == p->wrong)
    append(text, size, &used, "every point");
  else if (within != p->wrong) {
    const double percent = 100.0 * (double)p->wrong / (double)within;
    char share[SHORT] = "nearly all";
    if (percent < 99)
      snprintf(share, sizeof share, "%.2g %% of the", percent);
    snprintf(part, sizeof part, "%s points%s", share,
             used ? " there" : ", in all rows, planes and columns");
    append(text, size, &used, part);
  }
  if (!p->has_no_factor && p->most - p->least <= SAME_FACTOR * fabs(p->most)) {
    snprintf(part, sizeof part, "all by the same factor, %.6g", p->most);
    append(text, size, &used, part);
  }
}

void pattern_free(Pattern *p) {
  for (int a = 0; a < 3; a++)
    free(p->seen[a]);
}
