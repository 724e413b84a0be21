// What a lab's .hip file needs: the grid, the type of its launcher, and lab_main, to which main
// hands over.
#ifndef LAB_H
#define LAB_H

#include "grid.h"

#include <hip/hip_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

// Launches the kernel once, asynchronously: f = Laplacian of u at every interior point, double
// precision. f and u are device pointers to point (0, 0, 0); nothing but interior points of f may
// be written.
typedef void LaplacianLauncher(const Grid *grid, dim3 block, double *f, const double *u);

// The same for f = second derivative of u along one axis, single precision. window: how many
// points along z a thread computes, 0 for a kernel without a window.
typedef void DerivativeLauncher(const Grid *grid, dim3 block, int window, float *f, const float *u);

// Where the rows of an array lie: the leading dimension and the elements before point (0, 0, 0).
// nx counts the halo of width radius.
typedef void LayoutFunction(int nx, int radius, size_t *ld, size_t *offset);

// A kernel of the family of Laplacians has laplacian, one of the derivatives has derivative.
typedef struct {
  const char *name;     // of the __global__ function, to find it in the compiler's report
  const void *function; // the same, to ask HIP for the largest block it was compiled for
  dim3 block;           // unless --block says otherwise
  int rows; // of points that a thread computes along y, the tiling factor m: a grid whose ny is no
            // multiple of block.y * rows is refused. ANY_NY: one, and the kernel guards the rest
  LaplacianLauncher *laplacian;

  char axis;              // 'x', 'y' or 'z'
  int radius;             // of the stencil, the width of the halo
  LayoutFunction *layout; // of both arrays
  int window;             // unless --window says otherwise; NO_WINDOW: that is refused
  DerivativeLauncher *derivative;
} Kernel;

#define ANY_NY 0
#define NO_WINDOW 0
#define KERNEL(name, rows, launch)                                                                 \
  { #name, (const void *)name, dim3(256, 1, 1), rows, launch, 0, 1, NULL, NO_WINDOW, NULL }
#define DERIVATIVE_KERNEL(name, axis, radius, layout, block, window, launch)                       \
  { #name, (const void *)name, block, ANY_NY, NULL, axis, radius, layout, window, launch }

// --kernel NAME chooses one of the kernels, the first is the default; the list ends with name NULL.
#define MAX_KERNELS 8
typedef struct {
  const char *file; // __FILE__
  Kernel kernels[MAX_KERNELS + 1];
} Lab;

// Reads the options, runs, verifies and times the kernel, reports. Returns the exit status
// (status.h). Environment: LAB_RESULT_FILE, where the result is written as JSON besides --json FILE.
int lab_main(int argc, char **argv, const Lab *lab);

#ifdef __cplusplus
}
#endif

#endif
