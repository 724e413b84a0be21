// Which points are wrong, in words.
#include "pattern.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { NX = 40, NY = 34, NZ = 12 };
static const int FROM[3] = {1, 1, 1}, TO[3] = {NX - 1, NY - 1, NZ - 1};

typedef bool Wrong(int i, int j, int k);
typedef double Found(int i, int j, int k);

static double other(int i, int j, int k) { return i + 3 * j + 7 * k; }

// The phrase for the points that are wrong so; 2 is expected everywhere.
static const char *phrase(Wrong *wrong, Found *found) {
  static char text[256];
  Pattern p = pattern_make(FROM, TO);
  for (int k = FROM[2]; k < TO[2]; k++)
    for (int j = FROM[1]; j < TO[1]; j++)
      for (int i = FROM[0]; i < TO[0]; i++)
        if (wrong(i, j, k))
          pattern_add(&p, i, j, k, found(i, j, k), 2);
  pattern_phrase(&p, text, sizeof text);
  pattern_free(&p);
  return text;
}

static bool all(int i, int j, int k) { return i + j + k > 0; }
static bool nowhere(int i, int j, int k) { return i + j + k < 0; }
static bool one(int i, int j, int k) { return i == 5 && j == 5 && k == 5; }
static bool every_8th_row(int i, int j, int k) { return i + k > 0 && j % 8 == 0; }
static bool no_8th_row(int i, int j, int k) { return i + k > 0 && j % 8 != 0; }
static bool first_plane(int i, int j, int k) { return i + j > 0 && k == 1; }
static bool last_column(int i, int j, int k) { return j + k > 0 && i == NX - 2; }
static bool last_columns(int i, int j, int k) { return j + k > 0 && i >= 32; }
static bool middle_rows(int i, int j, int k) { return i + k > 0 && j >= 9 && j < 12; }
static bool ends(int i, int j, int k) { return i + k > 0 && (j == 1 || j == NY - 2); }
static bool two_rows(int i, int j, int k) { return i + k > 0 && (j == 8 || j == 16); }
static bool but_last_plane(int i, int j, int k) { return i + j > 0 && k != NZ - 2; }
static bool corner(int i, int j, int k) { return every_8th_row(i, j, k) && k == 1 && i % 2; }
static bool diagonal(int i, int j, int k) { return i == j && k < NZ; }

Test(pattern, names_rows_planes_and_columns) {
  const struct {
    Wrong *wrong;
    const char *words;
  } cases[] = {{every_8th_row, "every 8th row, from j = 8"},
               {no_8th_row, "all rows but every 8th row, from j = 8"},
               {first_plane, "the first plane"},
               {last_column, "the last column"},
               {last_columns, "the last 7 columns"},
               {middle_rows, "the rows j = 9 to 11"},
               {ends, "the first and the last row"},
               {two_rows, "the rows j = 8 and 16"},
               {but_last_plane, "the first 9 planes"},
               {corner, "the first plane; every 8th row, from j = 8; every 2nd column, from i = 1"},
               {all, "every point"},
               {one, ""},
               {nowhere, ""}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
    cr_assert_str_eq(phrase(cases[n].wrong, other), cases[n].words);
}

Test(pattern, says_what_share_is_wrong_where_not_all_is) {
  cr_assert_str_eq(phrase(diagonal, other), "the first 32 columns; 3.1 % of the points there");
}

static double half(int i, int j, int k) { return i + j + k > 0 ? 1 : 0; }
static double nan_once(int i, int j, int k) { return i == 3 && j == 3 && k == 3 ? NAN : 1; }

Test(pattern, finds_one_factor) {
  cr_assert_str_eq(phrase(first_plane, half), "the first plane; all by the same factor, 0.5");
  cr_assert_str_eq(phrase(all, half), "every point; all by the same factor, 0.5");
  cr_assert_str_eq(phrase(all, nan_once), "every point");
}
