// Tiled matrix product in double, float and half, on sizes that no tile divides; one matrix
// instruction.
#include "check.h"

#include <hip/hip_fp16.h>

enum { TILE = 16 };

template <typename T, typename SUM>
__global__ void multiply(T *c, const T *a, const T *b, int m, int n, int depth) {
  __shared__ T ta[TILE][TILE], tb[TILE][TILE + 1];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  SUM sum = 0;
  for (int k0 = 0; k0 < depth; k0 += TILE) {
    int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
    ta[threadIdx.y][threadIdx.x] = row < m && ka < depth ? a[row * depth + ka] : (T)0.0f;
    tb[threadIdx.y][threadIdx.x] = kb < depth && column < n ? b[kb * n + column] : (T)0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; k++)
      sum += (SUM)ta[threadIdx.y][k] * (SUM)tb[k][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = (T)sum;
}

template <typename T, typename SUM> static void run(int m, int n, int depth, double tolerance) {
  T *a = (T *)host_array(sizeof(T) * m * depth), *b = (T *)host_array(sizeof(T) * depth * n),
    *c = (T *)host_array(sizeof(T) * m * n);
  for (int i = 0; i < m * depth; i++)
    a[i] = (T)(float)(random_unit() - 0.5);
  for (int i = 0; i < depth * n; i++)
    b[i] = (T)(float)(random_unit() - 0.5);
  T *da = (T *)to_device(a, sizeof(T) * m * depth), *db = (T *)to_device(b, sizeof(T) * depth * n),
    *dc = (T *)to_device(NULL, sizeof(T) * m * n);
  dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  multiply<T, SUM><<<grid, dim3(TILE, TILE)>>>(dc, da, db, m, n, depth);
  to_host(c, dc, sizeof(T) * m * n);
  HIP(hipFree(da));
  HIP(hipFree(db));
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double want = 0;
      for (int k = 0; k < depth; k++)
        want += (double)(float)a[i * depth + k] * (double)(float)b[k * n + j];
      double got = sizeof(T) == 8 ? (double)c[i * n + j] : (double)(float)c[i * n + j];
      if (!(fabs(got - want) <= tolerance))
        DIFFERS("c[%d][%d] is %.9g, not %.9g (%zu bytes)", i, j, got, want, sizeof(T));
    }
  free(a);
  free(b);
  free(c);
}

typedef float Quad __attribute__((ext_vector_type(4)));

// 4 x 4 x 1, 16 blocks: lane = 4 * block + row of A or column of B; register i is row i of D.
__global__ void by_matrix_core(float *d, const float *a, const float *b) {
  Quad sum = {1, 2, 3, 4};
  sum = __builtin_amdgcn_mfma_f32_4x4x1f32(a[threadIdx.x], b[threadIdx.x], sum, 0, 0, 0);
  for (int i = 0; i < 4; i++)
    d[4 * threadIdx.x + i] = sum[i];
}

static void check_matrix_core(void) {
  float a[64], b[64], d[256];
  for (int i = 0; i < 64; i++)
    a[i] = (float)(random_bits() % 100), b[i] = (float)(random_bits() % 100);
  float *da = (float *)to_device(a, sizeof a), *db = (float *)to_device(b, sizeof b),
        *dd = (float *)to_device(NULL, sizeof d);
  by_matrix_core<<<1, 64>>>(dd, da, db);
  to_host(d, dd, sizeof d);
  HIP(hipFree(da));
  HIP(hipFree(db));
  for (int lane = 0; lane < 64; lane++)
    for (int i = 0; i < 4; i++)
      if (d[4 * lane + i] != i + 1 + a[lane / 4 * 4 + i] * b[lane])
        DIFFERS("matrix core: lane %d, row %d is %g", lane, i, d[4 * lane + i]);
}

int main(void) {
  run<double, double>(37, 29, 45, 1e-13);
  run<float, float>(50, 33, 17, 1e-5);
  run<_Float16, float>(19, 40, 33, 2e-3);
  check_matrix_core();
  return verdict();
}
