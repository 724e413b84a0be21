// A value of 64 or 128 bits that one workgroup stores while another loads it is the old or the new one, never half of each:
// scans that look back rely on it (rocPRIM).
//
// In: workgroups that store and load the same places, with their lanes side by side, apart, at one place, or a few of them.
// Out: how many values were torn: none.
#include "check.h"

typedef unsigned Two __attribute__((ext_vector_type(2)));
typedef unsigned Four __attribute__((ext_vector_type(4)));
enum { BLOCKS = 24, LANES = 64, PLACES = 4 * LANES, TIMES = 400 };

// Any order of stores and loads is right, so the compiler must not choose one.
__device__ Two load(const Two *from) {
  Two value;
  asm volatile("global_load_dwordx2 %0, %1, off glc\n s_waitcnt vmcnt(0)"
               : "=v"(value)
               : "v"(from)
               : "memory");
  return value;
}
__device__ Four load(const Four *from) {
  Four value;
  asm volatile("global_load_dwordx4 %0, %1, off glc\n s_waitcnt vmcnt(0)"
               : "=v"(value)
               : "v"(from)
               : "memory");
  return value;
}
__device__ void store(Two *to, Two value) {
  asm volatile("global_store_dwordx2 %0, %1, off" ::"v"(to), "v"(value) : "memory");
}
__device__ void store(Four *to, Four value) {
  asm volatile("global_store_dwordx4 %0, %1, off" ::"v"(to), "v"(value) : "memory");
}

template <typename Value>
__global__ void exchange(Value *place, unsigned stride, unsigned first, unsigned *torn) {
  Value *mine = place + threadIdx.x * stride;
  if (threadIdx.x < first)
    return;
  for (unsigned i = 0; i < TIMES; i++) {
    const Value seen = load(mine);
    const Value same = seen.x;
    unsigned long long differ = 0;
    for (unsigned w = 0; w < sizeof(Value) / 4; w++)
      differ |= seen[w] ^ same[w];
    if (differ)
      atomicAdd(torn, 1u);
    store(mine, (Value)(blockIdx.x * TIMES + i));
  }
}

template <typename Value> static void meets(const char *kind) {
  static const struct {
    const char *lanes;
    unsigned stride, first;
  } shape[] = {{"side by side", 1, 0}, {"apart", 3, 0},     {"at one place", 0, 0},
               {"one alone", 1, 63},   {"a few", 1, 50},    {"a few apart", 3, 50},
               {"some", 1, 5},         {"some apart", 3, 5}};
  Value *place = (Value *)to_device(NULL, PLACES * sizeof *place);
  unsigned *torn = (unsigned *)to_device(NULL, sizeof *torn), count;
  for (const auto &with : shape) {
    HIP(hipMemset(place, 0, PLACES * sizeof *place));
    HIP(hipMemset(torn, 0, sizeof *torn));
    exchange<<<BLOCKS, LANES>>>(place, with.stride, with.first, torn);
    HIP(hipMemcpy(&count, torn, sizeof count, hipMemcpyDeviceToHost));
    if (count)
      DIFFERS("%s, lanes %s: %u values were torn", kind, with.lanes, count);
  }
  HIP(hipFree(place));
  HIP(hipFree(torn));
}

int main(void) {
  meets<Two>("64 bits");
  meets<Four>("128 bits");
  return verdict();
}
