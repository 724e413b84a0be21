// Grades end to end on the emulated device: solutions and honest submissions pass, starters and wrong
// submissions fail for their own reason, and none of them prints a verdict or leaves anything behind.
//
// In: the repository root; submissions are built by the grader, as anybody's are.
#include "command.h"

#include <criterion/parameterized.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

// Always the same sizes and inputs: no verdict here hangs on luck.
#define CHECK "python3 -m grading.check emulated --seed 7 "

// One file to grade, and words that the verdict must hold.
typedef struct {
  char source[96];
  char reason[96];
} Graded;

#define MAX_GRADED 256
static Graded graded[MAX_GRADED];

// Fills graded from the pattern; returns how many.
// Lab 00 is about numbers, not code: tests/grading/test_machine.py.
#define GRADED_LABS "[0-9][1-9]-*"
static size_t find_sources(const char *pattern) {
  glob_t found;
  cr_assert_eq(glob(pattern, 0, NULL, &found), 0, "nothing matches %s", pattern);
  for (size_t n = 0; n < found.gl_pathc; n++)
    snprintf(graded[n].source, sizeof graded[n].source, "%s", found.gl_pathv[n]);
  const size_t count = found.gl_pathc;
  globfree(&found);
  return count;
}

// How many lines of the last command begin with the words.
static int lines_that_begin_with(const char *words) {
  int lines = 0;
  for (const char *line = output; line; line = strchr(line, '\n')) {
    line += line != output;
    lines += strncmp(line, words, strlen(words)) == 0;
  }
  return lines;
}

// The grader's own verdict, and no other.
static void assert_verdict(bool passed) {
  cr_assert_eq(lines_that_begin_with("PASSED"), passed, "%s", output);
  cr_assert_eq(lines_that_begin_with("NOT YET"), !passed, "%s", output);
}

ParameterizedTestParameters(check, solution_passes_with_all_points) {
  const size_t count = find_sources("solutions/" GRADED_LABS "/*.hip");
  return cr_make_param_array(Graded, graded, count);
}

ParameterizedTest(Graded *solution, check, solution_passes_with_all_points) {
  assert_ends(0, CHECK "%s", solution->source);
  assert_verdict(true);
}

ParameterizedTestParameters(check, starter_fails_its_goal_with_the_place_to_edit) {
  const size_t count = find_sources("labs/" GRADED_LABS "/*.hip");
  return cr_make_param_array(Graded, graded, count);
}

// Nobody has earned more than a fifth who has done nothing.
static void assert_few_points(void) {
  double points, possible;
  const char *verdict = strstr(output, "NOT YET: ");
  cr_assert(verdict && sscanf(verdict, "NOT YET: %lf of %lf points", &points, &possible) == 2);
  cr_assert(points <= 0.2 * possible, "%s", output);
}

// Lab 01 starts without a computation; every later starter is right, and fails only the new goal.
ParameterizedTest(Graded *starter, check, starter_fails_its_goal_with_the_place_to_edit) {
  assert_ends(1, CHECK "%s", starter->source);
  assert_verdict(false);
  if (strstr(starter->source, "01-baseline"))
    assert_said("interior points was written, boundary untouched");
  else
    assert_said("pass  interior points right");
  char next[160];
  snprintf(next, sizeof next, "Next: edit %s, ", starter->source);
  assert_said(next);
  char repeat[64];
  snprintf(repeat, sizeof repeat, "Repeat: make run LAB=%.2s DEVICE=emulated ",
           starter->source + strlen("labs/"));
  assert_said(repeat);
  assert_few_points();
}

// Submissions that one check grades, one after the other, so that none may spoil what is said of the next: one for each
// reason, and those that may leave something behind, or all of them by make test FULL=1.
enum { MOST_TOGETHER = 12 };
typedef struct {
  Graded graded[MOST_TOGETHER];
  size_t count;
} Batch;

#define MAX_BATCHES 64
static Batch batches[MAX_BATCHES];

// Whether no batch so far has this reason.
static bool is_new(const char *reason, size_t count) {
  for (size_t b = 0; b < count; b++)
    for (size_t n = 0; n < batches[b].count; n++)
      if (strcmp(batches[b].graded[n].reason, reason) == 0)
        return false;
  return true;
}

// Files that would lie about, processes that would live on: looked for after the verdict.
#define WRITES_EVERYWHERE "writes-everywhere"
#define STARTS_CHILDREN "starts-children"

static bool is_wanted(const char *name, const char *reason, size_t count) {
  const char *full = getenv("FULL");
  return (full && *full) || is_new(reason, count) || strcmp(name, WRITES_EVERYWHERE) == 0 ||
         strcmp(name, STARTS_CHILDREN) == 0;
}

