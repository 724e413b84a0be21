// Tiled kernels and tables end to end on the emulated device: what a lab refuses and with which
// sentence, that what it takes is right, and that the published, the recorded and our figures stand
// beside each other.
//
// In: the programs that `make programs` built, run from the repository root.
#include "command.h"

#include <stdlib.h>

#include <stdio.h>

#define EMULATED "LD_LIBRARY_PATH=build/emulator "
#define BASELINE EMULATED "build/solutions/01-baseline/laplacian "
#define TILED EMULATED "build/solutions/03-reorder/laplacian "
#define BOUNDED EMULATED "build/solutions/04-launch-bounds/laplacian "
#define LBM "build/labs/08-register-pressure/lbm "
#define EXPERIMENTS "build/labs/08-register-pressure/experiments/"
#define RESULT "build/tests/stages.json"

Test(tile, rows_that_make_no_whole_tile_are_refused_with_a_size_that_fits) {
  assert_ends(2, TILED "--ny 500");
  assert_said(
      "ny must be a multiple of 8 (1 threads of a block in y, 8 rows each); choose --ny 504");
}

Test(tile, more_rows_in_y_of_the_block_need_more_of_the_grid) {
  assert_ends(2, TILED "--block 64x4x1 --ny 40");
  assert_said("a multiple of 32");
}

Test(tile, factor_above_ny_is_refused) {
  assert_ends(2, TILED "--ny 5");
  assert_said("choose --ny 8");
}

Test(tile, one_tile_of_odd_sides_is_right) {
  assert_ends(0, TILED "--nx 67 --ny 8 --nz 3");
  assert_said("all 390 interior points right");
}

Test(tile, untiled_kernel_takes_any_ny) {
  assert_ends(0, BASELINE "--nx 67 --ny 11 --nz 3 --block 16x4x1");
}

Test(tile, block_above_the_launch_bounds_is_refused) {
  assert_ends(2, BOUNDED "--block 512x1x1");
  assert_said("that is 512 threads, and laplacian was compiled for blocks of at most 256");
}

Test(tile, unknown_kernel_is_answered_with_those_there_are) {
  assert_ends(2, EMULATED "build/solutions/05-nontemporal/laplacian --kernel laplace");
  assert_said("--kernel laplace: solutions/05-nontemporal/laplacian.hip has laplacian baseline");
}

Test(tile, factor_that_is_none_is_refused) {
  assert_ends(2, "make --no-print-directory run LAB=03 M=0");
  assert_said("M=0 is no tiling factor");
  assert_ends(2, "make --no-print-directory run LAB=01 M=8");
  assert_said("defines no TILE");
}

Test(published, ours_beside_the_published_with_evidence) {
  assert_ends(0, "export LAB_RESULT_FILE=" RESULT "; " BASELINE
                 "--nz 4 >/dev/null && python3 -m grading.tables.one_run " RESULT);
  assert_said("VGPRs                               24  compiled                  24\n");
  assert_said("  modelled               2.014 *\n"); // FETCH_SIZE in GB grows with the grid
  assert_said("  modelled                53.3\n");   // its efficiency does not
  assert_said("recorded there for the solution: FETCH_SIZE ");
  assert_said("not timed on a GPU");
}

Test(published, without_the_model_nothing_is_made_up) {
  assert_ends(0, "export EMULATOR_MODEL=0 LAB_RESULT_FILE=build/tests/plain.json; " BASELINE
                 "--nz 4 && python3 -m grading.tables.one_run build/tests/plain.json");
  assert_said("time        none: this launch was not modelled");
  assert_said("kernel time, ms                      -                         2.642 *\n");
  assert_not_said("  (modelled)");
  assert_not_said("  modelled ");
  assert_not_said("measured");
}

