// The emulated device: one graphics compute die (GCD) of an AMD Instinct MI250X, gfx90a.
//
// Architectural facts that execution and occupancy need; each line names its source.
// "CDNA2 guide": AMD Instinct MI200 (CDNA2) instruction set architecture guide and the
// ROCm Compute Profiler pipeline documentation; "LLVM": AMDGPUUsage.rst and AMDGPUBaseInfo.cpp,
// LLVM 15.
#ifndef EMULATOR_GFX90A_H
#define EMULATOR_GFX90A_H

enum {
  DEVICE_COMPUTE_UNITS = 110,          // AMD Instinct MI250X data sheet: 220 CUs on two GCDs
  DEVICE_SHADER_ENGINES = 8,           // ROCm Compute Profiler sysinfo of MI200: se_per_gpu
  DEVICE_SIMDS_PER_CU = 4,             // CDNA2 guide
  DEVICE_WAVEFRONT_SIZE = 64,          // lanes; gfx90a has no wave32
  DEVICE_WAVES_PER_SIMD = 8,           // LLVM getMaxWavesPerEU(gfx90a)
  DEVICE_VGPRS_PER_SIMD_LANE = 512,    // unified ArchVGPR + AccVGPR file, registers of 4 B
  DEVICE_VGPR_GRANULE = 8,             // LLVM getVGPRAllocGranule(gfx90a)
  DEVICE_SGPRS_PER_SIMD = 800,         // LLVM getTotalNumSGPRs
  DEVICE_SGPR_GRANULE = 16,            // LLVM getSGPRAllocGranule
  DEVICE_LDS_BYTES = 65536,            // per CU, CDNA2 guide
  DEVICE_LDS_GRANULE = 512,            // bytes, ROCr hsa_rsrc_factory
  DEVICE_BARRIERS_PER_CU = 16,         // LLVM getMaxWorkGroupsPerCU
  DEVICE_MAX_WORKGROUP_SIZE = 1024,    // work-items, LLVM getMaxFlatWorkGroupSize
  DEVICE_MAX_WAVES_PER_WORKGROUP = 16, // 1024 / 64
  DEVICE_L1_LINE = 64,        // bytes, vector L1 (TCP), ROCm Compute Profiler gfx90a formulas
  DEVICE_L2_BYTES = 8 << 20,  // per GCD, CDNA2 guide
  DEVICE_CLOCK_KHZ = 1700000, // peak engine clock, AMD data sheet
  DEVICE_MEMORY_CLOCK_KHZ = 1600000, // HBM2e, AMD data sheet
  DEVICE_MEMORY_BUS_BITS = 4096,     // 4 HBM2e stacks of 1024 bits
};

#define DEVICE_MEMORY_BYTES (64ull << 30) // HBM2e per GCD, AMD data sheet

#endif
