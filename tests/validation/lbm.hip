// A two-phase lattice-Boltzmann kernel in five versions that lower its register pressure step by
// step, after AMD lab notes, Register pressure in AMD CDNA2 GPUs (MIT license, see NOTICE).
//
// In:  nothing. Out: one line a version; exit status 1 with a sentence if a version differs from
// the host reference anywhere, or does not conserve the order parameter, mass and momentum.
// Registers and occupancy stand in the compiler's kernel-resource-usage report, where the versions
// are named collide_and_stream<VERSION>:
//
//   0  pow() squares the order parameter; f_rest is assigned after the velocities
//   1  a product squares it
//   2  f_rest is assigned as soon as its inputs are there
//   3  __restrict__ on one pointer, f_s
//   4  __restrict__ on a second, g_n
//
// The model is that of H. W. Zheng, C. Shu, Y. T. Chew, "A lattice Boltzmann model for multiphase
// flows with large density ratio", J. Comput. Phys. 218 (2006) 353-371, in lattice units: f on a
// D3Q7 lattice carries the order parameter phi, g on a D3Q19 lattice carries the flow. The force
// enters as in Z. Guo, C. Zheng, B. Shi, Phys. Rev. E 65 (2002) 046308. For each direction e, of
// weight w = 1/3 (rest), 1/18 (axis) or 1/36 (diagonal):
//
//   chemical potential  mu  = alpha phi (phi^2 - phi*^2) - kappa laplacian(phi)
//   force               F   = mu grad(phi)
//   density             rho = sum of g
//   velocity            u   = (sum of e g + F / 2) / rho
//   f equilibrium       phi - 3 Gamma mu                      at rest
//                       Gamma mu / 2 + C phi e.u              else
//   g equilibrium       w (rho - 6 phi mu - 3/2 rho u.u)                              at rest
//                       w (rho + 3 phi mu + rho (3 e.u + 9/2 (e.u)^2 - 3/2 u.u))     else
//   source of g         S = (1 - 1 / (2 tau_g)) w (3 (e - u) + 9 (e.u) e).F
//   collision           f += (f equilibrium - f) / tau_f,  g += (g equilibrium - g) / tau_g + S
//   streaming           g moves to the neighbour in direction e
//
// f does not stream here: the model moves it by an interpolation, which is another kernel's work.
//
// The kernel's figures depend on the order of its arguments and operations and on the pointers
// chosen for __restrict__, for these steer the register allocator. This order was found by trying
// many with hipcc 5.2.3; each of its steps moves the registers the way AMD's steps did.
#include "measure.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// The device
// ---------------------------------------------------------------------------------------------

template <bool RESTRICT> struct Pointer { typedef double *type; };
template <> struct Pointer<true> { typedef double *__restrict__ type; };

// Collides and streams one pair of opposite directions. u (over 1/3, see below) and force are
// taken along the direction; even and odd are the parts of equilibrium and source that the two
// have in common and with opposite signs.
static __device__ void stream_pair(double *ahead, double *behind, int here, int there, int step,
                                   double u, double force, double weight, double force_weight,
                                   double keep, double pressure, double density, double kinetic,
                                   double power) {
  const double even =
      weight * (pressure + density * (0.5 * u * u - kinetic)) + force_weight * (u * force - power);
  const double odd = weight * density * u + force_weight * force;
  ahead[there + step] = keep * ahead[here] + even + odd;
  behind[there - step] = keep * behind[here] + even - odd;
}

