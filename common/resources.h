// Registers, scratch and occupancy of a kernel as the compiler reported them.
//
// In:  the file that `hipcc -Rpass-analysis=kernel-resource-usage` wrote at build time, which
//      tools/hip-compile.sh keeps beside the program as PROGRAM.resources.
// Out: Resources, evidence "compiled".
#ifndef RESOURCES_H
#define RESOURCES_H

#include <stdbool.h>

typedef struct {
  int sgprs, vgprs, agprs;
  int scratch_bytes;            // per lane
  int occupancy_waves_per_simd; // limited by registers alone
  int lds_bytes;                // per block
  int largest_block;            // threads that one may have; 0 if unknown
} Resources;

// Reads the section of the kernel named ("laplacian", or as its machine code has it). False when the file cannot
// be read or lacks that kernel or one of the figures.
bool resources_read(Resources *resources, const char *file, const char *kernel);

// Waves of a launch that a SIMD of gfx90a holds: as many as registers leave room for, in whole blocks
// as far as LDS goes. lds: bytes that the launch asks for beside those of the kernel.
int resources_waves(const Resources *resources, unsigned lds, unsigned threads);

#endif
