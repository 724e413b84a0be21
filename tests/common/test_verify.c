// The inputs, the host reference, and that verification finds a single fault anywhere.
#include "laplacian.h"
#include "random.h"
#include "verify.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 7, NY = 5, NZ = 4 };

static Grid make(int nx, int ny, int nz) {
  char error[256];
  Grid grid;
  cr_assert(grid_make(&grid, nx, ny, nz, 1, sizeof(double), error, sizeof error), "%s", error);
  return grid;
}

// expected, and an output that is right: expected inside, poison elsewhere.
static void right_output(const Grid *g, double *expected, double *f) {
  memset(f, POISON_BYTE, g->elements * sizeof *f);
  for (int k = 0; k < g->nz; k++)
    for (int j = 0; j < g->ny; j++)
      for (int i = 0; i < g->nx; i++) {
        const size_t n = (size_t)i + (size_t)j * g->ld + (size_t)k * g->slice;
        expected[n] = 1.0 + (double)n;
        if (grid_is_interior(g, i, j, k))
          f[n] = expected[n];
      }
}

static Verification verify_all(const Grid *g, const double *expected, const double *f) {
  Verification v = {.name = "test", .scale = 1, .tolerance = 1e-9};
  for (int k = 0; k < g->nz; k++) {
    const bool interior = k >= g->radius && k < g->nz - g->radius;
    verify_slice(&v, g, k, f + (size_t)k * g->slice,
                 interior ? expected + (size_t)k * g->slice : NULL);
  }
  return v;
}

Test(verify, passes_what_is_right_and_has_looked_at_all_of_it) {
  const Grid g = make(NX, NY, NZ);
  double expected[NX * NY * NZ], f[NX * NY * NZ];
  right_output(&g, expected, f);
  const Verification v = verify_all(&g, expected, f);
  cr_assert(verify_passed(&v, &g));
  cr_assert_eq(v.checked, 5u * 3 * 2);
}

Test(verify, nothing_looked_at_is_not_a_pass) {
  const Grid g = make(NX, NY, NZ);
  const Verification v = {.name = "test", .scale = 1, .tolerance = 1};
  cr_assert(!verify_passed(&v, &g));
}

// Puts each bad value at each element in turn; padding is part of the array.
Test(verify, finds_a_single_fault_at_any_element) {
  char error[256];
  Grid g = make(NX, NY, NZ);
  cr_assert(grid_lay_out(&g, 8, 3, error, sizeof error));
  const size_t elements = g.slice * NZ;
  double *expected = malloc(elements * sizeof *expected + g.offset * sizeof *expected);
  double *f = malloc(g.elements * sizeof *f);
  double poison;
  memset(&poison, POISON_BYTE, sizeof poison);
  const double bad[] = {0.0, NAN, INFINITY, -INFINITY, 1e300, poison};
  for (size_t n = 0; n < elements; n++) {
    const int i = (int)(n % g.ld), j = (int)(n / g.ld % NY), k = (int)(n / g.slice);
    const bool interior = grid_is_interior(&g, i, j, k);
    for (size_t b = 0; b < sizeof bad / sizeof *bad - !interior; b++) { // poison is right outside
      right_output(&g, expected, f);
      f[n] = bad[b];
      const Verification v = verify_all(&g, expected, f);
      cr_assert(!verify_passed(&v, &g), "element %zu = %g passed", n, bad[b]);
      cr_assert(v.first.i == i && v.first.j == j && v.first.k == k);
      cr_assert_eq(v.wrong, interior);
      cr_assert_eq(v.touched, !interior);
    }
  }
  free(expected);
  free(f);
}