// One thread a point. A pointer points to the first point of its array; around all points lies a
// halo one point thick, into which the outermost populations stream. Directions are named as on a
// map: e(ast) is +x, n(orth) is +y, t(op) is +z, and w, s, b are opposite.
//
// row, slice:      distance of neighbours in y and z, in elements
// current, next:   the two time levels of g and f but for g_rest, in elements from the pointer
// keep_*, rate_*:  1 - 1 / tau and 1 / tau
// advection:       C / 3
// w_*:             w / tau_g
// s_*:             3 (1 - 1 / (2 tau_g)) w
template <int VERSION>
__global__ void collide_and_stream(
    double *g_rest, double *g_e, double *g_w, typename Pointer<(VERSION >= 4)>::type g_n,
    double *g_s, double *g_t, double *g_b, double *g_tn, double *g_bs, double *g_bn, double *g_ts,
    double *g_te, double *g_bw, double *g_be, double *g_tw, double *g_ne, double *g_sw,
    double *g_se, double *g_nw, double *f_rest, double *f_e, double *f_w, double *f_n,
    typename Pointer<(VERSION >= 3)>::type f_s, double *f_t, double *f_b, double *phi,
    double *laplacian_phi, double *grad_phi_x, double *grad_phi_y, double *grad_phi_z, int nx,
    int ny, int nz, int row, int slice, int current, int next, double kappa, double alpha,
    double phi_star_squared, double mobility, double rate_f, double keep_f, double advection,
    double keep_g, double w_rest, double w_axis, double w_diagonal, double s_rest, double s_axis,
    double s_diagonal) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = threadIdx.y + blockIdx.y * blockDim.y;
  const int k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i >= nx || j >= ny || k >= nz)
    return;
  const int at = i + row * j + slice * k;
  const int here = at + current, there = at + next;

  const double rho = g_rest[at] + g_e[here] + g_w[here] + g_n[here] + g_s[here] + g_t[here] +
                     g_b[here] + g_tn[here] + g_bs[here] + g_bn[here] + g_ts[here] + g_te[here] +
                     g_bw[here] + g_be[here] + g_tw[here] + g_ne[here] + g_sw[here] + g_se[here] +
                     g_nw[here];
  const double order = phi[at];
  const double order_squared = VERSION >= 1 ? order * order : pow(order, 2.0);
  const double mu = alpha * order * (order_squared - phi_star_squared) - kappa * laplacian_phi[at];
  if (VERSION >= 2)
    f_rest[here] = rate_f * (order - 3.0 * mobility * mu) + keep_f * f_rest[here];

  const double fx = mu * grad_phi_x[at], fy = mu * grad_phi_y[at], fz = mu * grad_phi_z[at];
  // From here on u is over the squared speed of sound, 1/3: the equilibrium has fewer factors so.
  const double ux = (0.5 * fx + g_e[here] - g_w[here] + g_te[here] - g_bw[here] + g_be[here] -
                     g_tw[here] + g_ne[here] - g_sw[here] + g_se[here] - g_nw[here]) *
                    3.0 / rho;
  const double uy = (0.5 * fy + g_n[here] - g_s[here] + g_tn[here] - g_bs[here] + g_bn[here] -
                     g_ts[here] + g_ne[here] - g_sw[here] - g_se[here] + g_nw[here]) *
                    3.0 / rho;
  const double uz = (0.5 * fz + g_t[here] - g_b[here] + g_tn[here] - g_bs[here] - g_bn[here] +
                     g_ts[here] + g_te[here] - g_bw[here] - g_be[here] + g_tw[here]) *
                    3.0 / rho;

  const double spread = 0.5 * mobility * mu * rate_f;
  const double drift = rate_f * advection * order;
  if (VERSION < 2)
    f_rest[here] = rate_f * (order - 3.0 * mobility * mu) + keep_f * f_rest[here];
  f_e[here] = keep_f * f_e[here] + spread + drift * ux;
  f_w[here] = keep_f * f_w[here] + spread - drift * ux;
  f_n[here] = keep_f * f_n[here] + spread + drift * uy;
  f_s[here] = keep_f * f_s[here] + spread - drift * uy;
  f_t[here] = keep_f * f_t[here] + spread + drift * uz;
  f_b[here] = keep_f * f_b[here] + spread - drift * uz;

  const double tension = order * mu;
  const double pressure = rho + 3.0 * tension;
  const double power = (ux * fx + uy * fy + uz * fz) * (1.0 / 3.0);
  const double kinetic = (ux * ux + uy * uy + uz * uz) * (0.5 / 3.0);
  g_rest[at] =
      keep_g * g_rest[at] + w_rest * (rho - 6.0 * tension - rho * kinetic) - s_rest * power;

