// The grader and the hints, end to end on the emulated device: the solution passes, the starter and
// each wrong submission fail for their own reason.
//
// In: the programs that `make programs` built, run from the repository root.
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
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
           "python3 common/check.py emulated %s 2>&1",
           source);
  return run(command);
}

#define assert_said(text) cr_assert(strstr(output, text), "lacks '%s':\n%s", text, output)

Test(check, solution_passes_with_all_points) {
  cr_assert_eq(check("solutions/01-baseline/laplacian.hip"), 0, "%s", output);
  assert_said("PASSED: 10 of 10 points");
}

Test(check, starter_fails_with_the_place_to_edit) {
  cr_assert_eq(check("labs/01-baseline/laplacian.hip"), 1, "%s", output);
  assert_said("interior points was written, boundary untouched");
  assert_said("Next: edit labs/01-baseline/laplacian.hip, line ");
}

typedef struct {
  char name[24];
  char reason[80];
} WrongSubmission;

ParameterizedTestParameters(check, wrong_submission_fails_for_its_reason) {
  static WrongSubmission wrong[] = {
      {"off-by-one-y", "was never written"},
      {"skipped-rest", "was never written"},
      {"centre-only", "quadratic input"},
      {"known-answer", "random input"},
      {"wrong-neighbour", "expected 3"},
      {"single-precision", "interior points wrong (0 never written), 0 outside overwritten"},
      {"touched-boundary", "must stay untouched"},
      {"not-finite", "nan, expected"},
      {"out-of-bounds", "reads 8 bytes at address"},
      {"endless-loop", "hipErrorLaunchTimeOut"},
      {"on-the-host", "no kernel was launched"},
      {"no-result", "without a result"},
      {"lanes-along-y", "lines a wavefront where 8.0 would hold the bytes"},
      {"exits", "refused before it ran: it uses exit"},
      {"writes-a-file", "refused before it ran: it uses fopen"},
      {"constructor", "refused before it ran: it has a constructor"},
      {"own-clock", "refused before it ran: it defines clock_gettime"},
      {"does-not-compile", "error: expected expression"},
  };
  return cr_make_param_array(WrongSubmission, wrong, sizeof wrong / sizeof *wrong);
}

ParameterizedTest(WrongSubmission *wrong, check, wrong_submission_fails_for_its_reason) {
  char source[128];
  snprintf(source, sizeof source, "tests/submissions/01-baseline/%s.hip", wrong->name);
  cr_assert_eq(check(source), 1, "%s", output);
  assert_said("NOT YET");
  assert_said(wrong->reason);
  cr_assert(!strstr(output, "Traceback") && !strstr(output, "remark:"), "%s", output);
}

// A grader that cannot work must not blame the learner.
Test(check, missing_device_is_grader_trouble) {
  cr_assert_eq(run("HIP_VISIBLE_DEVICES=-1 python3 common/check.py emulated "
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
  cr_assert_eq(run("common/hint.sh 01-baseline 2>&1"), 0);
  assert_said("## Hint 1\n");
  assert_said("(hint 1 of 4)");
  cr_assert_eq(run("common/hint.sh 01-baseline 2>&1"), 0);
  assert_said("## Hint 2\n");
  cr_assert_eq(run("common/hint.sh 01-baseline 4 2>&1"), 0);
  assert_said("the last one");
  cr_assert_eq(run("common/hint.sh 01-baseline 2>&1"), 0);
  assert_said("## Hint 3\n"); // asking for one did not move the stages on
  cr_assert_eq(run("common/hint.sh 01-baseline 9 2>&1"), 1);
  assert_said("has hints 1 to 4");
}

Test(device, choice_is_said_and_bad_ones_are_refused) {
  cr_assert_eq(run("common/device.sh emulated 2>&1"), 0);
  assert_said("device: emulated, as asked\nemulated\n");
  cr_assert_eq(run("common/device.sh nvidia 2>&1"), 1);
  assert_said("not built yet");
  cr_assert_eq(run("common/device.sh toaster 2>&1"), 1);
  assert_said("use auto, amd, nvidia or emulated");
}
