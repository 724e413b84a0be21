// What the architecture gfx90a fixes for every device that has it, and gfx908 and gfx942 just so;
// architecture.h has where they differ, parameters.h the rest.
//
// Execution and occupancy need these facts; each line names its source.
// "CDNA2 guide": AMD Instinct MI200 (CDNA2) instruction set architecture guide and the
// ROCm Compute Profiler pipeline documentation; "LLVM": AMDGPUUsage.rst and AMDGPUBaseInfo.cpp,
// LLVM 15.
#ifndef EMULATOR_GFX90A_H
#define EMULATOR_GFX90A_H

enum {
  DEVICE_SIMDS_PER_CU = 4,          // CDNA2 guide
  DEVICE_WAVEFRONT_SIZE = 64,       // lanes; gfx90a has no wave32
  DEVICE_VGPRS_PER_SIMD_LANE = 512, // ArchVGPRs and AccVGPRs together, registers of 4 B
  DEVICE_SGPRS_PER_SIMD = 800,      // LLVM getTotalNumSGPRs
  DEVICE_SGPR_GRANULE = 16,         // LLVM getSGPRAllocGranule
  DEVICE_LDS_BYTES = 65536,         // per CU, CDNA2 guide
  DEVICE_LDS_GRANULE = 512,         // bytes, ROCr hsa_rsrc_factory
  DEVICE_BARRIERS_PER_CU = 16,      // LLVM getMaxWorkGroupsPerCU
  DEVICE_MAX_WORKGROUP_SIZE = 1024, // work-items, LLVM getMaxFlatWorkGroupSize
  DEVICE_L1_LINE = 64,              // bytes, vector L1 (TCP), ROCm Compute Profiler gfx90a formulas
  DEVICE_IMAGE_COLUMNS = 16384, // most elements of an image, LLVM's and OpenCL's limits for gfx9
  DEVICE_IMAGE_ROWS = 16384,
  DEVICE_IMAGE_PLANES = 8192,
  DEVICE_CONSTANT_CLOCK_KHZ = 100000, // of s_memrealtime: CDNA2 guide
};

#endif
