// Architectures: see architecture.h. Source: LLVM AMDGPUUsage.rst (targets, generic targets, "Initial
// Kernel Execution State") and AMDGPUBaseInfo.cpp. What becomes of atomics of floats on the host's
// memory: ROCm's hip-tests, AtomicAdd_Coherent_withunsafeflag.cc and BuiltIns_fmax.cc. Their denormals:
// LLVM's FeatureMemoryAtomicFAddF32DenormalSupport.
#include "architecture.h"

#include <stddef.h>
#include <string.h>

static const Architecture row[] = {
    {.target = {"gfx90a"},
     .cpu = "gfx90a",
     .option = "--offload-arch=gfx90a",
     .number = 910,
     .vgpr_granule = 8,
     .unified_vgprs = true,
     .packed_ids = true},
    // Its steps gfx940 and gfx941 have the same instructions; what hipcc 5 compiles is gfx940.
    {.target = {"gfx942", "gfx9-4-generic", "gfx941", "gfx940"},
     .cpu = "gfx940",
     .option = "--offload-arch=gfx942 (gfx940 with hipcc of ROCm 5)",
     .matrix_cpu = "gfx90a",
     .minor = 4,
     .number = 942,
     .vgpr_granule = 8,
     .unified_vgprs = true,
     .packed_ids = true,
     .float_atomics_of_host = true,
     .keeps_sums = true,
     .sets_scratch = true,
     .limits_scratch = true},
    {.target = {"gfx908"},
     .cpu = "gfx908",
     .option = "--offload-arch=gfx908",
     .number = 908,
     .vgpr_granule = 4,
     .exact_sums = true},
};

const Architecture *architecture_find(const char *name) {
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    if (strcmp(name, row[i].target[0]) == 0)
      return &row[i];
  return NULL;
}
