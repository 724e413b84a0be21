// Counters against hardware: the copy kernel that AMD ran on an MI210 under rocprof (ROCm Compute
// Profiler, tests/workloads/vcopy/MI200: c[id] = a[id] in double, 1048576 threads in blocks of
// 256). Counters that did not vary between 24 passes on the device must come out exactly; scalar
// instructions are left out, because that binary came from another compiler with another ABI.
#include "emulator.h"

#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <string.h>

enum { N = 1048576, BLOCK = 256 };

__global__ void vcopy(const double *a, double *c, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < n)
    c[id] = a[id];
}

static const struct {
  const char *name;
  double measured; // on the MI210
} row[] = {{"SQ_WAVES", 16384},
           {"SQ_WAVES_EQ_64", 16384},
           {"SQ_ITEMS", 1048576},
           {"SQ_INSTS_VALU", 163840},
           {"SQ_INSTS_VALU_INT32", 114688},
           {"SQ_THREAD_CYCLES_VALU", 10485760},
           {"SQ_INSTS_VMEM", 32768},
           {"SQ_INSTS_VMEM_RD", 16384},
           {"SQ_INSTS_VMEM_WR", 16384},
           {"SQ_INSTS_FLAT", 32768},
           {"SQ_INSTS_BRANCH", 16384},
           {"SQ_INSTS_SENDMSG", 16384},
           {"TA_TOTAL_WAVEFRONTS_sum", 32768},
           {"TA_FLAT_READ_WAVEFRONTS_sum", 16384},
           {"TA_FLAT_WRITE_WAVEFRONTS_sum", 16384},
           {"TCP_TOTAL_ACCESSES_sum", 2097152},
           {"TCP_TOTAL_READ_sum", 1048576},
           {"TCP_TOTAL_WRITE_sum", 1048576},
           {"TCP_TOTAL_CACHE_ACCESSES_sum", 524288},
           {"TCP_TCC_READ_REQ_sum", 131072},
           {"TCP_TCC_WRITE_REQ_sum", 131072}};

static size_t count;
static const EmulatorCounter *counters;

// -1 if there is none of that name.
static double value(const char *name) {
  for (size_t k = 0; k < count; k++)
    if (strcmp(counters[k].name, name) == 0)
      return counters[k].value;
  return -1;
}

int main(void) {
  double *a, *c;
  hipMalloc((void **)&a, N * sizeof *a);
  hipMalloc((void **)&c, N * sizeof *c);
  vcopy<<<N / BLOCK, BLOCK>>>(a, c, N);
  if (hipDeviceSynchronize() != hipSuccess)
    return 1;
  size_t (*find)(const EmulatorCounter **) =
      (size_t(*)(const EmulatorCounter **))dlsym(RTLD_DEFAULT, "emulator_counters");
  count = find ? find(&counters) : 0;
  int wrong = 0;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (value(row[i].name) != row[i].measured) {
      printf("%s: %.0f, measured on the device %.0f\n", row[i].name, value(row[i].name),
             row[i].measured);
      wrong++;
    }
  // On the device 65536 and 131072: how many there are is the compiler's choice, how they are
  // weighted is not.
  if (value("SQ_INSTS_SMEM") <= 0 || value("SQ_INSTS_SMEM_NORM") != 2 * value("SQ_INSTS_SMEM")) {
    printf("SQ_INSTS_SMEM_NORM: %.0f, twice SQ_INSTS_SMEM is %.0f\n", value("SQ_INSTS_SMEM_NORM"),
           2 * value("SQ_INSTS_SMEM"));
    wrong++;
  }
  return wrong != 0;
}
