// Layout, input and reference of the lattice-Boltzmann model. See lbm.h.
#include "lbm.h"

#include "random.h"
#include "verify.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// Directions are named as on a map: e(ast) is +x, n(orth) is +y, t(op) is +z; w, s, b are opposite.
const int LBM_DIRECTION[LBM_G_COUNT][3] = {
    {0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
    {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
    {-1, 0, 1}, {1, 1, 0},   {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}};

const char *const LBM_NAME[LBM_ARRAYS] = {
    "g_rest", "g_e",  "g_w",  "g_n",           "g_s",        "g_t",        "g_b",       "g_tn",
    "g_bs",   "g_bn", "g_ts", "g_te",          "g_bw",       "g_be",       "g_tw",      "g_ne",
    "g_sw",   "g_se", "g_nw", "f_rest",        "f_e",        "f_w",        "f_n",       "f_s",
    "f_t",    "f_b",  "phi",  "laplacian_phi", "grad_phi_x", "grad_phi_y", "grad_phi_z"};

// --- layout ---

bool lbm_layout_make(LbmLayout *layout, int nx, int ny, int nz, char *error, size_t error_size) {
  *layout = (LbmLayout){.nx = nx, .ny = ny, .nz = nz};
  int levels; // both of an array: the kernel adds a level to a point in int
  if (__builtin_add_overflow(nx, 2, &layout->row) ||
      __builtin_mul_overflow(layout->row, (int64_t)ny + 2, &layout->slice) ||
      __builtin_mul_overflow(layout->slice, (int64_t)nz + 2, &layout->level) ||
      __builtin_mul_overflow(layout->level, 2, &levels)) {
    snprintf(error, error_size,
             "grid %d x %d x %d: the two time levels of an array would have more than %d elements, "
             "the most that the kernel can count in an int; choose a smaller grid",
             nx, ny, nz, INT_MAX);
    return false;
  }
  layout->first = 1 + layout->row + layout->slice;
  return true;
}

bool lbm_fits(const Grid *grid, char *error, size_t error_size) {
  LbmLayout layout;
  return lbm_layout_make(&layout, grid->nx, grid->ny, grid->nz, error, error_size);
}

size_t lbm_elements(const LbmLayout *l) { return (size_t)LBM_ARRAYS * 2 * (size_t)l->level; }

size_t lbm_element(const LbmLayout *l, int array, int level, int at) {
  return (size_t)(2 * array + level) * (size_t)l->level + (size_t)at;
}

bool lbm_is_point(const LbmLayout *l, int at) {
  const int i = at % l->row, j = at % l->slice / l->row, k = at / l->slice;
  return i >= 1 && i <= l->nx && j >= 1 && j <= l->ny && k >= 1 && k <= l->nz;
}

int lbm_row(const LbmLayout *l, int row) {
  return l->first + row % l->ny * l->row + row / l->ny * l->slice;
}

static bool is_g(int array) { return array < LBM_F; }
static bool is_f(int array) { return array >= LBM_F && array < LBM_PHI; }
bool lbm_has_two_levels(int array) { return array != LBM_G && array < LBM_PHI; }

// --- input ---

static double weight(int direction) {
  return direction == 0 ? 1.0 / 3.0 : direction < LBM_F_COUNT ? 1.0 / 18.0 : 1.0 / 36.0;
}

static double poison(void) {
  double value;
  memset(&value, POISON_BYTE, sizeof value);
  return value;
}

// A run of an array's values: offset + scale * random. One function makes them all, so that the compiler's choice of
// instructions cannot make a value that is made again differ in its last bit.
static void random_run(const LbmInput *in, int array, int at, int count, double *values) {
  const RandomKeys keys = random_keys(in->seed);
  const uint64_t first = lbm_element(in->layout, array, 0, at);
  const double offset = is_g(array) ? weight(array) : 0;
  const double scale = is_g(array) ? 0.1 * weight(array) : is_f(array) ? 0.2 : 0.5;
  for (int i = 0; i < count; i++)
    values[i] = offset + scale * random_at(keys, first + (uint64_t)i);
}

static void fill_run(double value, int count, double *values) {
  for (int i = 0; i < count; i++)
    values[i] = value;
}

// The order parameter is the sum of f.
static void phi_run(const LbmInput *in, int at, int count, double *phi) {
  double f[LBM_CHUNK];
  fill_run(0, count, phi);
  for (int begin = 0; begin < count; begin += LBM_CHUNK)
    for (int n = 0; n < LBM_F_COUNT; n++) {
      const int now = lbm_chunk(count - begin);
      lbm_input_run(in, LBM_F + n, in->current, at + begin, now, f);
      for (int i = 0; i < now; i++)
        phi[begin + i] += f[i];
    }
}

void lbm_input_run(const LbmInput *in, int array, int level, int at, int count, double *values) {
  if (level != (lbm_has_two_levels(array) ? in->current : 0))
    fill_run(poison(), count, values);
  else if (array == LBM_PHI)
    phi_run(in, at, count, values);
  else if (array >= LBM_GRADIENT && !in->force)
    fill_run(0, count, values);
  else
    random_run(in, array, at, count, values);
}

void lbm_input_fill(const LbmInput *in, double *memory) {
#pragma omp parallel for
  for (int n = 0; n < 2 * LBM_ARRAYS; n++)
    lbm_input_run(in, n / 2, n % 2, 0, in->layout->level,
                  &memory[lbm_element(in->layout, n / 2, n % 2, 0)]);
}

// --- reference ---

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The order parameter is no part of a point: it follows from f.
static void put(LbmPoint *point, int array, double value) {
  if (array < LBM_F)
    point->populations.g[array] = value;
  else if (array < LBM_PHI)
    point->populations.f[array - LBM_F] = value;
  else if (array == LBM_LAPLACIAN)
    point->laplacian = value;
  else if (array >= LBM_GRADIENT)
    point->gradient[array - LBM_GRADIENT] = value;
}

void lbm_input_points(const LbmInput *in, int at, int count, LbmPoint *points) {
  double values[LBM_CHUNK];
  for (int array = 0; array < LBM_ARRAYS; array++) {
    lbm_input_run(in, array, lbm_has_two_levels(array) ? in->current : 0, at, count, values);
    for (int i = 0; i < count; i++)
      put(&points[i], array, values[i]);
  }
}

typedef struct {
  double phi, mu, rho, force[3], velocity[3];
} Moments;

static Moments moments_of(const LbmPoint *point) {
  Moments m = {0};
  for (int n = 0; n < LBM_F_COUNT; n++)
    m.phi += point->populations.f[n];
  m.mu = LBM_ALPHA * m.phi * (m.phi * m.phi - LBM_PHI_STAR * LBM_PHI_STAR) -
         LBM_KAPPA * point->laplacian;
  for (int axis = 0; axis < 3; axis++) {
    m.force[axis] = m.mu * point->gradient[axis];
    m.velocity[axis] = m.force[axis] / 2;
  }
  for (int n = 0; n < LBM_G_COUNT; n++) {
    const double g = point->populations.g[n];
    m.rho += g;
    for (int axis = 0; axis < 3; axis++)
      m.velocity[axis] += LBM_DIRECTION[n][axis] * g;
  }
  for (int axis = 0; axis < 3; axis++)
    m.velocity[axis] /= m.rho;
  return m;
}

static double collided_f(const Moments *m, int n, double eu, double f) {
  const double equilibrium = n == 0 ? m->phi - 3 * LBM_MOBILITY * m->mu
                                    : LBM_MOBILITY * m->mu / 2 + LBM_ADVECTION * m->phi * eu;
  return f + (equilibrium - f) / LBM_TAU_F;
}

static double collided_g(const Moments *m, int n, double eu, double ef, double g) {
  const double uu = dot(m->velocity, m->velocity), uf = dot(m->velocity, m->force);
  const double pressure = m->rho + (n == 0 ? -6 : 3) * m->phi * m->mu;
  const double equilibrium = weight(n) * (pressure + m->rho * (3 * eu + 4.5 * eu * eu - 1.5 * uu));
  const double source = (1 - 1 / (2 * LBM_TAU_G)) * weight(n) * (3 * (ef - uf) + 9 * eu * ef);
  return g + (equilibrium - g) / LBM_TAU_G + source;
}

LbmPopulations lbm_collide(const LbmPoint *point) {
  const Moments m = moments_of(point);
  LbmPopulations after;
  for (int n = 0; n < LBM_G_COUNT; n++) {
    const double e[3] = {LBM_DIRECTION[n][0], LBM_DIRECTION[n][1], LBM_DIRECTION[n][2]};
    const double eu = dot(e, m.velocity), ef = dot(e, m.force);
    after.g[n] = collided_g(&m, n, eu, ef, point->populations.g[n]);
    if (n < LBM_F_COUNT)
      after.f[n] = collided_f(&m, n, eu, point->populations.f[n]);
  }
  return after;
}

int lbm_target(const LbmLayout *l, int direction, int at) {
  const int *e = LBM_DIRECTION[direction];
  return at + e[0] + e[1] * l->row + e[2] * l->slice;
}

int lbm_level_after(const LbmInput *in, int array) {
  return !lbm_has_two_levels(array) ? 0 : is_g(array) ? !in->current : in->current;
}

// --- totals ---

static void add_g(LbmTotals *totals, int direction, long double g) {
  totals->mass += g;
  for (int axis = 0; axis < 3; axis++)
    totals->momentum[axis] += LBM_DIRECTION[direction][axis] * g;
}

static void add_totals(LbmTotals *sum, const LbmTotals *part) {
  sum->order += part->order;
  sum->mass += part->mass;
  for (int axis = 0; axis < 3; axis++)
    sum->momentum[axis] += part->momentum[axis];
}

#pragma omp declare reduction(add:LbmTotals                                                        \
                              : add_totals(&omp_out, &omp_in))                                     \
    initializer(omp_priv = (LbmTotals){0})

static void add_expected(LbmTotals *totals, const LbmPoint *points, int count) {
  for (int i = 0; i < count; i++) {
    const Moments m = moments_of(&points[i]);
    totals->order += m.phi;
    for (int axis = 0; axis < 3; axis++)
      totals->momentum[axis] += m.force[axis];
  }
  for (int n = 0; n < LBM_G_COUNT; n++) {
    long double g = 0;
    for (int i = 0; i < count; i++)
      g += points[i].populations.g[n];
    add_g(totals, n, g);
  }
}

LbmTotals lbm_totals_expected(const LbmInput *in) {
  const LbmLayout *l = in->layout;
  LbmTotals totals = {0};
#pragma omp parallel for reduction(add : totals)
  for (int row = 0; row < l->ny * l->nz; row++)
    for (int i = 0; i < l->nx; i += LBM_CHUNK) {
      LbmPoint points[LBM_CHUNK];
      const int count = lbm_chunk(l->nx - i);
      lbm_input_points(in, lbm_row(l, row) + i, count, points);
      add_expected(&totals, points, count);
    }
  return totals;
}

static long double sum_of_written(const double *values, int count) {
  long double sum = 0;
  for (int i = 0; i < count; i++)
    sum += verify_is_poison(values[i]) ? 0 : values[i];
  return sum;
}

static long double sum_over_points(const LbmLayout *l, const double *values) {
  long double sum = 0;
  for (int row = 0; row < l->ny * l->nz; row++)
    sum += sum_of_written(values + lbm_row(l, row), l->nx);
  return sum;
}

static void add_found(LbmTotals *totals, const LbmInput *in, int array, const double *values) {
  const LbmLayout *l = in->layout;
  if (is_f(array))
    totals->order += sum_over_points(l, values);
  else
    add_g(totals, array,
          array == LBM_G ? sum_over_points(l, values) : sum_of_written(values, l->level));
}

LbmTotals lbm_totals_found(const LbmInput *in, const double *memory) {
  LbmTotals totals = {0};
#pragma omp parallel for reduction(add : totals)
  for (int array = 0; array < LBM_PHI; array++)
    add_found(&totals, in, array,
              &memory[lbm_element(in->layout, array, lbm_level_after(in, array), 0)]);
  return totals;
}

// --- traffic ---

Traffic lbm_traffic(const Grid *grid, char axis) {
  (void)axis;
  const double bytes = (double)grid_interior_points(grid) * sizeof(double);
  return (Traffic){.fetch_bytes = bytes * LBM_ARRAYS, .write_bytes = bytes * LBM_PHI};
}