#define STREAM(ahead, behind, step, u, force, kind)                                                \
  stream_pair(ahead, behind, here, there, step, u, force, w_##kind, s_##kind, keep_g, pressure,    \
              rho, kinetic, power)
  STREAM(g_e, g_w, 1, ux, fx, axis);
  STREAM(g_n, g_s, row, uy, fy, axis);
  STREAM(g_t, g_b, slice, uz, fz, axis);
  STREAM(g_tn, g_bs, row + slice, uy + uz, fy + fz, diagonal);
  STREAM(g_bn, g_ts, row - slice, uy - uz, fy - fz, diagonal);
  STREAM(g_te, g_bw, 1 + slice, ux + uz, fx + fz, diagonal);
  STREAM(g_be, g_tw, 1 - slice, ux - uz, fx - fz, diagonal);
  STREAM(g_ne, g_sw, 1 + row, ux + uy, fx + fy, diagonal);
  STREAM(g_se, g_nw, 1 - row, ux - uy, fx - fy, diagonal);
#undef STREAM
}

static const void *const KERNEL[] = {
    (const void *)collide_and_stream<0>, (const void *)collide_and_stream<1>,
    (const void *)collide_and_stream<2>, (const void *)collide_and_stream<3>,
    (const void *)collide_and_stream<4>};
enum { VERSIONS = sizeof KERNEL / sizeof *KERNEL };

// ---------------------------------------------------------------------------------------------
// The problem: one block of memory, all arrays in the order of the kernel's arguments
// ---------------------------------------------------------------------------------------------

// No size is a multiple of the workgroup's.
enum { NX = 20, NY = 12, NZ = 9, ROW = NX + 2, SLICE = ROW * (NY + 2), LEVEL = SLICE * (NZ + 2) };
enum { DIRECTIONS_G = 19, DIRECTIONS_F = 7 };
enum {
  G = 0,
  F = G + DIRECTIONS_G,
  PHI = F + DIRECTIONS_F,
  LAPLACIAN,
  GRADIENT,
  ARRAYS = GRADIENT + 3
};
enum { ELEMENTS = ARRAYS * 2 * LEVEL, FIRST = 1 + ROW + SLICE, CURRENT = 0, NEXT = LEVEL };

static const double ALPHA = 0.06, KAPPA = 0.03, PHI_STAR = 0.9, MOBILITY = 0.4, ADVECTION = 0.7,
                    TAU_F = 0.7, TAU_G = 0.8;

// The values are of order 1 and below, and host and device round some thirty operations apart.
static const double TOLERANCE = 1e-14;

