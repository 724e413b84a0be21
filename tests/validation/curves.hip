// The micro-benchmarks of RRZE's gpu-benches whose MI210 curves are published, written anew.
//
// In:  curves latency KIB       a chain of dependent loads through KIB KiB, one wavefront
//      curves l2 KIB            workgroups of 1024 threads that read slices of KIB KiB in turn
//      curves stream NAME       init, read, scale, triad, 3pt or 5pt over large arrays of doubles
//      curves stride TYPE S     float or double loads, S elements from lane to lane, all from L1
// Out: two lines "time_ms X", then "work W": what the second launch did more than the first, in
// loads
//      (latency: in a row; stride: of a wavefront, on one compute unit) or bytes. What start and
//      end of a launch cost thus drops out. Results that the host can know are checked.
#include "measure.h"

#include <stdint.h>
#include <string.h>

enum { KIB = 1024 };

// --- latency ---

enum { LINE = 64, UNROLL = 32 };

__global__ void chase(const int64_t *start, int64_t *end, int steps) {
  const int64_t *at = start;
#pragma unroll 1
  for (int n = 0; n < steps; n += UNROLL) {
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
      at = (const int64_t *)*at;
  }
  *end = (int64_t)at;
}

// A random cycle through all lines (Sattolo's shuffle): each line holds the address of the next.
static void link_lines(int64_t *lines, const int64_t *device, int count) {
  const int words = LINE / sizeof *lines;
  int *order = (int *)host_array(count * sizeof *order);
  uint64_t state = 1;
  for (int n = 0; n < count; n++)
    order[n] = n;
  for (int n = count - 1; n > 0; n--) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const int other = (state >> 33) % n, kept = order[n];
    order[n] = order[other];
    order[other] = kept;
  }
  for (int n = 0; n < count; n++)
    lines[(size_t)order[n] * words] = (int64_t)(device + (size_t)order[(n + 1) % count] * words);
  free(order);
}

static double latency(int kib) {
  const int count = kib * (KIB / LINE);
  const size_t bytes = (size_t)count * LINE;
  int64_t *lines = (int64_t *)host_array(bytes), ended;
  int64_t *device = (int64_t *)device_array(bytes), *end = (int64_t *)device_array(sizeof *end);
  memset(lines, 0, bytes);
  link_lines(lines, device, count);
  upload(device, lines, bytes);
  const int once = (count + UNROLL - 1) / UNROLL * UNROLL; // the first round finds caches cold
  MEASURE((chase<<<1, 64>>>(device, end, once)));
  MEASURE((chase<<<1, 64>>>(device, end, 2 * once)));
  download(&ended, end, sizeof ended);
  const int64_t *at = device;
  for (int n = 0; n < 2 * once; n++)
    at = (const int64_t *)lines[at - device];
  if (ended != (int64_t)at)
    fail("The chain ended at %#llx instead of %p.", (long long)ended, (const void *)at);
  return once;
}

// --- bandwidth of L2 ---

enum { GROUP = 1024, LOADS = 32, SLICE = GROUP * LOADS * sizeof(float4) };

// The bound of 8 waves a SIMD lets two workgroups onto a compute unit.
__global__ __launch_bounds__(GROUP, 8) void sum_slices(float4 *__restrict__ result,
                                                       const float4 *__restrict__ from,
                                                       int slices) {
  float4 sum = {0, 0, 0, 0};
#pragma unroll
  for (int n = 0; n < LOADS; n++)
    sum += from[GROUP * slices * n + blockIdx.x % slices * GROUP + threadIdx.x];
  if (sum.x == -1 && sum.y == -1 && sum.z == -1 && sum.w == -1)
    *result = sum;
}

static double l2_bandwidth(int kib) {
  enum { FEW = 416, MANY = 1040 }; // workgroups; 208 run at once on 104 compute units
  const int slices = kib / (SLICE / KIB);
  if (slices < 1 || kib % (SLICE / KIB) != 0)
    fail("KIB must be a multiple of %d, not %d.", (int)(SLICE / KIB), kib);
  float4 *from = (float4 *)device_array((size_t)slices * SLICE);
  succeed(hipMemset(from, 0, (size_t)slices * SLICE), "Clearing the array");
  MEASURE((sum_slices<<<FEW, GROUP>>>(from, from, slices)));
  MEASURE((sum_slices<<<MANY, GROUP>>>(from, from, slices)));
  return (double)(MANY - FEW) * SLICE;
}

// --- streams ---

#define STREAM(name, condition, statement)                                                         \
  __global__ __launch_bounds__(GROUP) void name(double *a, const double *__restrict__ b,           \
                                                const double *__restrict__ c,                      \
                                                const double *__restrict__ d, int n) {             \
    const int i = threadIdx.x + blockIdx.x * blockDim.x;                                           \
    if (condition)                                                                                 \
      statement;                                                                                   \
  }
