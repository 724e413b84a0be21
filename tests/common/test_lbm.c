// The lattice-Boltzmann model on the host: directions, layout, the reference, and a verification
// that lets nothing wrong through.
#include "lbm_verify.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define assert_near(a, b) cr_assert_lt(fabs((a) - (b)), 1e-15, "%.17g and %.17g", a, b)

static char error[256];

static double weight(int n) { return n == 0 ? 1.0 / 3 : n < 7 ? 1.0 / 18 : 1.0 / 36; }

// --- directions and layout ---

Test(directions, names_say_where_they_point) {
  for (int n = 1; n < LBM_G_COUNT; n++) {
    int e[3] = {0, 0, 0};
    for (const char *c = LBM_NAME[LBM_G + n] + strlen("g_"); *c; c++)
      e[*c == 'e' || *c == 'w' ? 0 : *c == 'n' || *c == 's' ? 1 : 2] += strchr("ent", *c) ? 1 : -1;
    cr_assert_arr_eq(e, LBM_DIRECTION[n], sizeof e, "%s", LBM_NAME[n]);
    if (n < LBM_F_COUNT)
      cr_assert_str_eq(LBM_NAME[LBM_F + n] + 2, LBM_NAME[n] + 2);
  }
}

// What the model's derivation needs of a lattice: the moments of the weights up to the second.
Test(directions, weights_are_isotropic) {
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      double zeroth = 0, first = 0, second = 0;
      for (int n = 0; n < LBM_G_COUNT; n++) {
        zeroth += weight(n);
        first += weight(n) * LBM_DIRECTION[n][a];
        second += weight(n) * LBM_DIRECTION[n][a] * LBM_DIRECTION[n][b];
      }
      assert_near(zeroth, 1.0);
      assert_near(first, 0.0);
      assert_near(second, a == b ? 1.0 / 3 : 0.0);
    }
}

Test(layout, points_are_counted_and_streaming_stays_in_the_level) {
  LbmLayout l;
  cr_assert(lbm_layout_make(&l, 5, 3, 2, error, sizeof error));
  int points = 0;
  for (int at = 0; at < l.level; at++) {
    points += lbm_is_point(&l, at);
    for (int n = 0; lbm_is_point(&l, at) && n < LBM_G_COUNT; n++) {
      const int to = lbm_target(&l, n, at);
      cr_assert(to >= 0 && to < l.level);
    }
  }
  cr_assert_eq(points, 5 * 3 * 2);
  cr_assert(lbm_is_point(&l, l.first) && !lbm_is_point(&l, l.first - 1));
  cr_assert_eq(lbm_elements(&l), (size_t)31 * 2 * 7 * 5 * 4);
}

Test(layout, grid_beyond_an_int_is_refused) {
  LbmLayout l;
  cr_assert(lbm_layout_make(&l, 1022, 1022, 1021, error, sizeof error));
  cr_assert(!lbm_layout_make(&l, 1022, 1022, 1022, error, sizeof error));
  cr_assert(strstr(error, "grid 1022 x 1022 x 1022"));
  cr_assert(!lbm_layout_make(&l, 1 << 30, 1 << 30, 1, error, sizeof error));
}

// --- the reference ---

// A fluid of density rho that moves as a whole, of one phase, in equilibrium.
static LbmPoint equilibrium(double rho, const double u[3]) {
  LbmPoint p = {.populations.f[0] = LBM_PHI_STAR};
  for (int n = 0; n < LBM_G_COUNT; n++) {
    const int *e = LBM_DIRECTION[n];
    const double eu = e[0] * u[0] + e[1] * u[1] + e[2] * u[2];
    const double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    p.populations.g[n] = weight(n) * rho * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * uu);
    if (n > 0 && n < LBM_F_COUNT)
      p.populations.f[n] = LBM_ADVECTION * LBM_PHI_STAR * eu;
  }
  return p;
}

static void assert_stays(const LbmPoint *p) {
  const LbmPopulations after = lbm_collide(p);
  for (int n = 0; n < LBM_G_COUNT; n++)
    assert_near(after.g[n], p->populations.g[n]);
  for (int n = 0; n < LBM_F_COUNT; n++)
    assert_near(after.f[n], p->populations.f[n]);
}

Test(reference, equilibrium_at_rest_stays) {
  const LbmPoint p = equilibrium(1.3, (double[]){0, 0, 0});
  assert_stays(&p);
}

Test(reference, equilibrium_in_motion_stays) {
  const LbmPoint p = equilibrium(0.9, (double[]){0.05, -0.02, 0.03});
  assert_stays(&p);
}

// g at rest with density 1, phi = 0.5, a gradient along x. From the formulas by hand: mu = -0.0168,
// so the force is -0.0168 and the velocity -0.0084 along x.
Test(reference, known_values) {
  LbmPoint p = {.populations.f[0] = 0.5, .gradient = {1, 0, 0}};
  for (int n = 0; n < LBM_G_COUNT; n++)
    p.populations.g[n] = weight(n);
  const LbmPopulations after = lbm_collide(&p);
  assert_near(after.g[0], 0.35423631333333333);
  assert_near(after.g[1], 0.05103789555555555);
  assert_near(after.g[18], 0.028318947777777777);
  assert_near(after.f[0], 0.5288);
  assert_near(after.f[1], -0.009);
  assert_near(after.f[3], -0.0048);
}

// --- the input, and one step on the host ---

typedef struct {
  LbmLayout layout;
  LbmInput input;
  double *memory;
  Verification v;
} Step;

