// A family of labs: everything that its kernels have in common and those of other families do not.
// The life of a lab program (lab.c), its report and its tables are the same for all.
//
// In:  a grid and, for derivatives, the axis. Out: inputs, expected results, tolerances, the traffic
// that no kernel can avoid, and how a kernel is launched.
#ifndef FAMILY_H
#define FAMILY_H

#include "bandwidth.h"
#include "kernel_launch.h"
#include "sliding.h"
#include "verify.h"

#define CHECKS 2 // two inputs: a launch for each, and what it left is verified

// For slices.h, which serves families whose kernels read u and write f. Check 0 is of the known
// input, which has an answer; check 1 of the random input, which has a reference.
typedef struct {
  SliceMaker *known, *random; // the known one ignores its seed
  // Slice k of what the known input must give.
  void (*answer)(const Grid *grid, char axis, int k, double *expected);
  // What the middle one of 2 * radius + 1 slices must give.
  void (*reference)(const Grid *grid, char axis, const double *const *u, double *expected);
  // Name, scale and tolerance of a check.
  Verification (*tolerance)(const Grid *grid, char axis, int check);
} SliceFunctions;

typedef struct Family {
  const char *name;     // in expected.json
  const char *element;  // type of an array's elements
  size_t element_bytes; // their size
  int nx, ny, nz;       // of a grid, unless the options say otherwise, on the emulated device
  int on_gpu[3];        // the same on a real one, where setup.c fits it to the device's L2
  double bytes_a_point; // that a launch moves, halos aside
  int radius;           // of its stencil; 0: each kernel names its own
  bool counts_border;   // whether --nx counts the boundary; if not, it comes on top
  bool counts_cubes;    // whether the report says where rows lie and what moved in cubes
  double target_gbs;    // effective bandwidth to aim for on gfx90a, 0 if none was published

  // Names of figures (grading/tables/columns.py), ended by NULL: in the columns of a table of
  // stages, in the rows of one run, and those that expected.json records of the solution.
  const char *const *columns, *const *rows, *const *recorded;

  Traffic (*traffic)(const Grid *grid, char axis);
  SliceFunctions slices; // of a family whose functions below are those of slices.h

  // False, with a sentence, for a grid that the kernels cannot count in. NULL: they count in any.
  bool (*fits)(const Grid *grid, char *error, size_t error_size);
  // Device memory for u, and for f if there is one.
  void (*allocate)(Launch *launch);
  // Puts the input of launch->check into it. Called before each launch that is verified.
  void (*put_input)(const Launch *launch);
  // Makes what a launch writes what it was before, for another launch on the same input.
  void (*renew)(const Launch *launch);
  void (*enqueue)(const Launch *launch);
  // Fills v from what the launch left.
  void (*verify)(const Launch *launch, Verification *v);
} Family;

#endif
