// The grader's ways, end to end on the emulated device: seeds and commands that repeat a failure,
// contents instead of dates, statuses that say whose fault it was; hints and the choice of device.
//
// In: the repository root; submissions are built by the grader, as anybody's are.
#include "command.h"
#include "status.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK "python3 -m grading.check emulated "
#define MAKE_CHECK "make --no-print-directory check DEVICE=emulated "
#define WRONG "tests/submissions/01-baseline/wrong-neighbour.hip"

// A grader that cannot work must not blame the learner, whatever the words of the device.
Test(grader, trouble_of_the_device_is_grader_trouble) {
  assert_ends(2, "HIP_VISIBLE_DEVICES=-1 " CHECK "solutions/01-baseline/laplacian.hip");
  assert_said("says nothing about your code");
  assert_ends(2, "HIP_VISIBLE_DEVICES=-1 " MAKE_CHECK "LAB=01 SRC=solutions");
  assert_said("says nothing about your code");
}

// A grade is of the device as it is, whatever the shell that it is asked from has set.
Test(grader, settings_of_the_emulated_device_are_ignored_and_named) {
  assert_ends(1, "EMULATOR_SET=l2_bytes=none EMULATOR_INSTRUCTION_BUDGET=1 " CHECK WRONG);
  assert_said("EMULATOR_SET=l2_bytes=none is ignored");
  assert_said("EMULATOR_INSTRUCTION_BUDGET=1 is ignored");
  assert_said("expected 3");
}

Test(grader, unknown_lab_is_named) {
  assert_ends(2, "make --no-print-directory run LAB=77");
  assert_said("LAB=77 names no lab");
  assert_ends(2, MAKE_CHECK "LAB=77");
  assert_said("LAB=77 names no lab");
}

// Sizes and inputs are the seed's, so is the verdict.
Test(seed, repeats_a_check) {
  assert_ends(
      0, "mkdir -p build/tests/seed && cd build/tests/seed && rm -f * && cd ../../.. && "
         "for n in 1 2; do " CHECK "--seed 7 " WRONG " >build/tests/seed/seven$n; done; " CHECK
         "--seed 8 " WRONG " >build/tests/seed/eight; " CHECK WRONG
         " >build/tests/seed/fresh; " CHECK "--seed $(sed -n 's/.*SEED=\\([0-9]*\\) .*/\\1/p' "
         "build/tests/seed/fresh) " WRONG " >build/tests/seed/again; "
         "cd build/tests/seed && cmp seven1 seven2 && cmp fresh again && ! cmp -s seven1 eight "
         "&& ! cmp -s seven1 fresh");
  assert_ends(0, "cat build/tests/seed/seven1");
  assert_said("SEED=7 draws these sizes and inputs again\n");
  assert_said("At 381 x 29 x 19, block 256x1x1, quadratic input");
}

// Whether runs are made one by one or side by side, they come out the same and are told in one order.
Test(grader, verdict_does_not_depend_on_what_runs_beside_what) {
  assert_ends(0, "mkdir -p build/tests/beside && for n in 1 4; do CHECK_THREADS=$n " CHECK
                 "--seed 7 solutions/06-alignment/derivative.hip "
                 ">build/tests/beside/$n 2>/dev/null || exit 9; done; "
                 "cmp build/tests/beside/1 build/tests/beside/4");
}

Test(seed, that_is_none_is_refused) {
  assert_ends(2, CHECK "--seed -1 " WRONG);
  assert_ends(2, CHECK "--seed 18446744073709551616 " WRONG);
  assert_said("SEED=18446744073709551616 is no seed");
  assert_ends(2, MAKE_CHECK "LAB=01 SEED=x");
  assert_said("SEED=x is no seed");
}