Test(verify, tells_kinds_of_fault_apart) {
  const Grid g = make(NX, NY, NZ);
  double expected[NX * NY * NZ], f[NX * NY * NZ];
  const size_t inside = 1 + 1 * g.ld + 1 * g.slice;
  double poison;
  memset(&poison, POISON_BYTE, sizeof poison);
  const struct {
    size_t n;
    double value;
    ElementFault fault;
  } cases[] = {{inside, 0.5, ELEMENT_WRONG},
               {inside, NAN, ELEMENT_NOT_FINITE},
               {inside, INFINITY, ELEMENT_NOT_FINITE},
               {inside, poison, ELEMENT_UNWRITTEN},
               {0, 0.0, ELEMENT_TOUCHED}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    right_output(&g, expected, f);
    f[cases[c].n] = cases[c].value;
    const Verification v = verify_all(&g, expected, f);
    cr_assert_eq(v.first.fault, cases[c].fault, "case %zu", c);
    cr_assert_eq(v.unwritten, cases[c].fault == ELEMENT_UNWRITTEN);
    const bool numeric = cases[c].fault == ELEMENT_WRONG || cases[c].fault == ELEMENT_TOUCHED;
    cr_assert_eq(isfinite(v.max_error) != 0, numeric, "case %zu", c);
  }
}

// Bit for bit, for 0 and -0 are equal and a NaN is not; padding counts, for it is nobody's to write.
Test(verify, finds_a_single_change_of_the_input_at_any_element) {
  char error[256];
  Grid g = make(NX, NY, NZ);
  cr_assert(grid_lay_out(&g, 9, 0, error, sizeof error));
  double *before = calloc(g.slice, sizeof *before), *after = calloc(g.slice, sizeof *after);
  before[3] = after[3] = NAN;
  Verification v = {.name = "test", .checked = grid_interior_points(&g)};
  for (int k = 0; k < g.nz; k++)
    verify_input_slice(&v, &g, k, after, before);
  cr_assert(verify_passed(&v, &g));
  for (size_t n = 0; n < g.slice; n++) {
    v.changed = 0;
    after[n] = -before[n];
    verify_input_slice(&v, &g, 2, after, before);
    cr_assert_eq(v.changed, 1, "element %zu", n);
    cr_assert(!verify_passed(&v, &g));
    cr_assert(v.first_changed.i == (int)(n % g.ld) && v.first_changed.j == (int)(n / g.ld) &&
              v.first_changed.k == 2);
    after[n] = before[n];
  }
  free(before);
  free(after);
}

Test(verify, says_how_much_of_the_input_changed_and_where_first) {
  const Grid g = make(NX, NY, NZ);
  double before[NX * NY] = {0}, after[NX * NY] = {0};
  Verification v = {.name = "random", .scale = 1, .tolerance = 1};
  v.checked = grid_interior_points(&g);
  after[8] = after[30] = 1;
  verify_input_slice(&v, &g, 1, after, before);
  verify_input_slice(&v, &g, 2, after, before);
  char text[512];
  verify_sentence(&v, text, sizeof text);
  cr_assert_str_eq(text, "random input: 4 elements of the input u were changed, and a kernel may "
                         "only read it; the first is (i, j, k) = (1, 1, 1)");
}

Test(verify, reports_the_smallest_index_and_counts_all) {
  const Grid g = make(64, 64, 8);
  double *expected = malloc(g.elements * sizeof *expected), *f = malloc(g.elements * sizeof *f);
  right_output(&g, expected, f);
  for (int j = 40; j < 60; j++)
    for (int k = 3; k < 6; k++)
      f[(size_t)(70 - j) + (size_t)j * g.ld + (size_t)k * g.slice] = -1;
  const Verification v = verify_all(&g, expected, f);
  cr_assert_eq(v.wrong, 60u);
  cr_assert(v.first.i == 30 && v.first.j == 40 && v.first.k == 3);
  char text[512];
  verify_sentence(&v, text, sizeof text);
  cr_assert(strstr(text, "(i, j, k) = (30, 40, 3), is -1, expected"), "%s", text);
  free(expected);
  free(f);
}

