// Lines that fit into a terminal: broken at blanks, nothing lost, whole where there is no terminal.
#include "fitted.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *fitted(const char *text, size_t columns) {
  char *shown = NULL;
  size_t size;
  FILE *out = open_memstream(&shown, &size);
  fitted_print(out, text, columns);
  fclose(out);
  return shown;
}

#define LINE "memory      one two three four five six seven\n"

Test(fitted, a_long_line_goes_on_below_the_values) {
  cr_assert_str_eq(fitted(LINE "x\n", 30),
                   "memory      one two three four\n            five six seven\nx\n");
  cr_assert_str_eq(fitted(LINE, 29),
                   "memory      one two three\n            four five six\n            seven\n");
}

Test(fitted, lines_that_fit_are_left_alone) {
  cr_assert_str_eq(fitted(LINE, strlen(LINE) - 1), LINE);
  cr_assert_str_eq(fitted(LINE, 0), LINE, "no terminal");
  cr_assert_str_eq(fitted("", 80), "");
  cr_assert_str_eq(fitted("no end of line", 80), "no end of line");
}

Test(fitted, a_word_that_is_too_long_stays_whole) {
  cr_assert_str_eq(fitted("/a/path/that/is/longer/than/the/line b\n", 30),
                   "/a/path/that/is/longer/than/the/line\n            b\n");
}

Test(fitted, a_file_is_no_terminal) { cr_assert_eq(fitted_columns(tmpfile()), 0); }