// The printed line alone, typed into a shell, fails with the same words.
Test(repeat, command_makes_the_failing_run_again) {
  for (const char *const *source =
           (const char *const[]){WRONG, "labs/01-baseline/laplacian.hip", NULL};
       *source; source++) {
    assert_ends(0,
                CHECK "--seed 5 %s >build/tests/repeat; sed -n 's/^Repeat: //p' build/tests/repeat",
                *source);
    cr_assert(strstr(output, "--seed 5"), "%s", output);
    char command[512];
    snprintf(command, sizeof command, "%s", output);
    cr_assert_neq(run("%s", command), 0);
    assert_said("interior points");
    assert_ends(0, "grep -o 'quadratic input.*' build/tests/repeat");
    char reason[512];
    snprintf(reason, sizeof reason, "%.*s", (int)strcspn(output, ".;\n"), output);
    cr_assert_neq(run("%s", command), 0);
    assert_said(reason);
  }
}

// Makes build/tests/NAME, the repository with labs/ of its own, for tests that edit a lab.
static void make_checkout(const char *name) {
  assert_ends(
      0,
      "rm -rf build/tests/%s && mkdir -p build/tests/%s/build && cd build/tests/%s && "
      "for f in Makefile common emulator grading solutions tests tools; do "
      "ln -s ../../../$f . || exit 1; done; "
      "ln -s ../../../common ../../../emulator ../../../grading build && cp -r ../../../labs .",
      name, name, name);
}

#define ANSWER_PROGRAM "solutions/01-baseline/laplacian"
#define ANSWER ANSWER_PROGRAM ".hip"
#define LAB "labs/01-baseline/laplacian.hip"

// Make goes by dates and a grade must not. Right, then wrong with an older date, then right with
// one older still.
Test(content, of_a_file_is_graded_whatever_its_date) {
  make_checkout("dates");
  assert_ends(0,
              "cd build/tests/dates && cp " ANSWER " " LAB " && "
              "sed 's/u.pos - 1./u[pos + 1]/' " ANSWER " >wrong.hip && cp " ANSWER " right.hip && "
              "touch -d '2 years ago' wrong.hip && touch -d '3 years ago' right.hip && " MAKE_CHECK
              "LAB=01");
  assert_said("PASSED");
  assert_ends(1, "cd build/tests/dates && cp -p wrong.hip " LAB " && " MAKE_CHECK "LAB=01");
  assert_said("interior points wrong");
  assert_ends(2, "cd build/tests/dates && make run LAB=01 DEVICE=emulated");
  assert_said("interior points wrong");
  assert_ends(0, "cd build/tests/dates && cp -p right.hip " LAB
                 " && make run LAB=01 DEVICE=emulated && " MAKE_CHECK "LAB=01");
  assert_said("PASSED");
}

// make itself ends with 2 for anything; a check tells "not yet" from trouble, in a lab's folder, too.
Test(status, of_a_check_in_a_labs_folder_is_the_checks) {
  make_checkout("folder");
#define IN_FOLDER "cd build/tests/folder/labs/01-baseline && "
  assert_ends(1, IN_FOLDER MAKE_CHECK);
  assert_said("NOT YET");
  assert_ends(2, IN_FOLDER MAKE_CHECK "DEVICE=none");
  assert_ends(0, IN_FOLDER "cp ../../" ANSWER " . && " MAKE_CHECK);
  assert_said("PASSED");
}

// What is the same is not compiled again; a header beside the file counts as the file does.
Test(content, of_headers_counts_and_the_same_is_kept) {
  make_checkout("headers");
  assert_ends(0, "cd build/tests/headers && echo '#include \"mine.h\"' >" LAB " && cat " ANSWER
                 " >>" LAB " && cd labs/01-baseline && echo >mine.h && "
                 "echo '#error one of mine.h' >other.h && touch -d '2 years ago' other.h && "
                 "cd ../.. && make build/labs/01-baseline/laplacian && "
                 "touch -r " LAB " build/labs/01-baseline/laplacian.o && touch " LAB " && "
                 "make build/labs/01-baseline/laplacian && "
                 "test ! build/labs/01-baseline/laplacian.o -nt " LAB);
  assert_ends(2, "cd build/tests/headers && cp -p labs/01-baseline/other.h labs/01-baseline/mine.h "
                 "&& make build/labs/01-baseline/laplacian");
  assert_said("one of mine.h");
}