Test(field, quadratic_has_laplacian_three) {
  const Grid g = make(31, 17, 9);
  double *u = malloc(g.elements * sizeof *u), *laplacian = malloc(g.slice * sizeof *laplacian);
  for (int k = 0; k < g.nz; k++)
    laplacian_quadratic_slice(&g, 0, k, u + (size_t)k * g.slice);
  for (int k = 1; k < g.nz - 1; k++) {
    double *middle = u + (size_t)k * g.slice;
    laplacian_slice(&g, 0, (const double *[]){middle - g.slice, middle, middle + g.slice},
                    laplacian);
    for (int j = 1; j < g.ny - 1; j++)
      for (int i = 1; i < g.nx - 1; i++)
        cr_assert_float_eq(laplacian[(size_t)i + (size_t)j * g.ld], 3.0, 3 * QUADRATIC_TOLERANCE);
  }
  free(u);
  free(laplacian);
}

// Long double as the judge: the reference itself must be well inside the tolerance it is used with.
Test(field, reference_rounds_less_than_the_tolerance) {
  const Grid g = make(67, 13, 3);
  double *u = malloc(g.elements * sizeof *u), *laplacian = malloc(g.slice * sizeof *laplacian);
  for (int k = 0; k < g.nz; k++)
    random_slice(&g, 5, k, u + (size_t)k * g.slice);
  laplacian_slice(&g, 0, (const double *[]){u, u + g.slice, u + 2 * g.slice}, laplacian);
  const long double x = 1.0L / g.hx / g.hx, y = 1.0L / g.hy / g.hy, z = 1.0L / g.hz / g.hz;
  for (int j = 1; j < g.ny - 1; j++)
    for (int i = 1; i < g.nx - 1; i++) {
      const double *c = u + (size_t)i + (size_t)j * g.ld + g.slice;
      const long double exact =
          ((long double)c[-1] + c[1]) * x + ((long double)c[-(ptrdiff_t)g.ld] + c[g.ld]) * y +
          ((long double)c[-(ptrdiff_t)g.slice] + c[g.slice]) * z - 2 * (x + y + z) * c[0];
      const double error = (double)fabsl(exact - laplacian[(size_t)i + (size_t)j * g.ld]);
      cr_assert_lt(error / laplacian_scale(&g), ROUNDING_TOLERANCE / 2);
    }
  free(u);
  free(laplacian);
}

Test(field, random_is_reproducible_spread_and_depends_on_everything) {
  const Grid g = make(64, 64, 3);
  double *a = malloc(g.slice * sizeof *a), *b = malloc(g.slice * sizeof *b);
  random_slice(&g, 1, 1, a);
  random_slice(&g, 1, 1, b);
  cr_assert_eq(memcmp(a, b, g.slice * sizeof *a), 0);
  double sum = 0;
  for (size_t n = 0; n < g.slice; n++) {
    cr_assert(a[n] >= -1 && a[n] < 1);
    sum += a[n];
  }
  cr_assert_lt(fabs(sum / (double)g.slice), 0.05); // five standard errors of 4096 uniform values
  random_slice(&g, 2, 1, b);
  cr_assert_neq(a[0], b[0]);
  random_slice(&g, 1, 2, b);
  cr_assert_neq(a[0], b[0]);
  free(a);
  free(b);
}

// Who sees some elements and undoes the outer mix must not have the inner key.
Test(field, random_has_two_keys_and_both_count) {
  const RandomKeys keys = random_keys(7), others = random_keys(8);
  cr_assert_neq(keys.inner, keys.outer);
  cr_assert(keys.inner != others.inner && keys.outer != others.outer);
  cr_assert_neq(random_at(keys, 5), random_at((RandomKeys){keys.inner, others.outer}, 5));
  cr_assert_neq(random_at(keys, 5), random_at((RandomKeys){others.inner, keys.outer}, 5));
  cr_assert_neq(random_at(keys, 5), random_at(keys, 6));
}
