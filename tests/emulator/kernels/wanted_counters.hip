// What memory instructions do to banks of LDS, address unit and L1 is found out where anyone wants to know: with the
// memory model, for a report, and from the program's first question on. A launch before that has no number, and the next
// one has that which follows by hand.
#include "emulator.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <hip/hip_runtime.h>

enum { WAVE = 64, GROUPS = 4000, BANKS = 32, WORDS = WAVE * BANKS, FEW = 10 };
enum { REPEATED = 5 }; // the last of them is not executed, but repeats what others did

// All loads are from bank 0, of different dwords: in steps, in disorder, of few lanes.
__global__ void conflicts(const unsigned *in, unsigned *out) {
  __shared__ unsigned s[WORDS];
  const unsigned t = threadIdx.x;
  for (unsigned i = t; i < WORDS; i += WAVE)
    s[i] = in[i];
  __syncthreads();
  unsigned sum = s[t * BANKS] + s[t * 37 * BANKS % WORDS];
  if (t < FEW)
    sum += s[(t * 29 + 1) * BANKS % WORDS];
  out[blockIdx.x * WAVE + t] = sum;
}

// Two passes take a clk each for nothing.
enum { WAITS = WAVE - 2 + WAVE - 2 + FEW - 1 };

static double counter(const char *name) {
  __typeof__(emulator_counters) *ask =
      (__typeof__(emulator_counters) *)dlsym(RTLD_DEFAULT, "emulator_counters");
  const EmulatorCounter *counters;
  for (size_t left = ask(&counters); left; left--, counters++)
    if (strcmp(counters->name, name) == 0)
      return counters->value;
  return -1;
}

// A wave loads WORDS dwords, 64 at once, and stores 64: 16 lanes of them are a step of four accesses, and a request of 64 B.
enum { LOADS = WORDS / WAVE, STORES = 1 };
static const struct {
  const char *counter;
  double by_hand;
} of_a_group[] = {{"SQ_LDS_BANK_CONFLICT", WAITS},
                  {"TA_TOTAL_WAVEFRONTS_sum", LOADS + STORES},
                  {"TA_FLAT_READ_WAVEFRONTS_sum", LOADS},
                  {"TCP_TOTAL_ACCESSES_sum", (LOADS + STORES) * WAVE / 4},
                  {"TCP_TOTAL_CACHE_ACCESSES_sum", (LOADS + STORES) * WAVE / 16},
                  {"TCP_TCC_WRITE_REQ_sum", STORES *WAVE / 16},
                  {"EMULATOR_GLOBAL_BYTES_LOADED", LOADS *WAVE * 4},
                  {"EMULATOR_GLOBAL_BYTES_STORED", STORES *WAVE * 4}};

static bool nobody_wants_to_know() {
  const char *model = getenv("EMULATOR_MODEL");
  return model && strcmp(model, "0") == 0 && !getenv("EMULATOR_COUNTERS") &&
         !getenv("EMULATOR_LINES");
}

int main() {
  unsigned *in, *out;
  if (hipMalloc((void **)&in, WORDS * sizeof *in) != hipSuccess ||
      hipMalloc((void **)&out, GROUPS * WAVE * sizeof *out) != hipSuccess)
    return 1;
  int wrong = 0;
  for (int i = 0; i < 3; i++) {
    for (int left = i == 0 ? REPEATED : 1; left; left--)
      conflicts<<<GROUPS, WAVE>>>(in, out);
    if (hipDeviceSynchronize() != hipSuccess)
      return 1;
    const bool unknown = i == 0 && nobody_wants_to_know();
    for (const auto &row : of_a_group) {
      const double value = counter(row.counter);
      if (unknown ? !std::isnan(value) : value != GROUPS * row.by_hand) {
        printf("launch %d, %s: %.0f, by hand %.0f\n", i, row.counter, value, GROUPS * row.by_hand);
        wrong++;
      }
    }
    const double clocks = counter("SQ_LDS_IDX_ACTIVE");
    if (unknown ? !std::isnan(clocks) : !(clocks > GROUPS * WAITS)) {
      printf("launch %d, SQ_LDS_IDX_ACTIVE: %.0f\n", i, clocks);
      wrong++;
    }
    if (std::isnan(counter("SQ_INSTS_VMEM"))) {
      printf("launch %d: SQ_INSTS_VMEM takes no look at lanes, and is not known\n", i);
      wrong++;
    }
  }
  return wrong != 0;
}