// The whole story of lab 03 on a small grid: five stages, each with ours, recorded and published.
Test(stages, sweep_shows_each_stage_three_times) {
  assert_ends(0, EMULATED
              "python3 -m grading.tables.sweep emulated solutions/03-reorder/laplacian.hip "
              "-- --nz 4");
  for (const char *const *m = (const char *const[]){"1", "2", "4", "8", "16", NULL}; *m; m++) {
    char title[64];
    snprintf(title, sizeof title, "03-reorder  reordered, m=%s: ", *m);
    assert_said(title);
  }
  int rows = 0;
  for (const char *at = output; (at = strstr(at, "\n  recorded")); at++)
    rows++;
  cr_assert_eq(rows, 5, "%s", output);
  assert_said(
      "  published        -        -   29.4   0.42   3.915*   27.4    44.5   90  128     180");
}

Test(stages, program_that_fails_ends_the_table_with_its_words) {
  assert_ends(1, EMULATED
              "python3 -m grading.tables.sweep emulated solutions/03-reorder/laplacian.hip "
              "-- --ny 500");
  assert_said("ny must be a multiple of 8");
}

// All of them by make test FULL=1.
Test(record, recorded_figures_are_what_a_run_gives) {
  const char *full = getenv("FULL");
  assert_ends(0, EMULATED "python3 -m tools.record%s", full && *full ? "" : " --some");
}

Test(record, recorded_speedups_keep_the_published_order) {
  assert_ends(0, "python3 -m tools.order");
}

// Lab 08: registers as published or nearly so, from the report of the build that just happened.
Test(steps, of_the_solution_are_all_in_its_table) {
  assert_ends(0, EMULATED "python3 -m grading.tables.sweep emulated "
                          "solutions/08-register-pressure/lbm.hip -- --nx 64 --ny 8 --nz 5");
  assert_said("  ours         94  104    0       0      4");
  assert_said("  published    98  102    0       0      4");
  assert_said("  ours         78   96    0       0      5");
  assert_said("  published    78   96    0       0      5");
  assert_said("  ours         72   94    0       0      5");
}

Test(experiments, have_a_line_each) {
  assert_ends(0, EMULATED "python3 -m grading.tables.experiments emulated " EXPERIMENTS
                          "5-no-math-call " EXPERIMENTS "7-spill-to-lds");
  assert_said("no math calls         18->13   40->5 ");
  assert_said("spill to LDS by hand  13->13   100->90   0->0      0->12288  4->5 ");
  assert_ends(2, "make --no-print-directory experiments LAB=03");
  assert_said("lab 03 has no experiments; there are: 08-register-pressure");
}

#define PREDICTED "build/tests/predicted.json" // tests run side by side: each has a file of its own
Test(published, figures_are_left_out_of_what_a_learner_is_to_predict) {
  assert_ends(0, "export LAB_RESULT_FILE=" PREDICTED "; " EMULATED
                 "build/labs/04-launch-bounds/laplacian --nz 4 >/dev/null && "
                 "python3 -m grading.tables.one_run " PREDICTED);
  assert_not_said("published  ");
  assert_said("published figures, once you have predicted: make sweep LAB=04");
}

Test(steps, are_chosen_where_there_are_some) {
  assert_ends(2, "make --no-print-directory run LAB=08 SRC=solutions STEP=7");
  assert_said("STEP=7 is no step of lab 08's solution");
  assert_ends(2, "make --no-print-directory run LAB=08 STEP=1");
  assert_said(
      "defines no STEP, so there is no step of lab 08's solution (SRC=solutions) to choose");
  assert_ends(1, "python3 -m grading.tables.sweep emulated labs/08-register-pressure/lbm.hip");
  assert_said("has no steps to choose");
}

Test(lattice_boltzmann, what_it_cannot_do_is_refused) {
  assert_ends(2, EMULATED LBM "--window 4");
  assert_said("collide_and_stream computes one point a thread, there is no window to choose");
  assert_ends(2, EMULATED LBM "--layout packed");
  assert_said("collide_and_stream has no layout of its own, its rows are packed anyway");
  assert_ends(2, EMULATED LBM "--nx 2000 --ny 2000 --nz 2000");
  assert_said("more than 2147483647 elements");
  assert_ends(2, EMULATED LBM "--kernel laplacian");
  assert_said("labs/08-register-pressure/lbm.hip has collide_and_stream");
}