STREAM(stream_init, i < n, a[i] = 0.25)
STREAM(stream_read, i < n && b[i] == -1, a[i] = 0)
STREAM(stream_scale, i < n, a[i] = b[i] * 1.25)
STREAM(stream_triad, i < n, a[i] = b[i] * d[i] + c[i])
STREAM(stream_3pt, i >= 1 && i < n - 1, a[i] = 0.5 * b[i - 1] - b[i] + 0.5 * b[i + 1])
STREAM(stream_5pt, i >= 2 && i < n - 2,
       a[i] = 0.25 * b[i - 2] + 0.25 * b[i - 1] - b[i] + 0.5 * b[i + 1] + 0.5 * b[i + 2])

static double stream(const char *name) {
  enum { SHORT = 1 << 21, LONG = 1 << 22 }; // elements
  static const struct {
    const char *name;
    void (*kernel)(double *, const double *, const double *, const double *, int);
    int arrays; // that must pass, at eight bytes an element
  } streams[] = {{"init", stream_init, 1},   {"read", stream_read, 1}, {"scale", stream_scale, 2},
                 {"triad", stream_triad, 4}, {"3pt", stream_3pt, 2},   {"5pt", stream_5pt, 2}};
  double *array[4];
  for (int n = 0; n < 4; n++) {
    array[n] = (double *)device_array(LONG * sizeof(double));
    succeed(hipMemset(array[n], 0, LONG * sizeof(double)), "Clearing an array");
  }
  for (size_t n = 0; n < sizeof streams / sizeof *streams; n++)
    if (strcmp(streams[n].name, name) == 0) {
      for (int elements = SHORT; elements <= LONG; elements += LONG - SHORT)
        MEASURE((streams[n].kernel<<<elements / GROUP, GROUP>>>(array[0], array[1], array[2],
                                                                array[3], elements)));
      return (double)(LONG - SHORT) * sizeof(double) * streams[n].arrays;
    }
  fail("NAME is init, read, scale, triad, 3pt or 5pt, not '%s'.", name);
}

// --- strides ---

enum { AT_ONCE = 8 };

// `zero` keeps the loads in the loop. All lie in 32 elements from where the lane stands.
#define STRIDE(type)                                                                               \
  __global__ __launch_bounds__(GROUP) void stride_##type(const type *from, type *to, int stride,   \
                                                         int zero, int loads) {                    \
    const type *at = from + threadIdx.x % 64 * stride;                                             \
    type sum = 0;                                                                                  \
    _Pragma("unroll 1") for (int n = 0; n < loads; n += AT_ONCE) {                                 \
      at += zero;                                                                                  \
      sum += at[0] * at[4];                                                                        \
      sum += at[8] * at[12];                                                                       \
      sum += at[20] * at[16];                                                                      \
      sum += at[24] * at[28];                                                                      \
    }                                                                                              \
    if (sum == -1)                                                                                 \
      *to = sum;                                                                                   \
  }
STRIDE(float)
STRIDE(double)

static double strided(const char *type, int stride) {
  enum { SHORT = 128, LONG = 512, WAVES = GROUP / 64 }; // loads a wave
  const bool wide = strcmp(type, "double") == 0;
  if (!wide && strcmp(type, "float") != 0)
    fail("TYPE is float or double, not '%s'.", type);
  const size_t bytes = (size_t)(64 * stride + 32) * sizeof(double);
  void *from = device_array(bytes);
  succeed(hipMemset(from, 0, bytes), "Clearing the array");
  for (int loads = SHORT; loads <= LONG; loads += LONG - SHORT)
    if (wide)
      MEASURE((stride_double<<<1, GROUP>>>((double *)from, (double *)from, stride, 0, loads)));
    else
      MEASURE((stride_float<<<1, GROUP>>>((float *)from, (float *)from, stride, 0, loads)));
  return (double)(LONG - SHORT) * WAVES;
}

int main(int argc, char **argv) {
  double work;
  if (argc == 3 && strcmp(argv[1], "latency") == 0)
    work = latency(argument(argv[2], "KIB", 1));
  else if (argc == 3 && strcmp(argv[1], "l2") == 0)
    work = l2_bandwidth(argument(argv[2], "KIB", 1));
  else if (argc == 3 && strcmp(argv[1], "stream") == 0)
    work = stream(argv[2]);
  else if (argc == 4 && strcmp(argv[1], "stride") == 0)
    work = strided(argv[2], argument(argv[3], "S", 0));
  else
    fail("Usage: curves latency KIB | l2 KIB | stream NAME | stride TYPE S");
  printf("work %.17g\n", work);
  return 0;
}
