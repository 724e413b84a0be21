// The two-phase lattice-Boltzmann model of lab 08 on the host: where its arrays lie, an input, the
// reference.
//
// The model is that of H. W. Zheng, C. Shu, Y. T. Chew, "A lattice Boltzmann model for multiphase
// flows with large density ratio", J. Comput. Phys. 218 (2006) 353-371, in lattice units: f on a
// D3Q7 lattice carries the order parameter phi, g on a D3Q19 lattice carries the flow. The force
// enters as in Z. Guo, C. Zheng, B. Shi, Phys. Rev. E 65 (2002) 046308. labs/08-register-pressure
// has the formulas.
#ifndef LBM_H
#define LBM_H

#include "bandwidth.h"
#include "grid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Arrays in the order of the kernel's arguments. Populations of g and f come first, each in the
// order of LBM_DIRECTION: f has the first seven directions of g.
enum {
  LBM_G = 0,
  LBM_G_COUNT = 19,
  LBM_F = LBM_G + LBM_G_COUNT,
  LBM_F_COUNT = 7,
  LBM_PHI = LBM_F + LBM_F_COUNT,
  LBM_LAPLACIAN,
  LBM_GRADIENT, // x, y, z
  LBM_ARRAYS = LBM_GRADIENT + 3
};

extern const int LBM_DIRECTION[LBM_G_COUNT][3];
extern const char *const LBM_NAME[LBM_ARRAYS]; // "g_rest", "g_e", ...

#define LBM_ALPHA 0.06    // of the chemical potential
#define LBM_KAPPA 0.03    // of its surface term
#define LBM_PHI_STAR 0.9  // order parameter of the two phases: plus and minus this
#define LBM_MOBILITY 0.4  // Gamma
#define LBM_ADVECTION 0.7 // C
#define LBM_TAU_F 0.7     // relaxation times
#define LBM_TAU_G 0.8

// All arrays lie in one block of memory, one after another, each with two time levels. Point
// (i, j, k) is element first + i + j * row + k * slice of a level; a halo one point thick lies
// around the nx * ny * nz points that are computed, and takes the populations that leave them.
typedef struct {
  int nx, ny, nz;
  int row, slice; // elements to the neighbour in y and z
  int first;      // element of point (0, 0, 0)
  int level;      // elements of one time level of one array
} LbmLayout;

// False, with a sentence in error, when an index would outgrow the kernel's int.
bool lbm_layout_make(LbmLayout *layout, int nx, int ny, int nz, char *error, size_t error_size);

// The same question for the points of a grid.
bool lbm_fits(const Grid *grid, char *error, size_t error_size);

// Elements of the whole block, and where in it element `at` of a level of an array is.
size_t lbm_elements(const LbmLayout *layout);
size_t lbm_element(const LbmLayout *layout, int array, int level, int at);

// g but for g_rest, and f: where they are in the current level they are not in the other. The other
// arrays are in level 0, whichever is current.
bool lbm_has_two_levels(int array);

bool lbm_is_point(const LbmLayout *layout, int at);

// The first point of row 0 ... ny * nz - 1.
int lbm_row(const LbmLayout *layout, int row);

// An input, as a pure function of the seed. Populations and derivatives have random values in the
// current time level, in the halo too: a thread that computes there leaves numbers where none may
// be. All else is poison (verify.h). The other time level is the next one.
typedef struct {
  const LbmLayout *layout;
  uint64_t seed;
  int current; // 0 or 1
  bool force;  // false: the gradient of phi is 0, so no force acts
} LbmInput;

// Inputs are best made for so many elements at once that all arrays of them fit the first cache: the next of `left`.
enum { LBM_CHUNK = 64 };
static inline int lbm_chunk(int left) { return left < LBM_CHUNK ? left : LBM_CHUNK; }

// `count` elements of a level of an array, from element `at` on.
void lbm_input_run(const LbmInput *input, int array, int level, int at, int count, double *values);

// The whole block, with OpenMP.
void lbm_input_fill(const LbmInput *input, double *memory);

// What one point's collision needs, and what comes out of it, from the formulas direction by
// direction.
typedef struct {
  double g[LBM_G_COUNT], f[LBM_F_COUNT];
} LbmPopulations;

typedef struct {
  LbmPopulations populations;
  double laplacian, gradient[3]; // of phi, which is the sum of f
} LbmPoint;

// Of `count` points of a row, at most LBM_CHUNK, from element `at` on.
void lbm_input_points(const LbmInput *input, int at, int count, LbmPoint *points);
LbmPopulations lbm_collide(const LbmPoint *point);

// The element of its level in which population n of g of point `at` lies after streaming, and that
// level: g_rest and f stay where they are.
int lbm_target(const LbmLayout *layout, int direction, int at);
int lbm_level_after(const LbmInput *input, int array);

// Sums over all points. The force adds to the momentum, everything else is conserved.
typedef struct {
  long double order, mass, momentum[3]; // long, for millions of terms are added up
} LbmTotals;

// What the totals must be after the step: those of the input, and the force.
LbmTotals lbm_totals_expected(const LbmInput *input);

// What they are: the points' own f and g_rest, and of the other g all that the next time level
// holds, the halo included, wherever it was put.
LbmTotals lbm_totals_found(const LbmInput *input, const double *memory);

// A point's populations, phi and its derivatives are read once, its populations written once.
Traffic lbm_traffic(const Grid *grid, char axis);

#ifdef __cplusplus
}
#endif

#endif
