// Programs as people bring them, in their own size: how long each takes on the emulated device.
//
// In:  which one: shallow_water, transpose_naive, transpose_tiled, matrix_vector_rows or
//      matrix_vector_columns; EMULATOR_MODEL=0 or 1.
// Out: on stdout its wall time in seconds, without the host's own work (measured). Exit status 1 if
//      the result is wrong.
#include <hip/hip_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double began; // set by each program when its input stands

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static void *device(size_t bytes) {
  void *memory;
  if (hipMalloc(&memory, bytes) != hipSuccess) {
    fprintf(stderr, "programs: the device gives no %zu MB more; the host may lack them\n",
            bytes >> 20);
    exit(1);
  }
  return memory;
}

// ---- shallow water: height and momentum on a square basin, Lax and Friedrichs' scheme ----

enum { BASIN = 512, STEPS = 100, EDGE = 16 };

typedef struct {
  float *h, *u, *v; // height, momentum
} Water;

__device__ static float flux(float a, float b, float h) { return a * b / h; }

__global__ void drop(Water w) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  float dx = (x - BASIN / 3) / 20.0f, dy = (y - BASIN / 2) / 20.0f;
  w.h[x + BASIN * y] = 1 + 0.2f * expf(-dx * dx - dy * dy);
  w.u[x + BASIN * y] = w.v[x + BASIN * y] = 0;
}

__global__ void step(Water next, Water now, float share) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  const float g = 9.81f;
  int here = x + BASIN * y;
  int west = x ? here - 1 : here, east = x < BASIN - 1 ? here + 1 : here;
  int south = y ? here - BASIN : here, north = y < BASIN - 1 ? here + BASIN : here;
  float hw = now.h[west], he = now.h[east], hs = now.h[south], hn = now.h[north];
  float uw = now.u[west], ue = now.u[east], us = now.u[south], un = now.u[north];
  float vw = now.v[west], ve = now.v[east], vs = now.v[south], vn = now.v[north];
  if (x == 0 || x == BASIN - 1) { // walls send back what comes
    uw = x ? uw : -ue;
    ue = x ? -uw : ue;
  }
  if (y == 0 || y == BASIN - 1) {
    vs = y ? vs : -vn;
    vn = y ? -vs : vn;
  }
  next.h[here] = (hw + he + hs + hn) / 4 - share * (ue - uw + vn - vs);
  next.u[here] =
      (uw + ue + us + un) / 4 - share * (flux(ue, ue, he) + g / 2 * he * he - flux(uw, uw, hw) -
                                         g / 2 * hw * hw + flux(un, vn, hn) - flux(us, vs, hs));
  next.v[here] =
      (vw + ve + vs + vn) / 4 - share * (flux(ue, ve, he) - flux(uw, vw, hw) + flux(vn, vn, hn) +
                                         g / 2 * hn * hn - flux(vs, vs, hs) - g / 2 * hs * hs);
}

static Water basin(void) {
  const size_t bytes = BASIN * BASIN * sizeof(float);
  return (Water){(float *)device(bytes), (float *)device(bytes), (float *)device(bytes)};
}

static bool shallow_water(void) {
  Water now_is = basin(), next = basin();
  dim3 grid(BASIN / EDGE, BASIN / EDGE), block(EDGE, EDGE);
  drop<<<grid, block>>>(now_is);
  hipDeviceSynchronize();
  began = now();
  for (int i = 0; i < STEPS; i++) {
    step<<<grid, block>>>(next, now_is, 0.05f);
    Water other = now_is;
    now_is = next;
    next = other;
  }
  static float height[BASIN * BASIN];
  hipMemcpy(height, now_is.h, sizeof height, hipMemcpyDeviceToHost);
  float least = INFINITY, most = -INFINITY;
  for (int i = 0; i < BASIN * BASIN; i++) {
    least = fminf(least, height[i]);
    most = fmaxf(most, height[i]);
  }
  return least > 0.8f && least < 1 && most > 1 && most < 1.2f;
}

// ---- a matrix, transposed and back ----

enum { SIDE = 8192, TILE = 32, ROWS = 8 };

__global__ void fill(double *a) {
  size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
  a[i] = (double)i;
}

__global__ void naive(double *to, const double *from) {
  size_t x = threadIdx.x + blockIdx.x * TILE, y = threadIdx.y + blockIdx.y * TILE;
  for (int i = 0; i < TILE; i += ROWS)
    to[x * SIDE + y + i] = from[(y + i) * SIDE + x];
}

