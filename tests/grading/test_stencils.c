// Labs 06 and 07 end to end on the emulated device: every radius, direction and window is right,
// what cannot be run is refused with a sentence, and the sweep over n_w has its table and its plot.
// And what each family of labs says of itself.
//
// In: the programs that `make programs` built, run from the repository root.
#include "command.h"

#include <stdlib.h>

#define EMULATED "LD_LIBRARY_PATH=build/emulator "
#define ALIGNED EMULATED "build/solutions/06-alignment/derivative "
#define WINDOW EMULATED "build/solutions/07-sliding-window/derivative "
#define BASELINE EMULATED "build/solutions/01-baseline/laplacian "
#define LBM EMULATED "build/solutions/08-register-pressure/lbm "
#define FIGURE "labs/07-sliding-window/window.svg"

// The radius is chosen when a program is built; radius 4 is the default.
Test(stencils, are_right_for_every_radius_direction_and_layout) {
  for (int radius = 1; radius <= 4; radius++) {
    assert_ends(
        0,
        "for lab in 06-alignment 07-sliding-window; do "
        "make -s --no-print-directory R=%d build/r%d/solutions/$lab/derivative || exit 9; done; "
        "for kernel in along_x along_y along_z; do for layout in own packed; do " EMULATED
        "build/r%d/solutions/06-alignment/derivative --nx 67 --ny 13 --nz 11 --kernel $kernel "
        "--layout $layout || exit 1; done; done; "
        "for window in 1 2 3 7 11 12; do for kernel in window ring; do " EMULATED
        "build/r%d/solutions/07-sliding-window/derivative --nx 67 --ny 13 --nz 11 --kernel "
        "$kernel --window $window || exit 1; done; done",
        radius, radius, radius, radius);
    assert_said("all 9581 interior points right");
  }
}

Test(stencils, block_may_have_any_shape) {
  assert_ends(0, WINDOW "--nx 33 --ny 9 --nz 10 --window 3 --block 16x2x4");
  assert_ends(0, ALIGNED "--kernel along_z --nx 1 --ny 1 --nz 1 --block 8x4x4");
  assert_said("all 1 interior points right");
}

Test(stencils, memory_beyond_packed_is_about_the_published_tenth) {
  assert_ends(0, ALIGNED "--nz 1");
  assert_said("leading dimension 576 for 520 points, offset 60, 10.8 % more memory than packed");
}

Test(family, default_grid_and_border_are_its_own) {
  assert_ends(0, BASELINE "--help");
  assert_said("default grid is 512 x 512 x 32 points; the boundary counts");
  assert_ends(0, WINDOW "--help");
  assert_said("default grid is 512 x 512 x 32 points; a halo comes on top");
  assert_ends(0, LBM "--help");
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
    assert_ends(0,
                "%s --nx 5 --ny 6 --nz 7 --json build/tests/interior.json >/dev/null && "
                "cat build/tests/interior.json",
                families[n].program);
    assert_said(families[n].points);
  }
}

// Every figure that a family names for a table has its heading, row and place in the result.
Test(family, tables_name_figures_that_there_are) {
  for (const char *const *program = (const char *const[]){BASELINE, WINDOW, LBM, NULL}; *program;
       program++) {
    assert_ends(
        0,
        "LAB_RESULT_FILE=build/tests/family.json; export LAB_RESULT_FILE; %s --nx 64 --ny 8 "
        "--nz 5 >/dev/null && python3 -m grading.tables.one_run build/tests/family.json && "
        "python3 -c 'import json; from grading.tables.columns import *; "
        "result = json.load(open(\"build/tests/family.json\")); "
        "assert all(len(column) == 7 for column in columns_of(result)); "
        "assert all(row[0] for row in rows_of(result)); "
        "assert set(result[\"tables\"][\"recorded\"]) <= set(FIGURES)'",
        *program);
  }
}

Test(refusal, of_a_window_or_layout_where_there_is_none) {
  assert_ends(2, ALIGNED "--window 4");
  assert_said("along_x computes one point a thread, there is no window to choose");
  assert_ends(2, BASELINE "--layout packed");
  assert_said("laplacian has no layout of its own, its rows are packed anyway");
}

Test(refusal, of_a_radius_that_is_none) {
  assert_ends(2, "make --no-print-directory run LAB=06 R=5");
  assert_said("R=5 is no radius");
  assert_ends(2, "make --no-print-directory run LAB=01 R=2");
  assert_said("defines no RADIUS");
}

Test(refusal, of_a_grid_without_interior) {
  assert_ends(2, BASELINE "--ny 2");
  assert_said("a stencil of radius 1 needs at least 3 points in each direction");
}

Test(sweep, over_n_w_has_a_table_and_a_plot) {
  assert_ends(
      0, "rm -f build/results/07-sliding-window.svg; " EMULATED
         "python3 -m grading.tables.sweep emulated solutions/07-sliding-window/derivative.hip -- "
         "--nz 4");
  assert_said("window, n_w=4: ");
  assert_not_said("n_w=8: ");           // longer than the grid
  assert_said("  predicted     5.00 "); // n_w = 2: (8 + 2) / 2
  assert_said("plot: build/results/07-sliding-window.svg");
  assert_ends(0, "python3 -c 'import xml.dom.minidom as d; "
                 "d.parse(\"build/results/07-sliding-window.svg\")' && grep -c '<circle' "
                 "build/results/07-sliding-window.svg");
  cr_assert_str_eq(output, "9\n"); // three windows on each of three curves
}

Test(sweep, committed_figure_is_drawn_from_the_recorded_figures) {
  assert_ends(0, "python3 -m grading.tables.plot labs/07-sliding-window/expected.json "
                 "build/tests/window.svg && cmp build/tests/window.svg " FIGURE);
}

// A published figure is for radius 4.
Test(published, figures_stand_beside_the_run_of_the_same_layout_only) {
  setenv("LAB_RESULT_FILE", "build/tests/stencils.json", 1);
  assert_ends(0, ALIGNED "--kernel along_z --nz 1 --layout packed >/dev/null && "
                         "python3 -m grading.tables.one_run build/tests/stencils.json | tr -s ' '");
  assert_said("written to L2, cubes 1.25 emulated 1.25\n");
  assert_ends(
      0, "make -s --no-print-directory R=2 build/r2/solutions/06-alignment/derivative; " EMULATED
         "build/r2/solutions/06-alignment/derivative --nz 1 >/dev/null && "
         "python3 -m grading.tables.one_run build/tests/stencils.json | tr -s ' '");
  assert_said("written to L2, cubes 1 emulated -\n");
}
