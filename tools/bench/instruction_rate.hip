// How fast the emulated device executes: wave instructions per second on one host thread, by class.
//
// Each kernel repeats one class of instruction so often that the rest does not count; counters say
// how many were executed, the host's clock how long it took. The last row is the baseline stencil's
// own mix.
//
// In:  EMULATOR_THREADS=1 and EMULATOR_MODEL=0, as `make bench` sets them, so that it is execution
//      alone that is timed; EMULATOR_TRANSLATE=0 times the interpreter.
// Out: a table of rates per second of the processor's time (measured), and what they should be.
#include "emulator.h"

#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REPEAT_8(X) X X X X X X X X
#define REPEAT_64(X) REPEAT_8(REPEAT_8(X))
enum { LOOPS = 64, GROUPS = 1024, BLOCK = 256, LAUNCHES = 4, TILE = 16 };

#define LOOP(BODY)                                                                                 \
  for (int i = 0; i < LOOPS; i++) {                                                                \
    REPEAT_64(BODY)                                                                                \
  }

__global__ void vector_f64(double *out) {
  double x = threadIdx.x, y = 1.0000001;
  LOOP(asm volatile("v_fma_f64 %0, %0, %1, %1" : "+v"(x) : "v"(y));)
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void vector_f32(double *out) {
  float x = threadIdx.x, y = 1.0001f;
  LOOP(asm volatile("v_fma_f32 %0, %0, %1, %1" : "+v"(x) : "v"(y));)
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void vector_integer(double *out) {
  int x = threadIdx.x, y = 3;
  LOOP(asm volatile("v_add_u32 %0, %0, %1" : "+v"(x) : "v"(y));)
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void vector_carry(double *out) {
  int x = threadIdx.x, y = 3;
  LOOP(asm volatile("v_addc_co_u32 %0, vcc, %0, %1, vcc" : "+v"(x) : "v"(y) : "vcc");)
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void vector_compare(double *out) {
  double x = threadIdx.x, y = 3;
  LOOP(asm volatile("v_cmp_lt_f64 vcc, %0, %1" : : "v"(x), "v"(y) : "vcc");)
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void scalar(double *out) {
  LOOP(asm volatile("s_add_i32 s20, s20, 3" : : : "s20", "scc");)
  out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

__global__ void lds_read(double *out) {
  __shared__ double tile[BLOCK];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  double x;
  unsigned address = threadIdx.x * sizeof(double);
  LOOP(asm volatile("ds_read_b64 %0, %1\n s_waitcnt lgkmcnt(0)" : "=v"(x) : "v"(address));)
  out[blockIdx.x * blockDim.x + threadIdx.x] = x + tile[threadIdx.x];
}

__global__ void global_coalesced(double *out) {
  const double *p = out + blockIdx.x * blockDim.x + threadIdx.x;
  double x;
  LOOP(asm volatile("global_load_dwordx2 %0, %1, off\n s_waitcnt vmcnt(0)" : "=v"(x) : "v"(p));)
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void global_scattered(double *out) {
  const double *p = out + (threadIdx.x * 37 + blockIdx.x * 64) % (GROUPS * BLOCK);
  double x;
  LOOP(asm volatile("global_load_dwordx2 %0, %1, off\n s_waitcnt vmcnt(0)" : "=v"(x) : "v"(p));)
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// One wave's work is that of the baseline: seven neighbours in, one point out; as many waves as
// make the measurement long.
__global__ void stencil_mix(double *f, const double *u, int nx, int ny, int nz, double cx,
                            double cy, double cz, double c0) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int j = threadIdx.y + blockIdx.y * blockDim.y;
  int k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i == 0 || i >= nx - 1 || j == 0 || j >= ny - 1 || k == 0 || k >= nz - 1)
    return;
  size_t slice = (size_t)nx * ny, p = i + (size_t)nx * j + slice * k;
  f[p] = u[p] * c0 + (u[p - 1] + u[p + 1]) * cx + (u[p - nx] + u[p + nx]) * cy +
         (u[p - slice] + u[p + slice]) * cz;
}

__global__ void multiply(float *c, const float *a, const float *b, int n) {
  __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int column = x + TILE * blockIdx.x, row = y + TILE * blockIdx.y;
  float sum = 0;
  for (int tile = 0; tile < n; tile += TILE) {
    of_a[y][x] = a[row * n + tile + x];
    of_b[y][x] = b[(tile + y) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; k++)
      sum += of_a[y][k] * of_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

// Waits for the kernel, so that an elapsed time is all of it.
static void finish(void) {
  if (hipDeviceSynchronize() != hipSuccess) {
    fprintf(stderr, "instruction_rate: a kernel did not run, see above; there are no more rates\n");
    exit(1);
  }
}

static double instructions(void) {
  size_t (*counters)(const EmulatorCounter **) =
      (size_t(*)(const EmulatorCounter **))dlsym(RTLD_DEFAULT, "emulator_counters");
  const EmulatorCounter *counter;
  size_t count = counters ? counters(&counter) : 0;
  for (size_t i = 0; i < count; i++)
    if (strcmp(counter[i].name, "SQ_INSTS") == 0)
      return counter[i].value;
  return NAN;
}

static void print_rate(const char *name, int launches, double began, int goal) { // 0: none
  double elapsed = seconds() - began, issued = launches * instructions();
  printf("  %-34s %8.1f million wave instructions/s", name, issued / elapsed * 1e-6);
  printf(goal ? "   goal %3d\n" : "\n", goal);
}

static void use_model(bool use) {
  void (*set)(bool) = (void (*)(bool))dlsym(RTLD_DEFAULT, "emulator_use_model");
  if (set)
    set(use);
}

static void time_multiplication(float *c, const float *a, const float *b, bool model) {
  enum { SIZE = 512, FIRST = 256 };
  use_model(model);
  multiply<<<dim3(FIRST / TILE, FIRST / TILE), dim3(TILE, TILE)>>>(c, a, b, SIZE); // translates
  finish();
  double began = seconds();
  multiply<<<dim3(SIZE / TILE, SIZE / TILE), dim3(TILE, TILE)>>>(c, a, b, SIZE);
  finish();
  print_rate(model ? "the same, with the model" : "LDS-tiled matrix multiplication", 1, began,
             model ? 15 : 60);
}

int main(void) {
  static const struct {
    const char *name;
    void (*kernel)(double *);
    int goal;
  } row[] = {{"scalar", scalar, 0},
             {"integer", vector_integer, 400},
             {"integer with carry", vector_carry, 0},
             {"f32 fma", vector_f32, 400},
             {"f64 fma", vector_f64, 250},
             {"f64 compare", vector_compare, 0},
             {"LDS read and wait", lds_read, 80},
             {"global load coalesced, and wait", global_coalesced, 100},
             {"global load scattered, and wait", global_scattered, 8}};
  enum { NX = 512, NY = 512, NZ = 16 };
  if (!dlsym(RTLD_DEFAULT, "emulator_counters")) {
    fprintf(stderr, "instruction_rate: measures the emulated device; run it through make bench\n");
    return 1;
  }
  double *u, *f;
  if (hipMalloc((void **)&u, NX * NY * NZ * sizeof *u) != hipSuccess ||
      hipMalloc((void **)&f, NX * NY * NZ * sizeof *f) != hipSuccess) {
    fprintf(stderr, "instruction_rate: no device memory\n");
    return 1;
  }
  hipMemset(u, 0, NX * NY * NZ * sizeof *u);
  use_model(false);
  printf("the emulated device, one host thread, by class of instruction:\n");
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    row[i].kernel<<<GROUPS / 16, BLOCK>>>(u); // decodes and translates
    double began = seconds();
    row[i].kernel<<<GROUPS, BLOCK>>>(u);
    finish();
    print_rate(row[i].name, 1, began, row[i].goal);
  }
  dim3 grid(NX / BLOCK, NY, NZ);
  double began = 0;
  for (int i = -2 * LAUNCHES; i < LAUNCHES; i++) { // the first ones translate
    began = i ? began : seconds();
    stencil_mix<<<grid, BLOCK>>>(f, u, NX, NY, NZ, 1, 1, 1, -6);
    finish();
  }
  print_rate("baseline mix", LAUNCHES, began, 250);
  for (int model = 0; model <= 1; model++)
    time_multiplication((float *)f, (float *)u, (float *)u, model);
  return 0;
}
