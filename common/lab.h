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

typedef struct {
  const char *name;     // of the __global__ function, to find it in the compiler's report
  const void *function; // the same, to ask HIP for the largest block it was compiled for
  int rows; // of points that a thread computes along y, the tiling factor m: a grid whose ny is no
            // multiple of block.y * rows is refused. ANY_NY: one, and the kernel guards the rest
  LaplacianLauncher *launch;
} Kernel;

#define ANY_NY 0
#define KERNEL(name, rows, launch)                                                                 \
  { #name, (const void *)name, rows, launch }

// --kernel NAME chooses one of the kernels, the first is the default; the list ends with name NULL.
#define MAX_KERNELS 8
typedef struct {
  const char *file; // __FILE__
  Kernel kernels[MAX_KERNELS + 1];
} Lab;

// Reads the options, runs, verifies and times the kernel, reports. Returns the exit status: 0
// right, 1 not right yet, 2 malformed options, 3 the device failed (device.h). Environment:
// LAB_RESULT_FILE, where the result is written as JSON besides --json FILE.
int lab_main(int argc, char **argv, const Lab *lab);

#ifdef __cplusplus
}
#endif

#endif
