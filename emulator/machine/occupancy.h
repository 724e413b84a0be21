// Occupancy: how many workgroups of a kernel fit on a compute unit at once.
#ifndef EMULATOR_OCCUPANCY_H
#define EMULATOR_OCCUPANCY_H

#include "code_object.h"

// Limited by waves, registers, LDS and barriers; 0 if a workgroup can never fit. block_size in
// work-items. Source: LLVM AMDGPUBaseInfo.cpp (getNumWavesPerEUWithNumVGPRs, getMaxWorkGroupsPerCU)
// and the LDS size.
uint32_t occupancy_workgroups_per_cu(const Kernel *kernel, uint32_t block_size,
                                     uint32_t dynamic_lds_bytes);

#endif
