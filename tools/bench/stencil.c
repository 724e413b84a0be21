// The baseline stencil as plain C with OpenMP: what the emulated device's speed is compared with.
//
// In:  nothing. Out: on stdout the best of ten wall times of one 512^3 sweep in seconds.
#include "laplacian.h"
#include "random.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char error[256];
  Grid grid;
  if (!grid_make(&grid, 512, 512, 512, 1, sizeof(double), error, sizeof error)) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  double *u = malloc(grid.elements * sizeof *u), *f = malloc(grid.elements * sizeof *f);
  if (!u || !f) {
    fprintf(stderr, "the benchmark needs 2.2 GB of memory\n");
    return 1;
  }
  for (int k = 0; k < grid.nz; k++) {
    random_slice(&grid, 1, k, u + (size_t)k * grid.slice);
    random_slice(&grid, 2, k,
                 f + (size_t)k * grid.slice); // touches the pages before the clock runs
  }
  double best = 1e30;
  for (int run = 0; run < 10; run++) {
    const double start = omp_get_wtime();
    for (int k = 1; k < grid.nz - 1; k++) {
      const double *middle = u + (size_t)k * grid.slice;
      laplacian_slice(&grid, 0,
                      (const double *[]){middle - grid.slice, middle, middle + grid.slice},
                      f + (size_t)k * grid.slice);
    }
    const double seconds = omp_get_wtime() - start;
    best = seconds < best ? seconds : best;
  }
  printf("%.6f\n", best);
  free(u);
  free(f);
  return 0;
}
