// What a lab's .hip file says of each of its kernels: its family, its name and block, how it is
// launched.
#ifndef KERNEL_H
#define KERNEL_H

#include "grid.h"

#include <hip/hip_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a lab's kernels compute. common/families/ has the inputs, the expected results and the rules
// of each family.
typedef enum {
  LAPLACIAN,         // f = Laplacian of u, double precision
  DERIVATIVE,        // f = second derivative of u along one axis, single precision
  LATTICE_BOLTZMANN, // one step of a two-phase flow, double precision
} FamilyName;

// A launcher launches its kernel once, asynchronously. f and u are device pointers to point
// (0, 0, 0); nothing but interior points of f may be written.
typedef void LaplacianLauncher(const Grid *grid, dim3 block, double *f, const double *u);

// window: how many points along z a thread computes, 0 for a kernel without a window.
typedef void DerivativeLauncher(const Grid *grid, dim3 block, int window, float *f, const float *u);

// lbm_fields.h has both structs.
struct LbmFields;
struct LbmConstants;
typedef void LbmLauncher(const struct LbmFields *fields, const struct LbmConstants *constants,
                         dim3 block);

// Where the rows of an array lie: the leading dimension and the elements before point (0, 0, 0).
// nx counts the halo of width radius.
typedef void LayoutFunction(int nx, int radius, size_t *ld, size_t *offset);

// What is not named is 0. The order is that in which an initializer must name the members.
typedef struct {
  const char *name;       // of the __global__ function, to find it in the compiler's report
  const void *function;   // the same, to ask HIP for the largest block it was compiled for
  unsigned block[3];      // unless --block says otherwise; 0: 256 x 1 x 1
  int rows;               // of points that a thread computes along y, the tiling factor m: a grid
                          // whose ny is no multiple of block.y * rows is refused; or ANY_NY
  char axis;              // 'x', 'y' or 'z', of a derivative
  int radius;             // of the stencil, where the family has not one for all
  LayoutFunction *layout; // of both arrays; 0: packed rows, and --layout is refused
  int window;             // unless --window says otherwise; 0: no window, and --window is refused
  union {                 // as the lab's family has it
    LaplacianLauncher *laplacian;
    DerivativeLauncher *derivative;
    LbmLauncher *lbm;
    void (*experiment)(double *out, const double *in); // experiment.h
  } launch;
} Kernel;

#define ANY_NY 0 // rows of a kernel that computes one and guards the rest

#ifdef __cplusplus
}
#endif

#endif
