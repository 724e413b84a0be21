// Layout of grids, the traffic formulas that follow from their sizes, and summaries of times.
#include "bandwidth.h"
#include "derivative.h"
#include "grid.h"
#include "laplacian.h"
#include "timing.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static char error[256];

static Grid make(int nx, int ny, int nz, int radius) {
  Grid grid;
  cr_assert(grid_make(&grid, nx, ny, nz, radius, sizeof(double), error, sizeof error), "%s", error);
  return grid;
}

Test(grid, packs_rows_tightly_without_a_layout) {
  const Grid g = make(7, 5, 4, 1);
  cr_assert(g.ld == 7 && g.slice == 35 && g.offset == 0 && g.elements == 140);
  cr_assert(grid_is_packed(&g) && grid_growth_percent(&g) == 0);
  cr_assert_eq(grid_interior_points(&g), 5u * 3 * 2);
  cr_assert_eq(g.hx, 1.0 / 6);
}

// The layout of the high-order labs: nx + 2R = 520 padded to 576, base moved by 64 - R = 60. AMD
// publishes about 10 % more memory for it.
Test(grid, layout_moves_rows_apart_and_the_base) {
  Grid g;
  cr_assert(grid_make(&g, 520, 520, 520, 4, sizeof(float), error, sizeof error));
  cr_assert(grid_lay_out(&g, 576, 60, error, sizeof error));
  cr_assert(g.slice == 576 * 520 && g.elements == (size_t)576 * 520 * 520 + 60);
  cr_assert(!grid_is_packed(&g));
  cr_assert_float_eq(grid_growth_percent(&g), 10.77, 0.005);
}

Test(grid, layout_whose_rows_overlap_or_that_has_no_address_is_refused) {
  Grid g = make(520, 520, 520, 4);
  cr_assert(!grid_lay_out(&g, 519, 0, error, sizeof error));
  cr_assert(strstr(error, "leading dimension 519: a row has 520 points"), "%s", error);
  cr_assert(grid_lay_out(&g, 900 * 520, 0, error, sizeof error));
  cr_assert(!grid_lay_out(&g, 1100 * 520, 0, error, sizeof error));
  cr_assert(strstr(error, "more than 1000 times the memory of packed rows"));
  cr_assert(!grid_lay_out(&g, SIZE_MAX / 2, 0, error, sizeof error));
  cr_assert(strstr(error, "address space"), "%s", error);
  cr_assert(!grid_lay_out(&g, 520, SIZE_MAX, error, sizeof error));
  cr_assert(strstr(error, "address space"), "%s", error);
}

Test(grid, interior_is_all_but_the_radius) {
  const Grid g = make(9, 9, 9, 2);
  cr_assert(grid_is_interior(&g, 2, 2, 2) && grid_is_interior(&g, 6, 6, 6));
  cr_assert(!grid_is_interior(&g, 1, 4, 4) && !grid_is_interior(&g, 7, 4, 4));
  cr_assert(!grid_is_interior(&g, 4, 1, 4) && !grid_is_interior(&g, 4, 4, 7));
}

Test(grid, refuses_a_plane_that_int_cannot_number) {
  Grid g;
  cr_assert(!grid_make(&g, 46341, 46341, 3, 1, 8, error, sizeof error));
  cr_assert(strstr(error, "a plane has more than 2^31 - 1 points"));
  cr_assert(grid_make(&g, 46340, 46340, 3, 1, 8, error, sizeof error));
}

Test(grid, refuses_what_has_no_interior_or_no_address) {
  Grid g;
  cr_assert(!grid_make(&g, 3, 2, 3, 1, 8, error, sizeof error));
  cr_assert(strstr(error, "at least 3 points"));
  cr_assert(!grid_make(&g, 46340, 46340, INT_MAX, 1, 8, error, sizeof error));
  cr_assert(strstr(error, "address space"));
}

// Published for 512^3: 1.074 GB fetched and 1.061 GB written at least; 808.148 GB/s in 2.64172 ms.
Test(bandwidth, agrees_with_the_published_figures) {
  const Grid g = make(512, 512, 512, 1);
  const Traffic t = laplacian_traffic(&g, 0);
  cr_assert_eq(t.fetch_bytes, 8.0 * (512.0 * 512 * 512 - 8 - 3 * 4 * 510));
  cr_assert_eq(t.write_bytes, 8.0 * 510 * 510 * 510);
  cr_assert_float_eq(t.fetch_bytes / 1e9, 1.074, 0.0005);
  cr_assert_float_eq(t.write_bytes / 1e9, 1.061, 0.0005);
  cr_assert_float_eq(bandwidth_effective_gbs(t, 2.64172), 808.148, 0.005);
}

// A 3 x 3 x 3 grid has one interior point, which needs itself and six neighbours.
Test(bandwidth, counts_only_points_that_are_needed) {
  const Grid g = make(3, 3, 3, 1);
  const Traffic t = laplacian_traffic(&g, 0);
  cr_assert_eq(t.fetch_bytes, 7 * 8.0);
  cr_assert_eq(t.write_bytes, 8.0);
}

// What the halo adds, at the faces across the axis alone: nothing else of it is needed.
Test(bandwidth, of_a_derivative_is_the_cube_twice_and_a_halo) {
  Grid g;
  cr_assert(grid_make(&g, 18, 28, 38, 4, sizeof(float), error, sizeof error));
  for (const char *axis = "xyz"; *axis; axis++) {
    const double length = *axis == 'x' ? 10 : *axis == 'y' ? 20 : 30;
    const Traffic t = derivative_traffic(&g, *axis);
    cr_assert_eq(t.write_bytes, 4.0 * 10 * 20 * 30);
    cr_assert_float_eq(t.fetch_bytes, t.write_bytes * (length + 8) / length, 1e-6);
  }
}

Test(timing, summary_is_median_and_spread) {
  double odd[] = {5, 1, 3}, even[] = {4, 1, 2, 100}, one[] = {7};
  const Timing a = timing_summary(odd, 3), b = timing_summary(even, 4), c = timing_summary(one, 1);
  cr_assert(a.median == 3 && a.min == 1 && a.max == 5 && a.runs == 3);
  cr_assert(b.median == 3 && b.min == 1 && b.max == 100);
  cr_assert(c.median == 7 && c.min == 7 && c.max == 7);
}
