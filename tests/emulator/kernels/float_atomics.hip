// Atomics of floats on memory of the host. gfx90a leaves coherent memory as it is and returns 0, as
// ROCm's own tests (hip-tests, AtomicAdd_Coherent_withunsafeflag.cc, BuiltIns_fmax.cc) ask for; gfx942
// updates it. Integers, LDS and memory that is not coherent are updated on both.
#include "check.h"

enum { LANES = 64, HALVES = 32 };

// Operands come from memory: clang 15 does not compile all of these with constants.

__global__ void add_f32(float *place, float *before) {
  *before = unsafeAtomicAdd(place, *before); // on gfx942 of this compiler a loop of atomicCAS
}
__global__ void add_f64(double *place, double *before) {
  *before = unsafeAtomicAdd(place, *before);
}
__global__ void max_f64(double *place, double *before) {
  *before = __builtin_amdgcn_flat_atomic_fmax_f64(place, *before + 5);
}
__global__ void compare_and_swap(float *place, float *before) {
  unsigned old = __float_as_uint(5), seen = atomicCAS((unsigned *)place, old, __float_as_uint(15));
  *before = __uint_as_float(seen);
}

// Even lanes update coherent memory, odd ones the device's.
__global__ void half_of_them(double *coherent, double *device, double *before) {
  int lane = threadIdx.x;
  double *place = (lane % 2 ? device : coherent) + lane / 2;
  before[lane] = unsafeAtomicAdd(place, before[lane]);
}

template <typename T>
static void expect(const char *name, T *place, void (*kernel)(T *, T *), bool lost) {
  T before = 10, *seen = (T *)to_device(&before, sizeof *seen);
  *place = 5;
  kernel<<<1, 1>>>(place, seen);
  to_host(&before, seen, sizeof before);
  if (before != (lost ? 0 : 5) || *place != (lost ? 5 : 15))
    DIFFERS("%s: before %g, then %g", name, (double)before, (double)*place);
}

static void *host(unsigned flags) {
  void *place;
  HIP(hipHostMalloc(&place, LANES * sizeof(double), flags));
  return place;
}

static void expect_all(const char *name, void *place, bool lost) {
  expect<float>(name, (float *)place, add_f32, lost);
  expect<double>(name, (double *)place, add_f64, lost);
  expect<double>(name, (double *)place, max_f64, lost);
  expect<float>(name, (float *)place, compare_and_swap, false);
}

static void expect_halves(bool lost) {
  double *coherent = (double *)host(0), of_device[HALVES];
  for (int i = 0; i < HALVES; i++)
    of_device[i] = coherent[i] = 3;
  double *device = (double *)to_device(of_device, sizeof of_device);
  double before[LANES];
  for (int i = 0; i < LANES; i++)
    before[i] = 1;
  double *seen = (double *)to_device(before, sizeof before);
  half_of_them<<<1, LANES>>>(coherent, device, seen);
  to_host(before, seen, sizeof before);
  to_host(of_device, device, sizeof of_device);
  for (int i = 0; i < HALVES; i++)
    if (of_device[i] != 4 || before[2 * i + 1] != 3 || coherent[i] != (lost ? 3 : 4) ||
        before[2 * i] != (lost ? 0 : 3))
      DIFFERS("pair %d: %g, %g", i, coherent[i], of_device[i]);
}

int main(void) {
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  const bool lost = strncmp(properties.gcnArchName, "gfx90a", 6) == 0;
  expect_all("hipHostMalloc", host(0), lost);
  expect_all("coherent", host(hipHostMallocCoherent), lost);
  expect_all("mapped", host(hipHostMallocMapped), lost);
  expect_all("portable", host(hipHostMallocPortable), false);
  expect_all("non-coherent", host(hipHostMallocNonCoherent), false);
  static double own[LANES];
  HIP(hipHostRegister(own, sizeof own, hipHostRegisterDefault));
  expect_all("hipHostRegister", own, lost);
  expect_halves(lost);
  return verdict();
}