// Whose fault it was is the program's exit status, common/status.h.
Test(status, tells_whose_fault_it_was) {
#define SUBMISSION "build/tests/submissions/01-baseline/"
  assert_ends(0, "make -s " SUBMISSION "wrong-neighbour " SUBMISSION "out-of-bounds " SUBMISSION
                 "endless-loop");
  const char *in = "LD_LIBRARY_PATH=build/emulator EMULATOR_INSTRUCTION_BUDGET=100000";
#define SMALL " --nx 67 --ny 9 --nz 5"
  assert_ends(VERIFIED, "%s build/" ANSWER_PROGRAM SMALL, in);
  assert_ends(NOT_RIGHT, "%s " SUBMISSION "wrong-neighbour" SMALL, in);
  assert_ends(MALFORMED_OPTIONS, "%s " SUBMISSION "wrong-neighbour --nx 2", in);
  assert_ends(KERNEL_FAULT, "%s " SUBMISSION "out-of-bounds", in);
  assert_ends(KERNEL_FAULT, "%s " SUBMISSION "endless-loop" SMALL, in);
  assert_ends(DEVICE_TROUBLE, "HIP_VISIBLE_DEVICES=-1 %s " SUBMISSION "out-of-bounds", in);
  assert_ends(DEVICE_TROUBLE, "EMULATOR_SET=l2_bytes=none %s build/" ANSWER_PROGRAM SMALL, in);
  assert_ends(DEVICE_TROUBLE, "%s build/" ANSWER_PROGRAM " --json /none/x" SMALL, in);
  assert_said("cannot write the result to /none/x");
}

// The kernel asks for zeros in place of denormals of f64, which the device has and the emulator lacks.
Test(status, of_a_gap_is_its_own_and_no_fault_of_the_learner) {
  make_checkout("gap");
  assert_ends(0,
              "cd build/tests/gap && sed 's/^  const int slice/  asm volatile(\"s_setreg_imm32_b32 "
              "hwreg(HW_REG_MODE, 6, 2), 0\");\\n&/' " ANSWER " >" LAB
              " && make -s build/labs/01-baseline/laplacian");
  assert_ends(EMULATOR_GAP, "cd build/tests/gap && LD_LIBRARY_PATH=build/emulator "
                            "build/labs/01-baseline/laplacian");
  assert_ends(2, "cd build/tests/gap && " CHECK LAB);
  assert_said("says nothing about your code");
  assert_said("in which f16 or f64 lose their denormals");
}

Test(hint, stages_come_one_by_one_and_on_request) {
  assert_ends(0, "rm -rf build/tests/hints");
  setenv("HINT_STATE", "build/tests/hints", 1);
  assert_ends(0, "tools/hint.sh 01-baseline");
  assert_said("## Hint 1\n");
  assert_said("(hint 1 of 4)");
  assert_ends(0, "tools/hint.sh 01-baseline");
  assert_said("## Hint 2\n");
  assert_ends(0, "tools/hint.sh 01-baseline 4");
  assert_said("the last one");
  assert_ends(0, "tools/hint.sh 01-baseline");
  assert_said("## Hint 3\n"); // asking for one did not move the stages on
  assert_ends(1, "tools/hint.sh 01-baseline 9");
  assert_said("has hints 1 to 4");
}

Test(device, choice_is_said_and_bad_ones_are_refused) {
  assert_ends(0, "tools/device.sh emulated");
  assert_said("device: emulated, as asked\nemulated\n");
  assert_ends(1, "PATH=/bin tools/device.sh nvidia");
  assert_said("no NVIDIA GPU was found");
  assert_ends(1, "tools/device.sh toaster");
  assert_said("use auto, amd, nvidia or emulated");
}