static Step make_step(bool force, int current) {
  static Step s; // the input points to the layout
  cr_assert(lbm_layout_make(&s.layout, 7, 5, 4, error, sizeof error));
  s.input = (LbmInput){.layout = &s.layout, .seed = 42, .current = current, .force = force};
  s.memory = malloc(lbm_elements(&s.layout) * sizeof *s.memory);
  lbm_input_fill(&s.input, s.memory);
  for (int at = 0; at < s.layout.level; at++) {
    if (!lbm_is_point(&s.layout, at))
      continue;
    LbmPoint point;
    lbm_input_points(&s.input, at, 1, &point);
    const LbmPopulations after = lbm_collide(&point);
    for (int n = 0; n < LBM_G_COUNT; n++)
      s.memory[lbm_element(&s.layout, n, n ? !current : 0, lbm_target(&s.layout, n, at))] =
          after.g[n];
    for (int n = 0; n < LBM_F_COUNT; n++)
      s.memory[lbm_element(&s.layout, LBM_F + n, current, at)] = after.f[n];
  }
  return s;
}

static bool passes(Step *s) {
  Grid grid;
  cr_assert(grid_make(&grid, 7, 5, 4, 0, sizeof(double), error, sizeof error));
  s->v = (Verification){.name = "test"};
  lbm_verify(&s->v, &s->input, s->memory);
  return verify_passed(&s->v, &grid);
}

#define assert_said(s, text) cr_assert(strstr((s)->v.sentence, text), "%s", (s)->v.sentence)

static double input_at(const Step *s, int array, int level, int at) {
  double value;
  lbm_input_run(&s->input, array, level, at, 1, &value);
  return value;
}

// Whoever makes a part of an input again, of any length, makes the same bits.
Test(input, a_run_is_its_elements_one_by_one) {
  const Step a = make_step(true, 1);
  const int level = a.layout.level;
  double *run = malloc((size_t)level * sizeof *run);
  for (int n = 0; n < 2 * LBM_ARRAYS; n++) {
    lbm_input_run(&a.input, n / 2, n % 2, 0, level, run);
    for (int at = 0; at < level; at++) {
      const double one = input_at(&a, n / 2, n % 2, at);
      cr_assert_eq(memcmp(&one, &run[at], sizeof one), 0, "array %d, element %d", n / 2, at);
    }
  }
  free(run);
}

Test(input, seeds_differ_and_repeat) {
  Step a = make_step(true, 0);
  const int at = a.layout.first;
  const double first = input_at(&a, LBM_PHI, 0, at);
  cr_assert_eq(first, input_at(&a, LBM_PHI, 0, at));
  a.input.seed = 43;
  cr_assert_neq(first, input_at(&a, LBM_PHI, 0, at));
}

Test(input, nothing_is_known_of_the_next_level) {
  const Step a = make_step(true, 1);
  cr_assert(verify_is_poison(input_at(&a, LBM_G + 1, 0, a.layout.first)));
  cr_assert(!verify_is_poison(input_at(&a, LBM_G + 1, 1, a.layout.first)));
  cr_assert(!verify_is_poison(input_at(&a, LBM_G, 0, a.layout.first)));
}

Test(verify, right_steps_pass_with_all_points) {
  for (int n = 0; n < 4; n++) {
    Step s = make_step(n & 1, n >> 1);
    cr_assert(passes(&s), "%s", s.v.sentence);
    cr_assert_eq(s.v.checked, 7 * 5 * 4);
    assert_said(&s, "all 140 points right");
    assert_said(&s, n & 1 ? "changed by the force alone" : "momentum too, for no force acts");
  }
}

// In both levels, the halo included. Every 61st is tried, which shares no factor with the layout,
// so that all arrays and places take their turn.
Test(verify, any_element_that_changes_is_found) {
  Step s = make_step(true, 0);
  for (size_t n = 0; n < lbm_elements(&s.layout); n += 61) {
    const double right = s.memory[n];
    s.memory[n] = verify_is_poison(right) ? 0.25 : right + 1e-9;
    cr_assert(!passes(&s), "element %zu", n);
    s.memory[n] = right;
  }
  cr_assert(passes(&s));
}

Test(verify, not_a_number_is_wrong) {
  Step s = make_step(true, 0);
  s.memory[lbm_element(&s.layout, LBM_F + 2, 0, s.layout.first)] = NAN;
  cr_assert(!passes(&s));
  cr_assert(s.v.wrong == 1 && s.v.unwritten == 0 && isinf(s.v.max_error));
  assert_said(&s, "the first, f_w of point (0, 0, 0), is nan");
}

Test(verify, lost_mass_is_named) {
  Step s = make_step(true, 0);
  s.memory[lbm_element(&s.layout, LBM_G, 0, s.layout.first + 1)] *= 1 - 1e-6;
  cr_assert(!passes(&s));
  assert_said(&s, "1 of 140 points wrong (0 not fully written), 0 elements overwritten");
  assert_said(&s, "mass is not conserved");
}

Test(verify, momentum_that_appears_is_named) {
  Step s = make_step(false, 0);
  double *const g_e = &s.memory[lbm_element(&s.layout, LBM_G + 1, 1, s.layout.first + 1)];
  double *const g_w = &s.memory[lbm_element(&s.layout, LBM_G + 2, 1, s.layout.first)];
  *g_e += 0x1p-20; // both sums round the same way, so the mass stays
  *g_w -= 0x1p-20;
  cr_assert(!passes(&s));
  assert_said(&s, "momentum in x is not conserved");
}
