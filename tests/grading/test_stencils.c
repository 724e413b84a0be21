// Labs 06 and 07 end to end on the emulated device: every radius, direction and window is right,
// what cannot be run is refused with a sentence, and the sweep over n_w has its table and its plot.
// And what each family of labs says of itself.
//
// In: the programs that `make programs` built, run from the repository root.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define EMULATED "LD_LIBRARY_PATH=build/emulator "
#define ALIGNED EMULATED "build/solutions/06-alignment/derivative "
#define WINDOW EMULATED "build/solutions/07-sliding-window/derivative "
#define BASELINE EMULATED "build/solutions/01-baseline/laplacian "
#define LBM EMULATED "build/solutions/08-register-pressure/lbm "
#define FIGURE "labs/07-sliding-window/window.svg"

static char output[65536];

// Runs a shell command; its output (stderr too) is in output. Returns its exit status.
static int run(const char *command) {
  char line[2048];
  snprintf(line, sizeof line, "{ %s\n} 2>&1", command);
  FILE *pipe = popen(line, "r");
  cr_assert(pipe);
  output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define assert_said(text) cr_assert(strstr(output, text), "lacks '%s':\n%s", text, output)

// The radius is chosen when a program is built; radius 4 is the default.
Test(stencils, are_right_for_every_radius_direction_and_layout) {
  for (int radius = 1; radius <= 4; radius++) {
    char command[1024];
    snprintf(
        command, sizeof command,
        "for lab in 06-alignment 07-sliding-window; do "
        "make -s --no-print-directory R=%d build/r%d/solutions/$lab/derivative || exit 9; done; "
        "for kernel in along_x along_y along_z; do for layout in own packed; do " EMULATED
        "build/r%d/solutions/06-alignment/derivative --nx 67 --ny 13 --nz 11 --kernel $kernel "
        "--layout $layout || exit 1; done; done; "
        "for window in 1 2 3 7 11 12; do for kernel in window ring; do " EMULATED
        "build/r%d/solutions/07-sliding-window/derivative --nx 67 --ny 13 --nz 11 --kernel "
        "$kernel --window $window || exit 1; done; done",
        radius, radius, radius, radius);
    cr_assert_eq(run(command), 0, "radius %d:\n%s", radius, output);
    assert_said("all 9581 interior points right");
  }
}

Test(stencils, block_may_have_any_shape) {
  cr_assert_eq(run(WINDOW "--nx 33 --ny 9 --nz 10 --window 3 --block 16x2x4"), 0, "%s", output);
  cr_assert_eq(run(ALIGNED "--kernel along_z --nx 1 --ny 1 --nz 1 --block 8x4x4"), 0, "%s", output);
  assert_said("all 1 interior points right");
}

Test(stencils, memory_beyond_packed_is_about_the_published_tenth) {
  cr_assert_eq(run(ALIGNED "--nz 1"), 0, "%s", output);
  assert_said("leading dimension 576 for 520 points, offset 60, 10.8 % more memory than packed");
}

Test(family, default_grid_and_border_are_its_own) {
  cr_assert_eq(run(BASELINE "--help"), 0);
  assert_said("default grid is 512 x 512 x 32 points; the boundary counts");
  cr_assert_eq(run(WINDOW "--help"), 0);
  assert_said("default grid is 512 x 512 x 32 points; a halo comes on top");
  cr_assert_eq(run(LBM "--help"), 0);
  assert_said("default grid is 256 x 16 x 32 points; a halo comes on top");
}

// The grader counts right points in these.
Test(family, interior_points_follow_its_border_rule) {
  static const struct {
    const char *program, *points;
  } families[] = {{BASELINE, "\"interior_points\": 60,"},
                  {WINDOW, "\"interior_points\": 210,"},
                  {LBM, "\"interior_points\": 210,"}};
  for (size_t n = 0; n < sizeof families / sizeof *families; n++) {
    char command[512];
    snprintf(command, sizeof command,
             "%s --nx 5 --ny 6 --nz 7 --json build/tests/family.json >/dev/null && "
             "cat build/tests/family.json",
             families[n].program);
    cr_assert_eq(run(command), 0, "%s", output);
    assert_said(families[n].points);
  }
}

// Every figure that a family names for a table has its heading, row and place in the result.
Test(family, tables_name_figures_that_there_are) {
  for (const char *const *program = (const char *const[]){BASELINE, WINDOW, LBM, NULL}; *program;
       program++) {
    char command[1024];
    snprintf(command, sizeof command,
             "LAB_RESULT_FILE=build/tests/family.json; export LAB_RESULT_FILE; %s --nx 64 --ny 8 "
             "--nz 5 >/dev/null && python3 -m grading.tables.one_run build/tests/family.json && "
             "python3 -c 'import json; from grading.tables.columns import *; "
             "result = json.load(open(\"build/tests/family.json\")); "
             "assert all(len(column) == 7 for column in columns_of(result)); "
             "assert all(row[0] for row in rows_of(result)); "
             "assert set(result[\"tables\"][\"recorded\"]) <= set(FIGURES)'",
             *program);
    cr_assert_eq(run(command), 0, "%s", output);
  }
}

Test(refusal, of_a_window_or_layout_where_there_is_none) {
  cr_assert_eq(run(ALIGNED "--window 4"), 2, "%s", output);
  assert_said("along_x computes one point a thread, there is no window to choose");
  cr_assert_eq(run(BASELINE "--layout packed"), 2);
  assert_said("laplacian has no layout of its own, its rows are packed anyway");
}

Test(refusal, of_a_radius_that_is_none) {
  cr_assert_neq(run("make --no-print-directory run LAB=06 R=5"), 0);
  assert_said("R=5 is no radius");
  cr_assert_neq(run("make --no-print-directory run LAB=01 R=2"), 0);
  assert_said("defines no RADIUS");
}

Test(refusal, of_a_grid_without_interior) {
  cr_assert_eq(run(BASELINE "--ny 2"), 2, "%s", output);
  assert_said("a stencil of radius 1 needs at least 3 points in each direction");
}

Test(sweep, over_n_w_has_a_table_and_a_plot) {
  cr_assert_eq(
      run("rm -f build/results/07-sliding-window.svg; " EMULATED
          "python3 -m grading.tables.sweep emulated solutions/07-sliding-window/derivative.hip -- "
          "--nz 4"),
      0, "%s", output);
  assert_said("window, n_w=4: ");
  cr_assert(!strstr(output, "n_w=8: "), "longer than the grid:\n%s", output);
  assert_said("  predicted     5.00 "); // n_w = 2: (8 + 2) / 2
  assert_said("plot: build/results/07-sliding-window.svg");
  cr_assert_eq(run("python3 -c 'import xml.dom.minidom as d; "
                   "d.parse(\"build/results/07-sliding-window.svg\")' && grep -c '<circle' "
                   "build/results/07-sliding-window.svg"),
               0, "%s", output);
  cr_assert_str_eq(output, "9\n"); // three windows on each of three curves
}

Test(sweep, committed_figure_is_drawn_from_the_recorded_figures) {
  cr_assert_eq(run("python3 -m grading.tables.plot labs/07-sliding-window/expected.json "
                   "build/tests/window.svg && cmp build/tests/window.svg " FIGURE),
               0, "%s", output);
}

// A published figure is for radius 4.
Test(published, figures_stand_beside_the_run_of_the_same_layout_only) {
  setenv("LAB_RESULT_FILE", "build/tests/stencils.json", 1);
  cr_assert_eq(run(ALIGNED "--kernel along_z --nz 1 --layout packed >/dev/null && "
                           "python3 -m grading.tables.one_run build/tests/stencils.json"),
               0, "%s", output);
  assert_said("written to L2, cubes              1.25  emulated        1.25\n");
  cr_assert_eq(
      run("make -s --no-print-directory R=2 build/r2/solutions/06-alignment/derivative; " EMULATED
          "build/r2/solutions/06-alignment/derivative --nz 1 >/dev/null && "
          "python3 -m grading.tables.one_run build/tests/stencils.json"),
      0, "%s", output);
  assert_said("written to L2, cubes                 1  emulated           -\n");
}