__global__ void tiled(double *to, const double *from) {
  __shared__ double tile[TILE][TILE + 1];
  size_t x = threadIdx.x + blockIdx.x * TILE, y = threadIdx.y + blockIdx.y * TILE;
  for (int i = 0; i < TILE; i += ROWS)
    tile[threadIdx.y + i][threadIdx.x] = from[(y + i) * SIDE + x];
  __syncthreads();
  x = threadIdx.x + blockIdx.y * TILE;
  y = threadIdx.y + blockIdx.x * TILE;
  for (int i = 0; i < TILE; i += ROWS)
    to[(y + i) * SIDE + x] = tile[threadIdx.x][threadIdx.y + i];
}

static bool transpose(void (*kernel)(double *, const double *)) {
  const size_t bytes = sizeof(double) * SIDE * SIDE;
  double *a = (double *)device(bytes), *b = (double *)device(bytes), element;
  dim3 grid(SIDE / TILE, SIDE / TILE), block(TILE, ROWS);
  fill<<<SIDE *(SIDE / 256), 256>>>(a);
  hipMemset(b, 0, bytes);
  hipDeviceSynchronize();
  began = now();
  kernel<<<grid, block>>>(b, a);
  hipMemcpy(&element, b + 5 + 3 * (size_t)SIDE, sizeof element, hipMemcpyDeviceToHost);
  bool right = element == 3 + 5.0 * SIDE;
  kernel<<<grid, block>>>(a, b);
  hipMemcpy(&element, a + 5 + 3 * (size_t)SIDE, sizeof element, hipMemcpyDeviceToHost);
  return right && element == 5 + 3.0 * SIDE;
}

static bool transpose_naive(void) { return transpose(naive); }
static bool transpose_tiled(void) { return transpose(tiled); }

// ---- a matrix times a vector ----

enum { LENGTH = 32768, LANES = 256 };

__global__ void rows(float *y, const float *a, const float *x) { // a thread for each row
  size_t row = threadIdx.x + blockIdx.x * blockDim.x;
  float sum = 0;
  for (int i = 0; i < LENGTH; i++)
    sum += a[row * LENGTH + i] * x[i];
  y[row] = sum;
}

__global__ void columns(float *y, const float *a, const float *x) { // a block for each row
  __shared__ float part[LANES];
  float sum = 0;
  for (int i = threadIdx.x; i < LENGTH; i += LANES)
    sum += a[(size_t)blockIdx.x * LENGTH + i] * x[i];
  part[threadIdx.x] = sum;
  for (unsigned half = LANES / 2; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = part[0];
}

static bool matrix_vector(void (*kernel)(float *, const float *, const float *), int threads) {
  enum { FOUR = 0x40 }; // four of these bytes are a float of about 3
  float *a = (float *)device(sizeof(float) * LENGTH * LENGTH), *y, *x, first;
  x = (float *)device(sizeof(float) * LENGTH);
  y = (float *)device(sizeof(float) * LENGTH);
  hipMemset(a, FOUR, sizeof(float) * LENGTH * LENGTH);
  hipMemset(x, FOUR, sizeof(float) * LENGTH);
  hipDeviceSynchronize();
  began = now();
  kernel<<<threads / LANES, LANES>>>(y, a, x);
  hipMemcpy(&first, y + LENGTH - 1, sizeof first, hipMemcpyDeviceToHost);
  const float right = 3.0039215f * 3.0039215f * LENGTH;
  return fabsf(first / right - 1) < 1e-3f;
}

static bool matrix_vector_rows(void) { return matrix_vector(rows, LENGTH); }
static bool matrix_vector_columns(void) { return matrix_vector(columns, LENGTH * LANES); }

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    bool (*run)(void);
  } program[] = {{"shallow_water", shallow_water},
                 {"transpose_naive", transpose_naive},
                 {"transpose_tiled", transpose_tiled},
                 {"matrix_vector_rows", matrix_vector_rows},
                 {"matrix_vector_columns", matrix_vector_columns}};
  for (size_t i = 0; count == 2 && i < sizeof program / sizeof *program; i++)
    if (strcmp(arguments[1], program[i].name) == 0) {
      const bool right = program[i].run();
      printf("%.3f\n", now() - began);
      if (!right)
        fprintf(stderr, "programs: the result of %s is wrong\n", program[i].name);
      return !right;
    }
  fprintf(stderr, "programs: name one of");
  for (size_t i = 0; i < sizeof program / sizeof *program; i++)
    fprintf(stderr, " %s", program[i].name);
  fprintf(stderr, "\n");
  return 1;
}
