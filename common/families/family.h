// What the kernels of a family of labs compute, and what their results are held against.
//
// In:  a grid and, for derivatives, the axis. Out: input fields, expected results, tolerances and
// the traffic that no kernel can avoid; the life of a lab program (lab.c) is the same for all.
#ifndef FAMILY_H
#define FAMILY_H

#include "bandwidth.h"
#include "grid.h"
#include "sliding.h"
#include "verify.h"

#define CHECKS 2 // an input with a known answer, and random input

typedef struct {
  const char *name;          // as expected.json's "family" has it
  const char *element;       // type of an array's elements
  size_t element_bytes;      // their size
  bool options_count_border; // whether --nx counts the boundary; if not, it comes on top
  double target_gbs;         // effective bandwidth to aim for on gfx90a, 0 if none was published

  SliceMaker *known, *random; // the two inputs; the known one ignores its seed
  // Slice k of what the known input must give.
  void (*answer)(const Grid *grid, char axis, int k, double *expected);
  // What the middle one of 2 * radius + 1 slices must give.
  void (*reference)(const Grid *grid, char axis, const double *const *u, double *expected);
  // Names, scales and tolerances of the two checks.
  void (*tolerances)(const Grid *grid, char axis, Verification checks[CHECKS]);
  Traffic (*traffic)(const Grid *grid, char axis);
} Family;

extern const Family LAPLACIAN, DERIVATIVE;

#endif
