// A small local array whose index the compiler does not know, in registers all the same: it moves
// register numbers by M0 (s_set_gpr_idx_on). As in a tiled stencil whose loop is not unrolled, each
// turn touches sum[n - 1], sum[n] and sum[n + 1]. The compiler computes the outer two in the first
// and the last turn as well, outside the array, into a copy that it throws away.
#include "check.h"

enum { TILE = 8 };

// f = second difference of u along y in tiles of TILE rows, as if u were 0 around each tile.
__global__ void second_difference(double *f, const double *u, int nx, int rows) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = TILE * blockIdx.y;
  if (i >= nx)
    return;
  double sum[TILE];
  for (int n = 0; n < TILE; n++)
    sum[n] = 0;
  for (int n = 0; n < rows; n++) {
    const double here = u[i + (j + n) * nx];
    sum[n] -= 2 * here;
    if (n > 0)
      sum[n - 1] += here;
    if (n < rows - 1)
      sum[n + 1] += here;
  }
  for (int n = 0; n < rows; n++)
    f[i + (j + n) * nx] = sum[n];
}

int main(void) {
  enum { NX = 150, NY = 3 * TILE };
  static double u[NY][NX], got[NY][NX];
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++)
      u[j][i] = (double)(random_bits() % 1000); // sums are exact
  for (int rows = 1; rows <= TILE; rows++) {
    double *device_u = (double *)to_device(u, sizeof u);
    double *device_f = (double *)to_device(NULL, sizeof got);
    second_difference<<<dim3((NX + 63) / 64, NY / TILE), 64>>>(device_f, device_u, NX, rows);
    to_host(got, device_f, sizeof got);
    HIP(hipFree(device_u));
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++) {
        const int n = j % TILE;
        const double below = n > 0 ? u[j - 1][i] : 0, above = n < rows - 1 ? u[j + 1][i] : 0;
        const double expected = n < rows ? below - 2 * u[j][i] + above : 0;
        if (got[j][i] != expected)
          DIFFERS("tiles of %d rows: f[%d][%d] is %g, not %g", rows, j, i, got[j][i], expected);
      }
  }
  return verdict();
}
