// Whole kernels: every program of kernels/ runs on the emulated device and agrees with its host
// reference; again without the model, by the library that checks itself (ASan, UBSan).
//
// In: kernels/*.hip, their programs in build/tests/emulator/kernels. Out: exit status 0 of each.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64, OUTPUT_SIZE = 8192, SECONDS = 120 };

typedef struct {
  char name[NAME_SIZE]; // by value: Criterion hands parameters to another process
} Program;

enum { MOST_PROGRAMS = 64 };

// Whether it looks at counters or times that only the model has.
static bool needs_model(const char *name) {
  static const char *const which[] = {"address_unit", "counters_vcopy", "engine_clock",
                                      "line_report"};
  for (size_t i = 0; i < sizeof which / sizeof *which; i++)
    if (strcmp(name, which[i]) == 0)
      return true;
  return false;
}

// kernels/runtime.hip is a code object for other suites, without a main.
static struct criterion_test_params programs_that_run(bool modelled) {
  static Program programs[MOST_PROGRAMS];
  size_t count = 0;
  glob_t sources;
  cr_assert(zero(int, glob("tests/emulator/kernels/*.hip", 0, NULL, &sources)),
            "tests run in the repository's root");
  for (size_t i = 0; i < sources.gl_pathc; i++) {
    const char *file = strrchr(sources.gl_pathv[i], '/') + 1;
    char *name = programs[count].name;
    snprintf(name, NAME_SIZE, "%.*s", (int)strcspn(file, "."), file);
    count += strcmp(name, "runtime") != 0 && (modelled || !needs_model(name));
    cr_assert(lt(sz, count, MOST_PROGRAMS));
  }
  globfree(&sources);
  return cr_make_param_array(Program, programs, count);
}

static void run(const char *environment, const char *name) {
  char command[512], output[OUTPUT_SIZE];
  snprintf(command, sizeof command, "%s timeout %d build/tests/emulator/kernels/%s 2>&1",
           environment, SECONDS, name);
  FILE *pipe = popen(command, "r");
  cr_assert(ne(ptr, pipe, NULL));
  output[fread(output, 1, sizeof output - 1, pipe)] = 0;
  int status = pclose(pipe);
  cr_assert(zero(int, status), "%s\n%s", command, output);
}

ParameterizedTestParameters(kernels, agree_with_the_host) { return programs_that_run(true); }
ParameterizedTest(Program *program, kernels, agree_with_the_host) {
  run("LD_LIBRARY_PATH=build/emulator", program->name);
}

Test(kernels, that_wait_may_be_stopped_for_a_while) {
  run("LD_LIBRARY_PATH=build/emulator EMULATOR_MODEL=0", "spinning stopped");
}

Test(kernels, that_wait_again_and_again_are_no_endless_loop) {
  run("LD_LIBRARY_PATH=build/emulator EMULATOR_MODEL=0", "spinning ring");
}

Test(kernels, are_executed_again_if_that_is_asked_for) {
  run("LD_LIBRARY_PATH=build/emulator EMULATOR_MODEL=0 EMULATOR_REUSE=0",
      "repeated_launches executed");
}

Test(kernels, that_change_their_memory_are_not_kept) {
  run("LD_LIBRARY_PATH=build/emulator EMULATOR_MODEL=0 EMULATOR_REUSE=1",
      "repeated_launches changed");
}

Test(kernels, that_take_long_are_repeated_where_they_are_queued_too) {
  run("LD_LIBRARY_PATH=build/emulator EMULATOR_MODEL=0 EMULATOR_REUSE=1",
      "repeated_launches queued");
}

Test(kernels, that_repeat_others_do_not_read_what_is_out_of_reach) {
  run("LD_LIBRARY_PATH=build/emulator EMULATOR_MODEL=0", "devices closed");
}

Test(kernels, that_repeat_others_do_not_read_what_was_freed) {
  run("LD_LIBRARY_PATH=build/emulator EMULATOR_MODEL=0", "repeated_launches freed");
}

// Without the model: then nobody wants to know what waves do, and host threads keep what launches leave. What the model does
// is looked at in the suites of emulator-asan/.
ParameterizedTestParameters(kernels, do_nothing_undefined_without_the_model) {
  return programs_that_run(false);
}
ParameterizedTest(Program *program, kernels, do_nothing_undefined_without_the_model) {
  run("LD_PRELOAD=$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 "
      "UBSAN_OPTIONS=halt_on_error=1 LD_LIBRARY_PATH=build/emulator-asan EMULATOR_MODEL=0",
      program->name);
}
