// The grader and the hints, end to end on the emulated device: solutions pass, starters and wrong
// submissions fail for their own reason.
//
// In: the programs that `make programs` built, run from the repository root.
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static char output[65536];

// Runs a shell command; its output (stderr too) is in output. Returns its exit status.
static int run(const char *command) {
  FILE *pipe = popen(command, "r");
  cr_assert(pipe);
  output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int check(const char *source) {
  char command[512];
  snprintf(command, sizeof command,
           "LD_LIBRARY_PATH=build/emulator EMULATOR_INSTRUCTION_BUDGET=100000 "
           "python3 -m grading.check emulated %s 2>&1",
           source);
  return run(command);
}

#define assert_said(text) cr_assert(strstr(output, text), "lacks '%s':\n%s", text, output)

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
  cr_assert_eq(check(solution->source), 0, "%s", output);
  assert_said("PASSED: ");
}

ParameterizedTestParameters(check, starter_fails_its_goal_with_the_place_to_edit) {
  const size_t count = find_sources("labs/*/*.hip");
  return cr_make_param_array(Graded, graded, count);
}

// Lab 01 starts without a computation; every later starter is right, and fails only the new goal.
ParameterizedTest(Graded *starter, check, starter_fails_its_goal_with_the_place_to_edit) {
  cr_assert_eq(check(starter->source), 1, "%s", output);
  if (strstr(starter->source, "01-baseline"))
    assert_said("interior points was written, boundary untouched");
  else
    assert_said("pass  interior points right");
  char next[160];
  snprintf(next, sizeof next, "Next: edit %s, line ", starter->source);
  assert_said(next);
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
  cr_assert_eq(check(wrong->source), 1, "%s", output);
  assert_said("NOT YET");
  assert_said(wrong->reason);
  cr_assert(!strstr(output, "Traceback") && !strstr(output, "remark:"), "%s", output);
}

// A submission without a reason would never be graded.
Test(check, every_wrong_submission_has_a_reason) {
  cr_assert_eq(run("for f in tests/submissions/*/*.hip; do "
                   "grep -q \"^$(basename $f .hip): \" $(dirname $f)/reasons.txt || echo $f; done"),
               0);
  cr_assert_str_eq(output, "");
}

// A grader that cannot work must not blame the learner.
Test(check, missing_device_is_grader_trouble) {
  cr_assert_eq(run("HIP_VISIBLE_DEVICES=-1 python3 -m grading.check emulated "
                   "solutions/01-baseline/laplacian.hip 2>&1"),
               2, "%s", output);
  assert_said("says nothing about your code");
}

Test(check, unknown_lab_is_named) {
  cr_assert_neq(run("make --no-print-directory run LAB=77 2>&1"), 0);
  assert_said("LAB=77 names no lab");
}

Test(hint, stages_come_one_by_one_and_on_request) {
  cr_assert_eq(run("rm -rf build/tests/hints"), 0);
  setenv("HINT_STATE", "build/tests/hints", 1);
  cr_assert_eq(run("tools/hint.sh 01-baseline 2>&1"), 0);
  assert_said("## Hint 1\n");
  assert_said("(hint 1 of 4)");
  cr_assert_eq(run("tools/hint.sh 01-baseline 2>&1"), 0);
  assert_said("## Hint 2\n");
  cr_assert_eq(run("tools/hint.sh 01-baseline 4 2>&1"), 0);
  assert_said("the last one");
  cr_assert_eq(run("tools/hint.sh 01-baseline 2>&1"), 0);
  assert_said("## Hint 3\n"); // asking for one did not move the stages on
  cr_assert_eq(run("tools/hint.sh 01-baseline 9 2>&1"), 1);
  assert_said("has hints 1 to 4");
}

Test(device, choice_is_said_and_bad_ones_are_refused) {
  cr_assert_eq(run("tools/device.sh emulated 2>&1"), 0);
  assert_said("device: emulated, as asked\nemulated\n");
  cr_assert_eq(run("tools/device.sh nvidia 2>&1"), 1);
  assert_said("not built yet");
  cr_assert_eq(run("tools/device.sh toaster 2>&1"), 1);
  assert_said("use auto, amd, nvidia or emulated");
}