// In the order of the kernel's arguments; the first seven are those of f.
static const int DIRECTION[DIRECTIONS_G][3] = {
    {0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
    {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
    {-1, 0, 1}, {1, 1, 0},   {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}};

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double weight(int direction) {
  return direction == 0 ? 1.0 / 3.0 : direction < DIRECTIONS_F ? 1.0 / 18.0 : 1.0 / 36.0;
}

// What an array holds at a point. A point is an element's distance from the array's begin.
static double *value(double *memory, int array, int at) {
  return memory + (size_t)array * 2 * LEVEL + at;
}

// Where the populations of g are after streaming: the rest population has one time level.
static int destination(int at, int direction) {
  const int *e = DIRECTION[direction];
  return direction == 0 ? at : at + NEXT + e[0] + e[1] * ROW + e[2] * SLICE;
}

#define FOR_EACH_POINT(at)                                                                         \
  for (int at = FIRST; at < LEVEL - FIRST; at++)                                                   \
    if (at % ROW >= 1 && at % ROW <= NX && at % SLICE / ROW >= 1 && at % SLICE / ROW <= NY)

// Between -0.5 and 0.5. (xorshift64*)
static double random_value(void) {
  static uint64_t state = 88172645463325252u;
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (double)((state * 2685821657736338717u) >> 11) * 0x1p-53 - 0.5;
}

// Random populations and derivatives in the current time level, NaN in the next one. The halo gets
// values too: a thread that wrongly computes there leaves numbers where NaN has to stay.
static void fill(double *memory) {
  for (int at = 0; at < ELEMENTS; at++)
    memory[at] = NAN;
  for (int at = 0; at < LEVEL; at++) {
    for (int direction = 0; direction < DIRECTIONS_G; direction++)
      *value(memory, G + direction, at) = weight(direction) * (1.0 + 0.2 * random_value());
    double phi = 0;
    for (int direction = 0; direction < DIRECTIONS_F; direction++)
      phi += *value(memory, F + direction, at) = 0.4 * random_value();
    *value(memory, PHI, at) = phi;
    for (int array = LAPLACIAN; array < ARRAYS; array++)
      *value(memory, array, at) = random_value();
  }
}

// ---------------------------------------------------------------------------------------------
// The host reference: the formulas above, direction by direction
// ---------------------------------------------------------------------------------------------

static void force_at(double *memory, int at, double *mu, double force[3]) {
  const double phi = *value(memory, PHI, at);
  *mu = ALPHA * phi * (phi * phi - PHI_STAR * PHI_STAR) - KAPPA * *value(memory, LAPLACIAN, at);
  for (int axis = 0; axis < 3; axis++)
    force[axis] = *mu * *value(memory, GRADIENT + axis, at);
}

static void collide_and_stream_on_host(double *memory, int at) {
  const double phi = *value(memory, PHI, at);
  double mu, force[3], rho = 0, u[3];
  force_at(memory, at, &mu, force);
  for (int axis = 0; axis < 3; axis++)
    u[axis] = force[axis] / 2;
  for (int direction = 0; direction < DIRECTIONS_G; direction++) {
    const double g = *value(memory, G + direction, at);
    rho += g;
    for (int axis = 0; axis < 3; axis++)
      u[axis] += DIRECTION[direction][axis] * g;
  }
  for (int axis = 0; axis < 3; axis++)
    u[axis] /= rho;

  for (int direction = 0; direction < DIRECTIONS_G; direction++) {
    const double e[3] = {(double)DIRECTION[direction][0], (double)DIRECTION[direction][1],
                         (double)DIRECTION[direction][2]};
    const bool rest = direction == 0;
    const double eu = dot(e, u), uu = dot(u, u), w = weight(direction);
    if (direction < DIRECTIONS_F) {
      double *f = value(memory, F + direction, at);
      const double equilibrium =
          rest ? phi - 3 * MOBILITY * mu : MOBILITY * mu / 2 + ADVECTION * phi * eu;
      *f += (equilibrium - *f) / TAU_F;
    }
    const double g = *value(memory, G + direction, at);
    const double equilibrium =
        w * (rho + (rest ? -6 : 3) * phi * mu + rho * (3 * eu + 4.5 * eu * eu - 1.5 * uu));
    const double source =
        (1 - 1 / (2 * TAU_G)) * w * (3 * (dot(e, force) - dot(u, force)) + 9 * eu * dot(e, force));
    *value(memory, G + direction, destination(at, direction)) =
        g + (equilibrium - g) / TAU_G + source;
  }
}

// ---------------------------------------------------------------------------------------------
// The comparison
// ---------------------------------------------------------------------------------------------

static void run_on_device(int version, double *memory) {
  double *device = (double *)device_array(ELEMENTS * sizeof(double));
  upload(device, memory, ELEMENTS * sizeof(double));

  int box[] = {NX, NY, NZ, ROW, SLICE, CURRENT, NEXT};
  const double source = 3 * (1 - 1 / (2 * TAU_G));
  double model[] = {KAPPA,
                    ALPHA,
                    PHI_STAR * PHI_STAR,
                    MOBILITY,
                    1 / TAU_F,        // rate_f
                    1 - 1 / TAU_F,    // keep_f
                    ADVECTION / 3,    // advection
                    1 - 1 / TAU_G,    // keep_g
                    1 / (3 * TAU_G),  // w_rest
                    1 / (18 * TAU_G), // w_axis
                    1 / (36 * TAU_G), // w_diagonal
                    source / 3,       // s_rest
                    source / 18,      // s_axis
                    source / 36};     // s_diagonal
  enum { SIZES = sizeof box / sizeof *box, CONSTANTS = sizeof model / sizeof *model };
  double *pointer[ARRAYS];
  void *arguments[ARRAYS + SIZES + CONSTANTS], **argument = arguments;
  for (int array = 0; array < ARRAYS; array++) {
    pointer[array] = value(device, array, FIRST);
    *argument++ = &pointer[array];
  }
  for (int size = 0; size < SIZES; size++)
    *argument++ = &box[size];
  for (int constant = 0; constant < CONSTANTS; constant++)
    *argument++ = &model[constant];

  const dim3 block(16, 5, 2);
  const dim3 grid((NX + block.x - 1) / block.x, (NY + block.y - 1) / block.y,
                  (NZ + block.z - 1) / block.z);
  succeed(hipLaunchKernel(KERNEL[version], grid, block, arguments, 0, 0), "The launch");
  succeed(hipDeviceSynchronize(), "The kernel");
  download(memory, device, ELEMENTS * sizeof(double));
  succeed(hipFree(device), "Freeing device memory");
}

// The largest difference of all elements. What is NaN in one must be NaN in the other.
static double largest_difference(int version, const double *found, const double *expected) {
  double largest = 0;
  for (int element = 0; element < ELEMENTS; element++) {
    if (isnan(found[element]) && isnan(expected[element]))
      continue;
    const double difference = fabs(found[element] - expected[element]);
    if (!(difference <= TOLERANCE)) {
      const int array = element / (2 * LEVEL), at = element % LEVEL;
      fail("Version %d is wrong: argument %d has %.17g where %.17g is expected, at point (%d, %d, "
           "%d) of the %s time level.",
           version, array + 1, found[element], expected[element], at % ROW - 1,
           at % SLICE / ROW - 1, at / SLICE - 1,
           element % (2 * LEVEL) < LEVEL ? "current" : "next");
    }
    largest = fmax(largest, difference);
  }
  return largest;
}

typedef struct {
  double order, mass, momentum[3];
} Totals;

static Totals totals(double *memory, bool streamed) {
  Totals sum = {0, 0, {0, 0, 0}};
  FOR_EACH_POINT(at) {
    for (int direction = 0; direction < DIRECTIONS_F; direction++)
      sum.order += *value(memory, F + direction, at);
    for (int direction = 0; direction < DIRECTIONS_G; direction++) {
      const int where = streamed ? destination(at, direction) : at;
      const double g = *value(memory, G + direction, where);
      sum.mass += g;
      for (int axis = 0; axis < 3; axis++)
        sum.momentum[axis] += DIRECTION[direction][axis] * g;
    }
  }
  return sum;
}

static void conserved(int version, const char *what, double before, double after, double scale) {
  if (!(fabs(after - before) <= TOLERANCE * scale))
    fail("Version %d does not conserve %s: %.17g became %.17g.", version, what, before, after);
}

// What leaves the grid lies in the halo and counts. The force changes the momentum by its sum.
static void check_conservation(int version, double *start, double *found) {
  Totals before = totals(start, false), after = totals(found, true);
  FOR_EACH_POINT(at) {
    double mu, force[3];
    force_at(start, at, &mu, force);
    for (int axis = 0; axis < 3; axis++)
      before.momentum[axis] += force[axis];
  }
  conserved(version, "the order parameter", before.order, after.order, before.mass);
  conserved(version, "mass", before.mass, after.mass, before.mass);
  for (int axis = 0; axis < 3; axis++)
    conserved(version, "momentum", before.momentum[axis], after.momentum[axis], before.mass);
}

int main(void) {
  const size_t bytes = ELEMENTS * sizeof(double);
  double *start = (double *)host_array(bytes), *expected = (double *)host_array(bytes),
         *found = (double *)host_array(bytes);
  fill(start);
  memcpy(expected, start, bytes);
  FOR_EACH_POINT(at) collide_and_stream_on_host(expected, at);

  for (int version = 0; version < VERSIONS; version++) {
    memcpy(found, start, bytes);
    run_on_device(version, found);
    const double difference = largest_difference(version, found, expected);
    check_conservation(version, start, found);
    printf("version %d: equals the reference within %.1e; order, mass, momentum conserved\n",
           version, difference);
  }
  free(start);
  free(expected);
  free(found);
  return 0;
}
