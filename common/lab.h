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
  const char *kernel; // name of the __global__ function, to find it in the compiler's report
  const char *file;   // __FILE__
  LaplacianLauncher *launch;
} Lab;

// Reads the options, runs, verifies and times the kernel, reports. Returns the exit status: 0
// right, 1 not right yet, 2 malformed options, 3 the device failed (device.h). Environment:
// LAB_RESULT_FILE, where the result is written as JSON besides --json FILE.
int lab_main(int argc, char **argv, const Lab *lab);

#ifdef __cplusplus
}
#endif

#endif