// tests/submissions/NN-name/reasons.txt: "name: words" for each .hip file beside it. Words that begin
// with PASSED are of an honest one.
ParameterizedTestParameters(check, submissions_pass_or_fail_for_their_reasons) {
  glob_t lists;
  cr_assert_eq(glob("tests/submissions/*/reasons.txt", 0, NULL, &lists), 0);
  size_t count = 0;
  for (size_t n = 0; n < lists.gl_pathc; n++) {
    FILE *list = fopen(lists.gl_pathv[n], "r");
    char line[256], name[32];
    const int folder = (int)(strrchr(lists.gl_pathv[n], '/') - lists.gl_pathv[n]);
    Batch *batch = &batches[count++];
    while (count < MAX_BATCHES && fgets(line, sizeof line, list)) {
      char reason[sizeof batch->graded[0].reason];
      cr_assert_eq(sscanf(line, "%31[^:]: %95[^\n]", name, reason), 2, "%s", line);
      if (!is_wanted(name, reason, count))
        continue;
      if (batch->count == MOST_TOGETHER)
        batch = &batches[count++];
      Graded *one = &batch->graded[batch->count++];
      strcpy(one->reason, reason);
      snprintf(one->source, sizeof one->source, "%.*s/%s.hip", folder, lists.gl_pathv[n], name);
    }
    fclose(list);
  }
  globfree(&lists);
  return cr_make_param_array(Batch, batches, count);
}

static bool is_honest(const Graded *one) {
  return strncmp(one->reason, "PASSED", strlen("PASSED")) == 0;
}

// Checks all of them at once.
static void check_together(const Batch *batch) {
  char sources[sizeof batch->graded] = "";
  bool all_pass = true;
  for (size_t n = 0; n < batch->count; n++) {
    strcat(strcat(sources, " "), batch->graded[n].source);
    all_pass = all_pass && is_honest(&batch->graded[n]);
  }
  assert_ends(all_pass ? 0 : 1, CHECK "%s", sources);
}

// Where a check begins to speak of this one.
static char *heading_of(const Graded *one) {
  char heading[sizeof one->source + 16];
  snprintf(heading, sizeof heading, ": %s on device", one->source);
  char *found = strstr(output, heading);
  cr_assert(found, "nothing was said of %s:\n%s", one->source, output);
  return found;
}

// tests/submissions/01-baseline/writes-everywhere.hip names the places.
static void assert_no_file_is_left(void) {
  assert_ends(0, "find build/tests labs/01-baseline /root /var/tmp -maxdepth 1 -name "
                 "written-by-a-launcher 2>/dev/null; true");
  cr_assert_str_eq(output, "");
}

// A recorder whose file is gone outlived its check; what was killed is given a moment.
static void assert_no_process_is_left(void) {
  assert_ends(0,
              "for n in 1 2 3 4 5; do left=; for p in /proc/[0-9]*; do "
              "program=$(tr '\\0' '\\n' 2>/dev/null <$p/cmdline | head -n 1); "
              "case $program in */recorder) [ -e \"$program\" ] || left=\"$left $p\";; esac; done; "
              "[ \"$left\" ] || exit 0; sleep 1; done; echo $left; exit 1");
}

ParameterizedTest(Batch *batch, check, submissions_pass_or_fail_for_their_reasons) {
  check_together(batch);
  char *heading[MOST_TOGETHER];
  for (size_t n = 0; n < batch->count; n++)
    heading[n] = heading_of(&batch->graded[n]);
  for (size_t n = 0; n < batch->count; n++) {
    if (n + 1 < batch->count)
      *heading[n + 1] = '\0';
    output = heading[n] + 1; // its first character is where the one before was cut
    assert_verdict(is_honest(&batch->graded[n]));
    assert_said(batch->graded[n].reason);
    assert_not_said("Traceback");
  }
  for (size_t n = 0; n < batch->count; n++) {
    if (strstr(batch->graded[n].source, "/" WRITES_EVERYWHERE ".hip"))
      assert_no_file_is_left();
    if (strstr(batch->graded[n].source, "/" STARTS_CHILDREN ".hip"))
      assert_no_process_is_left();
  }
}

// Lab 05's wrong tiled kernels are those of lab 04.
Test(check, copies_of_a_skeleton_are_the_same) {
  assert_ends(0, "cmp tests/submissions/05-nontemporal/tiled.h "
                 "tests/submissions/04-launch-bounds/skeleton.h");
}

// A submission without a reason would never be graded.
Test(check, every_submission_has_a_reason) {
  assert_ends(0, "for f in tests/submissions/*/*.hip; do "
                 "grep -q \"^$(basename $f .hip): \" $(dirname $f)/reasons.txt || echo $f; done");
  cr_assert_str_eq(output, "");
}
