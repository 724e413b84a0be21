// Grades end to end on the emulated device: solutions pass, starters and wrong submissions fail for
// their own reason.
//
// In: the repository root; submissions are built by the grader, as anybody's are.
#include "command.h"

#include <criterion/parameterized.h>
#include <glob.h>
#include <stdio.h>

#define CHECK                                                                                      \
  "LD_LIBRARY_PATH=build/emulator EMULATOR_INSTRUCTION_BUDGET=100000 "                             \
  "python3 -m grading.check emulated "

// One file to grade, and words that the verdict must hold.
typedef struct {
  char source[96];
  char reason[96];
} Graded;

#define MAX_GRADED 256
static Graded graded[MAX_GRADED];

// Fills graded from the pattern; returns how many.
static size_t find_sources(const char *pattern) {
  glob_t found;
  cr_assert_eq(glob(pattern, 0, NULL, &found), 0, "nothing matches %s", pattern);
  for (size_t n = 0; n < found.gl_pathc; n++)
    snprintf(graded[n].source, sizeof graded[n].source, "%s", found.gl_pathv[n]);
  const size_t count = found.gl_pathc;
  globfree(&found);
  return count;
}

ParameterizedTestParameters(check, solution_passes_with_all_points) {
  const size_t count = find_sources("solutions/*/*.hip");
  return cr_make_param_array(Graded, graded, count);
}

ParameterizedTest(Graded *solution, check, solution_passes_with_all_points) {
  assert_ends(0, CHECK "%s", solution->source);
  assert_said("PASSED: ");
}

ParameterizedTestParameters(check, starter_fails_its_goal_with_the_place_to_edit) {
  const size_t count = find_sources("labs/*/*.hip");
  return cr_make_param_array(Graded, graded, count);
}

// Lab 01 starts without a computation; every later starter is right, and fails only the new goal.
ParameterizedTest(Graded *starter, check, starter_fails_its_goal_with_the_place_to_edit) {
  assert_ends(1, CHECK "%s", starter->source);
  if (strstr(starter->source, "01-baseline"))
    assert_said("interior points was written, boundary untouched");
  else
    assert_said("pass  interior points right");
  char next[160];
  snprintf(next, sizeof next, "Next: edit %s, line ", starter->source);
  assert_said(next);
  char repeat[64];
  snprintf(repeat, sizeof repeat, "Repeat: make run LAB=%.2s DEVICE=emulated ",
           starter->source + strlen("labs/"));
  assert_said(repeat);
}

// tests/submissions/NN-name/reasons.txt: "name: words" for each .hip file beside it.
ParameterizedTestParameters(check, wrong_submission_fails_for_its_reason) {
  glob_t lists;
  cr_assert_eq(glob("tests/submissions/*/reasons.txt", 0, NULL, &lists), 0);
  size_t count = 0;
  for (size_t n = 0; n < lists.gl_pathc; n++) {
    FILE *list = fopen(lists.gl_pathv[n], "r");
    char line[256], name[32];
    const int folder = (int)(strrchr(lists.gl_pathv[n], '/') - lists.gl_pathv[n]);
    while (count < MAX_GRADED && fgets(line, sizeof line, list)) {
      cr_assert_eq(sscanf(line, "%31[^:]: %95[^\n]", name, graded[count].reason), 2, "%s", line);
      snprintf(graded[count].source, sizeof graded[count].source, "%.*s/%s.hip", folder,
               lists.gl_pathv[n], name);
      count++;
    }
    fclose(list);
  }
  globfree(&lists);
  return cr_make_param_array(Graded, graded, count);
}

ParameterizedTest(Graded *wrong, check, wrong_submission_fails_for_its_reason) {
  assert_ends(1, CHECK "%s", wrong->source);
  assert_said("NOT YET");
  assert_said(wrong->reason);
  assert_not_said("Traceback");
  assert_not_said("remark:");
}

// A submission without a reason would never be graded.
Test(check, every_wrong_submission_has_a_reason) {
  assert_ends(0, "for f in tests/submissions/*/*.hip; do "
                 "grep -q \"^$(basename $f .hip): \" $(dirname $f)/reasons.txt || echo $f; done");
  cr_assert_str_eq(output, "");
}
