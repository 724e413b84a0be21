// The sum y^T A x of AMD's HPC training examples (rocprof-compute exercises), written anew: what
// the order of a matrix in memory does to the caches. A is 32768 x 32768 doubles, a workgroup 64
// threads.
//
// In:  yax CASE COUNT. CASE strided: a thread a row, 2048 workgroups; few: the same with 4;
//      unit_stride: the same on the transpose; rows: a workgroup a row. COUNT is how much of the
//      matrix is used, in multiples of 64: of each row the first COUNT columns (strided, few), the
//      first COUNT rows of the transpose (unit_stride), the first COUNT rows (rows).
// Out: "time_ms X" of one launch; the sum is checked. Inputs are small whole numbers, so it is
// exact.
#include "measure.h"

#include <string.h>

enum { SIZE = 32768, BLOCK = 64 };

// Rows lie `leading` elements apart, as those of the whole matrix do, however much of it is used.
#define ARGUMENTS                                                                                  \
  const double *__restrict__ y, const double *__restrict__ a, const double *__restrict__ x,        \
      double *result, int rows, int columns, int leading

__global__ __launch_bounds__(256) void thread_a_row(ARGUMENTS) {
  double sum = 0;
  for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
    double row = 0;
    for (int j = 0; j < columns; j++)
      row += a[(size_t)i * leading + j] * x[j];
    sum += y[i] * row;
  }
  unsafeAtomicAdd(result, sum);
}

__global__ __launch_bounds__(256) void thread_a_column(ARGUMENTS) {
  double sum = 0;
  for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < columns; i += gridDim.x * blockDim.x) {
    double column = 0;
    for (int j = 0; j < rows; j++)
      column += a[(size_t)j * leading + i] * x[j];
    sum += y[i] * column;
  }
  unsafeAtomicAdd(result, sum);
}

// The lanes' shares of a row meet in LDS. A workgroup is one wavefront, whose LDS accesses are in
// order; the barriers cost nothing.
__global__ __launch_bounds__(256) void workgroup_a_row(ARGUMENTS) {
  __shared__ double shared;
  double sum = 0;
  if (threadIdx.x == 0)
    shared = 0;
  for (int i = blockIdx.x; i < rows; i += gridDim.x) {
    double share = 0;
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
      share += a[(size_t)i * leading + j] * x[j];
    __syncthreads();
    unsafeAtomicAdd(&shared, share);
    __syncthreads();
    if (threadIdx.x == 0) {
      sum += y[i] * shared;
      shared = 0;
    }
  }
  if (threadIdx.x == 0)
    unsafeAtomicAdd(result, sum);
}

typedef struct {
  const char *name;
  void (*kernel)(ARGUMENTS);
  int groups;
  bool count_columns;       // COUNT limits the columns, else the rows
  bool y_goes_with_columns; // y belongs to the columns of a and x to its rows
} Case;

static const Case CASES[] = {{"strided", thread_a_row, 2048, true, false},
                             {"few", thread_a_row, 4, true, false},
                             {"unit_stride", thread_a_column, 2048, false, true},
                             {"rows", workgroup_a_row, 2048, false, false}};

static const Case *find_case(const char *name) {
  for (size_t n = 0; n < sizeof CASES / sizeof *CASES; n++)
    if (strcmp(CASES[n].name, name) == 0)
      return &CASES[n];
  fail("CASE is strided, few, unit_stride or rows, not '%s'.", name);
}

// Element of a at (row, column); and of x and y.
static double entry(int row, int column) { return (row * 5 + column * 3) % 7; }
static double factor(int n) { return n % 5; }

// Writes the used part of the matrix, row by row, and returns the sum that the kernel must find.
static double fill(double *a, int rows, int columns, bool y_goes_with_columns) {
  double *row = (double *)host_array(columns * sizeof *row), sum = 0;
  for (int i = 0; i < rows; i++) {
    double of_row = 0;
    for (int j = 0; j < columns; j++) {
      row[j] = entry(i, j);
      of_row += row[j] * factor(j + y_goes_with_columns);
    }
    upload(a + (size_t)i * SIZE, row, columns * sizeof *row);
    sum += of_row * factor(i + !y_goes_with_columns);
  }
  free(row);
  return sum;
}

static double *vector(int offset) {
  double *host = (double *)host_array(SIZE * sizeof *host);
  double *device = (double *)device_array(SIZE * sizeof *device);
  for (int n = 0; n < SIZE; n++)
    host[n] = factor(n + offset);
  upload(device, host, SIZE * sizeof *host);
  free(host);
  return device;
}

int main(int argc, char **argv) {
  if (argc != 3)
    fail("Usage: yax CASE COUNT");
  const Case *chosen = find_case(argv[1]);
  const int count = argument(argv[2], "COUNT", 1);
  if (count > SIZE || count % BLOCK != 0)
    fail("COUNT must be a multiple of %d up to %d, not %d.", BLOCK, SIZE, count);
  const int rows = chosen->count_columns ? SIZE : count;
  const int columns = chosen->count_columns ? count : SIZE;

  double *a = (double *)device_array((size_t)rows * SIZE * sizeof *a);
  double *result = (double *)device_array(sizeof *result), found;
  const double expected = fill(a, rows, columns, chosen->y_goes_with_columns);
  const double *x = vector(0), *y = vector(1);
  succeed(hipMemset(result, 0, sizeof *result), "Clearing the result");

  MEASURE((chosen->kernel<<<chosen->groups, BLOCK>>>(y, a, x, result, rows, columns, SIZE)));

  download(&found, result, sizeof found);
  if (found != expected)
    fail("The sum is %.17g instead of %.17g.", found, expected);
  return 0;
}
