// Loops that only compute and load: translated code keeps them in the host's registers, and what their addresses have in
// common is computed once for the wave.
//
// In: the first argument, if there is one, names a launch that reads where nothing is. Out: a line on stdout for each
// launch, what its results sum up to, and how many instructions the last one took. Whatever executes the kernels, they
// are the same.
#include "check.h"

#include "emulator.h"

#include <dlfcn.h>

// As it stands, so that the loop has one block.
#define ONCE_A_ROUND _Pragma("clang loop unroll(disable) vectorize(disable)")

// ---- lanes that follow each other, lie at one place, or in rows of a block ----

template <class T, class I> __global__ void multiply(const T *a, const T *b, T *c, I n) {
  const I row = blockIdx.y * blockDim.y + threadIdx.y,
          column = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
  if (row >= n || column >= n)
    return;
  ONCE_A_ROUND
  for (I k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

template <class T> __global__ void upwards(const T *in, T *out, int n, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
  ONCE_A_ROUND
  for (int row = rows - 1; row >= 0; --row)
    sum = sum * (T)3 + in[(long)row * n + i];
  out[i] = sum;
}

template <class T> __global__ void mirrored(const T *in, T *out, int n, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
  ONCE_A_ROUND
  for (int row = 0; row < rows; ++row)
    sum = sum * (T)3 + in[row * n + (n - 1 - i)];
  out[i] = sum;
}

__global__ void window(const float *in, float *out, int radius) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  ONCE_A_ROUND
  for (int k = -radius; k <= radius; ++k)
    sum = sum * 1.5f + in[i + k];
  out[i] = sum;
}

struct Triple {
  float x, y, z;
};

__global__ void triples(const Triple *in, Triple *out, int n, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Triple sum = {0, 0, 0};
  ONCE_A_ROUND
  for (int row = 0; row < rows; ++row) {
    const Triple next = in[i + row * n];
    sum = {sum.x * 2 + next.x, sum.y * 3 + next.y, sum.z + next.z};
  }
  out[i] = sum;
}

__global__ void attract(const float4 *body, float4 *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, none = threadIdx.x >> 30;
  const float4 own = body[i];
  float4 pull = {0, 0, 0, 0};
  ONCE_A_ROUND
  for (int k = 0; k < n; ++k) {
    const float4 other = body[k + none];
    const float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z,
                near = rsqrtf(x * x + y * y + z * z + 1e-3f) * other.w;
    pull = {pull.x + x * near, pull.y + y * near, pull.z + z * near, near / (pull.w + 2)};
  }
  out[i] = pull;
}

// ---- LDS ----

__global__ void tiles(const float *a, const float *b, float *c, int n) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y,
            column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int begin = 0; begin < n; begin += 16) {
    tile_a[y][x] = a[row * n + begin + x];
    tile_b[y][x] = b[(begin + y) * n + column];
    __syncthreads();
    ONCE_A_ROUND
    for (int k = 0; k < 16; ++k)
      sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// ---- lanes that stop at different times, masks, and what each round changes of where it loads ----

template <class T> __global__ void grid_stride(const T *in, unsigned long long *out, long n) {
  unsigned long long sum = 0;
  ONCE_A_ROUND
  for (long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum = sum * 7 + (unsigned long long)in[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void until_zero(const int *in, int *out, int n, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int row = 0;
  ONCE_A_ROUND
  while (row < rows && in[row * n + i] != 0)
    ++row;
  out[i] = row;
}

__global__ void count_above(const int *in, int *out, int n, int rows, int limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int count = 0, last = -1;
  ONCE_A_ROUND
  for (int row = 0; row < rows; ++row)
    if (in[row * n + i] > limit) {
      count++;
      last = row;
    }
  out[i] = count * 65536 + last;
}

template <class T> __global__ void alternate(const T *a, const T *b, T *out, int n, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
  ONCE_A_ROUND
  for (int row = 0; row < rows; ++row)
    sum = sum * (T)1.25f + (row / 5 & 1 ? b : a)[row % 5 * n + i];
  out[i] = sum;
}

// Of 64 bits: what a round reads as one and leaves as one, as two words, or not at all.
__global__ void wide(const double *in, double *out, double by, int n, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double own = by + i * 0.001;
  double sum = 0, sign = 1;
  unsigned long long random = i * 0x123456789ull;
  ONCE_A_ROUND
  for (int row = 0; row < rows; ++row) {
    sum = fma(sum, own, in[row * n + i] * sign);
    random = (random << 3) + row;
    sign = random >> 31 & 1 ? sign : -sign;
  }
  out[2 * i] = sum * sign;
  out[2 * i + 1] = (double)random;
}

__global__ void follow(const int *next, int *out, int steps) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  ONCE_A_ROUND
  for (int k = 0; k < steps; ++k)
    at = next[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

__global__ void compute(float *out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i * 0.001f;
  unsigned random = i;
  ONCE_A_ROUND
  for (int k = 0; k < rounds; ++k) {
    random = random * 1664525u + 1013904223u;
    x = x * 3.7f * (1 - x) + (random >> 8) * 1e-9f;
    x = x > 1 ? x - 1 : x;
  }
  out[i] = x;
}

// Over a multiple of 4 GiB: the low halves of some lanes' addresses wrap, and others' do not.
template <class T>
__global__ void step_by(const T *in, unsigned *out, long start, long step, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  long at = start + i;
  ONCE_A_ROUND
  for (int k = 0; k < rounds; ++k, at += step)
    sum = sum * 31 + in[at];
  out[i] = sum;
}

// At first lanes follow each other, and later they do not.
__global__ void strided(const int *in, int *out, int stride, int n, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  ONCE_A_ROUND
  for (int row = 0; row < rows; ++row)
    sum = sum * 5 + in[row * n + i * stride];
  out[i] = sum;
}

// The first blocks' lanes load whole dwords, and the last one's only in the first round.
__global__ void between_dwords(const char *in, int *out, int n, int rows) {
  const int bytes = n * 4 + blockIdx.x / 8 * 2, i = threadIdx.x;
  int sum = 0;
  ONCE_A_ROUND
  for (int row = 0; row < rows; ++row)
    sum = sum * 3 + *(const int *)(in + row * bytes + i * 4);
  out[blockIdx.x * blockDim.x + i] = sum;
}

// Numbers of 32 bits that wrap in some lanes: these load from the begin of the allocation.
__global__ void wrap(const unsigned char *in, unsigned *out, unsigned start, unsigned step,
                     int rounds) {
  unsigned at = start + blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  ONCE_A_ROUND
  for (int k = 0; k < rounds; ++k, at += step)
    sum = sum * 31 + in[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + at;
}

// Sums of numbers that both differ from lane to lane, as compilers mostly make them outside of loops.
__global__ void sums(const unsigned char *in, unsigned *out, int rounds) {
  unsigned row = threadIdx.x / 16 * 48, column = threadIdx.x % 16, sum = 0;
  ONCE_A_ROUND
  for (int k = 0; k < rounds; ++k) {
    unsigned at, twice;
    asm volatile("v_add_u32 %0, %1, %2" : "=v"(at) : "v"(row), "v"(column));
    sum = sum * 31 + in[at];
    asm volatile("v_add_u32 %0, %1, %2" : "=v"(at) : "v"(column), "v"(row));
    sum = sum * 31 + in[at];
    asm volatile("v_lshlrev_b32 %0, 1, %1" : "=v"(twice) : "v"(row));
    asm volatile("v_add3_u32 %0, %1, %2, 7" : "=v"(at) : "v"(twice), "v"(column));
    sum = sum * 31 + in[at];
    asm volatile("v_lshl_add_u32 %0, %1, 3, %2" : "=v"(at) : "v"(row), "v"(column));
    sum = sum * 31 + in[at];
    asm volatile("v_add_lshl_u32 %0, %1, %2, 0" : "=v"(at) : "v"(row), "v"(column));
    sum = sum * 31 + in[at];
    row += 5;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + row;
}

// ---- host ----

enum { INPUT = 4 << 20, OUTPUT = 1 << 18, LANES_IN_ALL = 1024, ROWS = 90 };
static char *in, *out;

static unsigned long long checksum(const unsigned char *bytes, size_t count) {
  unsigned long long sum = 1469598103934665603u; // FNV-1a
  for (size_t i = 0; i < count; i++)
    sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum;
}

static void show(const char *what) {
  static unsigned char bytes[OUTPUT];
  HIP(hipMemcpy(bytes, out, OUTPUT, hipMemcpyDeviceToHost));
  printf("%s: %016llx\n", what, checksum(bytes, OUTPUT));
  HIP(hipMemset(out, 0, OUTPUT));
}

// From the first question on the device looks at what loads cost, and has no such loops any more.
static void show_instructions(void) {
  const EmulatorCounter *counter;
  size_t (*counters)(const EmulatorCounter **) =
      (size_t(*)(const EmulatorCounter **))dlsym(RTLD_DEFAULT, "emulator_counters");
  for (size_t i = 0, count = counters ? counters(&counter) : 0; i < count; i++)
    if (!strncmp(counter[i].name, "SQ_INSTS", 8) || !strncmp(counter[i].name, "SQ_THREAD", 9))
      printf("%s: %.0f\n", counter[i].name, counter[i].value);
}

template <class T> static const T *filled(int most) {
  static T value[INPUT / sizeof(T)];
  unsigned random = most;
  for (T &element : value) {
    random = random * 1664525u + 1013904223u;
    element = (T)((random >> 16) % most);
  }
  HIP(hipMemcpy(in, value, INPUT, hipMemcpyHostToDevice));
  return (const T *)in;
}

template <class T, class I> static void show_products(const char *what, int n) {
  const T *a = filled<T>(50);
  for (int width : {8, 10, 16, 32, 64}) {
    const dim3 block(width, 256 / width),
        grid((n + width - 1) / width, (n + block.y - 1) / block.y);
    multiply<T, I><<<grid, block>>>(a, a + n * n, (T *)out, n);
    show(what);
  }
}

template <class T> static void show_rows(const char *what, int behind) {
  const T *a = filled<T>(200) + behind;
  upwards<<<4, 256>>>(a, (T *)out, LANES_IN_ALL, ROWS);
  show(what);
  mirrored<<<4, 256>>>(a, (T *)out, LANES_IN_ALL, ROWS);
  show(what);
  grid_stride<<<3, 256>>>(a, (unsigned long long *)out, 100003);
  show(what);
}

static void show_floats(void) {
  const float *a = filled<float>(99);
  float *b;
  window<<<4, 256>>>(a + 100, (float *)out, 40);
  show("window");
  triples<<<4, 256>>>((const Triple *)a, (Triple *)out, LANES_IN_ALL, 50);
  show("triples");
  attract<<<4, 256>>>((const float4 *)a, (float4 *)out, 200);
  show("attract");
  tiles<<<dim3(4, 4), dim3(16, 16)>>>(a, a + 4096, (float *)out, 64);
  show("tiles");
  compute<<<4, 256>>>((float *)out, 300);
  show("compute");
  HIP(hipMalloc(&b, 5 * LANES_IN_ALL * sizeof *b));
  HIP(hipMemcpy(b, a + 5000, 5 * LANES_IN_ALL * sizeof *b, hipMemcpyDeviceToDevice));
  alternate<<<4, 256>>>(a, b, (float *)out, LANES_IN_ALL, 60);
  show("alternate");
  alternate<<<4, 256>>>((const double *)a, (const double *)b, (double *)out, 300, 60);
  show("alternate, f64");
  wide<<<4, 256>>>((const double *)a, (double *)out, 0.5, LANES_IN_ALL, 100);
  show("wide");
  window<<<19, 256>>>(b + 8, (float *)out, 8); // as far as the allocation goes
  show("edges");
  HIP(hipFree(b));
}

static void show_ints(void) {
  static int next[LANES_IN_ALL];
  const int *a = filled<int>(40);
  for (int block : {256, 200}) {
    count_above<<<4, block>>>(a, (int *)out, LANES_IN_ALL, ROWS, 20);
    show("count");
    until_zero<<<4, block>>>(a, (int *)out, LANES_IN_ALL, ROWS);
    show("until");
  }
  for (int stride : {1, 2, 1, 0}) {
    strided<<<4, 256>>>(a, (int *)out, stride, 64, ROWS);
    show("strided");
  }
  between_dwords<<<9, 256>>>((const char *)a, (int *)out, LANES_IN_ALL, ROWS);
  show("between dwords");
  sums<<<4, 256>>>((const unsigned char *)a, (unsigned *)out, 100);
  show("sums");
  for (int i = 0; i < LANES_IN_ALL; i++)
    next[i] = (i + 1) % LANES_IN_ALL;
  HIP(hipMemcpy(in, next, sizeof next, hipMemcpyHostToDevice));
  follow<<<4, 256>>>(a, (int *)out, 300);
  show("follow");
}

static void show_edge(void) {
  const size_t gigabyte = 1u << 30, around = 1 << 16;
  static char bytes[2 * around];
  char *big;
  HIP(hipMalloc(&big, 5 * gigabyte));
  const long edge = (long)(4 * gigabyte - (unsigned long long)big % (4 * gigabyte));
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (char)(i * 7 + i / 512);
  HIP(hipMemcpy(big + edge - around, bytes, sizeof bytes, hipMemcpyHostToDevice));
  for (long from : {-5000, -300, -64, -17, -16, -1, 0, 3}) {
    step_by<<<2, 128>>>((const unsigned char *)big, (unsigned *)out, edge + from, 33, 200);
    show("bytes over an edge");
    step_by<<<2, 128>>>((const unsigned *)big, (unsigned *)out, edge / 4 + from, 20, 100);
    show("words over an edge");
    step_by<<<2, 128>>>((const unsigned *)big, (unsigned *)out, edge / 4 + from + 2000, -20, 100);
    show("words back over an edge");
  }
  for (unsigned from : {-1000u, -64u, -40u, -3u}) {
    HIP(hipMemset(big, 5, 1000));
    wrap<<<2, 128>>>((const unsigned char *)big, (unsigned *)out, from, 11, 90);
    show("wrap");
  }
  HIP(hipFree(big));
}

int main(int count, char **argument) {
  HIP(hipMalloc(&in, INPUT));
  HIP(hipMalloc(&out, OUTPUT));
  HIP(hipMemset(out, 0, OUTPUT));
  if (count > 1) {
    const int *a = filled<int>(30);
    const bool far = strcmp(argument[1], "far") == 0;
    upwards<<<16, 256>>>(a, (int *)out, 4096,
                         far ? 400 : 256); // most launches that go too far begin there
    step_by<<<2, 128>>>((const unsigned *)a, (unsigned *)out, 0, 4096, far ? 5000 : 257);
    printf("%d\n", hipDeviceSynchronize());
    return 0;
  }
  show_products<float, int>("f32", 70);
  show_products<float, size_t>("f32, indices of 64 bits", 70);
  show_products<int, unsigned>("i32", 33);
  show_products<double, long>("f64", 40);
  show_rows<int>("rows of i32", 0);
  show_rows<unsigned char>("rows of u8", 0);
  show_rows<signed char>("rows of i8", 1);
  show_rows<short>("rows of i16", 1);
  show_rows<unsigned short>("rows of u16", 0);
  show_rows<double>("rows of f64", 0);
  show_floats();
  show_ints();
  show_edge();
  show_rows<int>("rows of i32 again", 0);
  show_instructions();
  return verdict();
}
